// SPDX-License-Identifier: Apache-2.0
#include "remote_fetch_add.h"

#include <tributary/controller/record.h>

namespace example {

using namespace tributary;

// [state]
namespace {
// What a node remembers: the read that waits, by its tag + 1, or else the result.
constexpr record_field reader{"reader", 0, 8};
constexpr record_field finished{"finished", 1, 1};
constexpr record_field result{"result", 8, 64};
}  // namespace
// [end]

// [handlers]
namespace {

word_t fetch_and_add(handler_context& node) {
  node.spend(6);
  const message& with = node.arrived();
  const word_t old = node.load(with.address);
  node.store(with.address, old + node.word(with.data, 0));
  return old;
}

void ask_home(handler_context& node) {
  node.spend(5);
  message request = node.arrived();  // with its payload, the addend
  request.type = remote_fetch_add::add;
  request.destination = node.addresses().node_of(request.address);
  node.send(request);
}

void add_for_another(handler_context& node) {
  message reply = node.arrived();
  node.set_word(reply.data, 0, fetch_and_add(node));
  reply.type = remote_fetch_add::added;
  reply.over = message_lane::reply;
  reply.destination = reply.source;
  node.send(reply);
}

}  // namespace

void remote_fetch_add::deliver(handler_context& node, word_t old) const {
  node.spend(4);
  record state(node, state_);
  if (const word_t waiting = state.get(reader); waiting != 0) {
    state.set(reader, 0);
    return node.answer(static_cast<std::uint8_t>(waiting - 1), old);
  }
  state.set(result, old);
  state.set(finished, 1);
}

void remote_fetch_add::read_result(handler_context& node) const {
  node.spend(4);
  record state(node, state_);
  if (state.get(finished) == 0) return state.set(reader, node.keep_read() + 1);
  state.set(finished, 0);
  node.answer(state.get(result));
}

std::vector<handler> remote_fetch_add::handlers() {
  return {{"ask_home", ask_home},
          {"add_here", [this](handler_context& node) { deliver(node, fetch_and_add(node)); }},
          {"add_for_another", add_for_another},
          {"take_reply",
           [this](handler_context& node) { deliver(node, node.word(node.arrived().data, 0)); }},
          {"read_result", [this](handler_context& node) { read_result(node); }}};
}
// [end]

// [rules]
std::vector<dispatch_rule> remote_fetch_add::rules() const {
  const auto read = static_cast<std::uint8_t>(common_type::uncached_read);
  const auto write = static_cast<std::uint8_t>(common_type::uncached_write);
  return {{write, message_origin::processor, locality::remote, handler_id{0}, space},
          {write, message_origin::processor, locality::local, handler_id{1}, space},
          {add, message_origin::network, locality::local, handler_id{2}},
          {added, message_origin::network, locality::any, handler_id{3}},
          {read, message_origin::processor, locality::any, handler_id{4}, space}};
}
// [end]

}  // namespace example
