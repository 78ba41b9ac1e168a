// SPDX-License-Identifier: Apache-2.0
// V47: processors and deferred handlers of all nodes send requests as fast as they are let, until
// every queue of requests is full, and then stop.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <support/protocol_lists.h>
#include <tributary/controller/handler_context.h>
#include <tributary/magic/magic_machine.h>
#include <tributary/processor/node_programs.h>
#include <tributary/sim/random_stream.h>

#include <support/usual_line.h>

#include "flash_checks.h"

namespace tributary::validation {
namespace {

/// A request for each access of the processor, and one for each run of a deferred handler; each
/// gets two replies, one to who asked and one to a third node. Every message has a payload, so that
/// data buffers run out too.
class flood_protocol final : public fiber_protocol {
 public:
  static constexpr std::uint32_t space = 3;
  static constexpr std::uint64_t runs = 200;  ///< of the deferred handler

  /// What is counted, by place among the words of the storage behind the deferred record.
  enum class count : std::uint8_t { sent, served, replied, sunk, deferred };

  std::string name() const override { return "flood"; }
  std::vector<dispatch_rule> rules() const override {
    dispatch_rule asked;
    asked.type = static_cast<std::uint8_t>(common_type::uncached_write);
    asked.origin = message_origin::processor;
    asked.space = space;
    asked.run = handler_id{0};
    dispatch_rule request;
    request.type = request_type;
    request.run = handler_id{1};
    dispatch_rule reply;
    reply.type = reply_type;
    reply.run = handler_id{2};
    return {asked, request, reply};
  }
  std::vector<handler> handlers() override {
    return {{"ask", [this](handler_context& context) { ask(context); }},
            {"serve", [this](handler_context& context) { serve(context); }},
            {"sink", [this](handler_context& context) { sink(context); }},
            {"chatter", [this](handler_context& context) { chatter(context); }}};
  }
  std::uint64_t storage_bytes() const override { return line_bytes; }
  void initialize(const protocol_storage& where, word_memory&) override { storage_ = where; }

  word_t counted(const word_memory& memory, count what) const { return memory.read(at(what)); }

 private:
  static constexpr std::uint8_t request_type = first_protocol_type;
  static constexpr std::uint8_t reply_type = first_protocol_type + 1;

  std::uint64_t at(count what) const {
    return storage_.address + deferred_record_bytes + 8 * static_cast<std::uint64_t>(what);
  }
  void increment(handler_context& context, count what) const {
    context.store(at(what), context.load(at(what)) + 1);
  }
  node_id other(handler_context& context, std::uint64_t choice) const {
    const std::uint32_t others = storage_.nodes - 1;
    return node_id{(index(context.here()) + 1 + static_cast<std::uint32_t>(choice % others)) %
                   storage_.nodes};
  }
  static void send(handler_context& context, node_id to, std::uint8_t type, message_lane over,
                   payload_handle data) {
    message made;
    made.type = type;
    made.over = over;
    made.destination = to;
    made.address = context.addresses().address_of(to, space, 0);
    made.length = data == no_payload ? 0 : word_bytes;
    made.data = data;
    context.send(made);
  }

  void ask(handler_context& context) {
    constexpr std::uint64_t cost = 6;
    context.spend(cost);
    const payload_handle data = context.arrived().data;
    const word_t choice = context.word(data, 0);
    if (context.load(at(count::deferred)) == 0) {
      context.store(at(count::deferred), 1);
      message first;
      first.address = context.addresses().address_of(context.here(), space, 0);
      context.later(storage_.address,
                    handler_id(static_cast<std::uint16_t>(storage_.first_handler) + 3), first);
    }
    increment(context, count::sent);
    send(context, other(context, choice), request_type, message_lane::request, data);
  }

  void serve(handler_context& context) {
    constexpr std::uint64_t cost = 60;
    context.spend(cost);
    increment(context, count::served);
    const payload_handle data = context.arrived().data;
    if (data != no_payload) context.retain(data);
    const word_t number = context.load(at(count::served));
    for (const node_id to : {context.arrived().source, other(context, number)}) {
      increment(context, count::replied);
      send(context, to, reply_type, message_lane::reply, data);
    }
  }

