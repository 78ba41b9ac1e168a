// SPDX-License-Identifier: Apache-2.0
#include <tributary/protocols/uncached_operations.h>

#include <tributary/controller/cost_table.h>
#include <tributary/memory/line.h>
#include <tributary/memory/operation.h>

namespace tributary {
namespace {

constexpr std::uint8_t normal_space = 0;

// In `aux` between nodes: the form as the processor gave it, and the tag that waits for the answer.
constexpr unsigned tag_shift = 8;
constexpr std::uint16_t form_mask = (1U << tag_shift) - 1;

message onward(const message& arrived, uncached_operations::message_type type, message_lane over,
               node_id destination) {
  message result = arrived;
  result.type = static_cast<std::uint8_t>(type);
  result.over = over;
  result.destination = destination;
  return result;
}

}  // namespace

void uncached_operation_costs::bind(parameter_set& parameters) {
  cost_binder add(parameters);
  add("perform", perform, "Reading, changing and writing memory (assumed).");
  add("forward", forward, "Passing an operation on to its home (assumed).");
  add("reply", reply, "Taking what the home answers (assumed).");
}

std::vector<dispatch_rule> uncached_operations::rules() const {
  const auto asked = static_cast<std::uint8_t>(common_type::uncached_operation);
  const auto request = static_cast<std::uint8_t>(message_type::request);
  const auto reply = static_cast<std::uint8_t>(message_type::reply);
  return {{asked, message_origin::processor, locality::local, handler_id{0}, normal_space},
          {asked, message_origin::processor, locality::remote, handler_id{1}, normal_space},
          {request, message_origin::network, locality::local, handler_id{2}},
          {reply, message_origin::network, locality::any, handler_id{3}}};
}

std::vector<message_name> uncached_operations::message_names() const {
  return {{static_cast<std::uint8_t>(message_type::request), "operation_request"},
          {static_cast<std::uint8_t>(message_type::reply), "operation_reply"}};
}

std::vector<handler> uncached_operations::handlers() {
  const auto here = [this](handler_context& context) { context.answer(perform(context)); };
  const auto forward = [this](handler_context& context) {
    const message& arrived = context.arrived();
    context.spend(costs_.forward);
    message request = onward(arrived, message_type::request, message_lane::request,
                             context.addresses().node_of(arrived.address));
    request.aux = static_cast<std::uint16_t>(arrived.aux | context.keep_read() << tag_shift);
    context.send(request);
  };
  const auto for_another = [this](handler_context& context) {
    context.set_word(context.arrived().data, 0, perform(context));
    message reply = onward(context.arrived(), message_type::reply, message_lane::reply,
                           context.arrived().source);
    reply.length = word_bytes;
    context.send(reply);
  };
  const auto take_reply = [this](handler_context& context) {
    context.spend(costs_.reply);
    context.answer(static_cast<std::uint8_t>(context.arrived().aux >> tag_shift),
                   context.word(context.arrived().data, 0));
  };
  return {{"perform", here},
          {"forward", forward},
          {"perform_for_another", for_another},
          {"take_reply", take_reply}};
}

word_t uncached_operations::perform(handler_context& context) const {
  const message& arrived = context.arrived();
  const std::size_t place = line_.word(arrived.address);
  const word_t a = context.word(arrived.data, 0);
  const word_t b = arrived.length > word_bytes ? context.word(arrived.data, 1) : 0;
  const word_function function{static_cast<form>(arrived.aux & form_mask), a, b};
  // The operands have been read: their buffer takes the line.
  context.fill(arrived.data, line_.start(arrived.address));
  const word_t before = context.word(arrived.data, place);
  context.set_word(arrived.data, place, apply(function, before));
  context.spill_word(arrived.data, place, arrived.address);
  context.spend(costs_.perform);
  return before;
}

}  // namespace tributary