  void sink(handler_context& context) {
    constexpr std::uint64_t cost = 10;
    context.spend(cost);
    increment(context, count::sunk);
  }

  void chatter(handler_context& context) {
    constexpr std::uint64_t cost = 5;
    context.spend(cost);
    const word_t run = context.load(at(count::deferred));
    context.store(at(count::deferred), run + 1);
    // Nothing is promised but a request and a reply; a payload is when there is one.
    const auto data = context.allocate();
    increment(context, count::sent);
    send(context, other(context, run), request_type, message_lane::request,
         data ? *fill(context, *data) : no_payload);
    increment(context, count::replied);
    send(context, other(context, run + 1), reply_type, message_lane::reply, no_payload);
    if (run < runs) {
      context.again();
    } else {
      context.done();
    }
  }

  static std::optional<payload_handle> fill(handler_context& context, payload_handle data) {
    context.set_word(data, 0, index(context.here()));
    return data;
  }

  protocol_storage storage_;
};

/// What became of the flood.
struct flood_result {
  double queues = 0;  ///< of requests, in and out
  double full = 0;    ///< those that were full at some time
  double sent = 0;
  double served = 0;
  double replied = 0;
  double sunk = 0;
};

flood_result flood(const family& claim) {
  const auto number = [&](const char* key) {
    return static_cast<std::uint32_t>(claim.number(key));
  };
  magic_machine_config config;
  config.nodes = number("nodes");
  config.network.topology = topology_kind::point_to_point;
  config.network.endpoint_buffers = number("in_depth");
  config.node.network_interface.out_depth = number("out_depth");
  std::vector<const flood_protocol*> floods;
  magic_machine machine(config, [&floods](node_id) {
    auto flooding = std::make_unique<flood_protocol>();
    floods.push_back(flooding.get());
    return testing::list_of(std::move(flooding));
  });
  const std::uint32_t accesses = number("accesses");
  const address_layout& layout = machine.config().node.addresses;
  auto program = make_program([&](program_context& context) {
    const std::uint64_t to = layout.address_of(node_id{context.rank()}, flood_protocol::space, 0);
    for (std::uint32_t i = 0; i < accesses; ++i) context.store(to, context.random(1U << 20));
  });
  processing_element_config element = uncached_processor();
  element.turnaround = 1;
  node_programs programs(config, std::move(program), element);
  programs.elements().add_all(machine);
  constexpr cycle_t patience = 10'000'000;
  machine.run_until(patience);

  statistics_tree tree;
  machine.report(tree.root());
  flood_result found;
  for (std::uint32_t i = 0; i < config.nodes; ++i) {
    const std::string lane = "node." + std::to_string(i) + ".network_interface.request_lane.";
    found.queues += 2;
    found.full += tree.find(lane + "out.length.max") == number("out_depth") ? 1 : 0;
    found.full += tree.find(lane + "in.length.max") == number("in_depth") ? 1 : 0;
    const auto counted = [&](flood_protocol::count what) {
      return static_cast<double>(floods[i]->counted(machine.node(i).memory(), what));
    };
    found.sent += counted(flood_protocol::count::sent);
    found.served += counted(flood_protocol::count::served);
    found.replied += counted(flood_protocol::count::replied);
    found.sunk += counted(flood_protocol::count::sunk);
  }
  return found;
}

}  // namespace

std::vector<planned_row> flash_flood(const claims& flash) {
  const std::vector<std::pair<const char*, std::function<double(const flood_result&)>>> numbers{
      {"filled", [](const flood_result& at) { return at.full / at.queues; }},
      {"drained", [](const flood_result& at) { return at.served / at.sent; }},
      {"sunk", [](const flood_result& at) { return at.sunk / at.replied; }}};
  std::vector<planned_row> rows;
  for (const auto& [id, number] : numbers) {
    const family claim = flash[std::string("flash.V47.") + id];
    rows.push_back(measured_on_blocks(claim, {"nodes", "accesses", "out_depth", "in_depth"},
                                      [claim, one = number] { return one(flood(claim)); }));
  }
  return rows;
}

}  // namespace tributary::validation
