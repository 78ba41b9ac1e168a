// SPDX-License-Identifier: Apache-2.0
// Messages of Stache, and those that wait for room.
#include <fmt/format.h>

#include <tributary/protocols/stache/stache.h>
#include <tributary/sim/error.h>

namespace tributary {
namespace {

using message_type = stache_protocol::message_type;
using stache::put_off_word;

constexpr std::uint64_t bit(node_id node) { return std::uint64_t{1} << index(node); }

node_id first_of(std::uint64_t nodes) {
  std::uint32_t number = 0;
  while ((nodes >> number & 1) == 0) ++number;
  return node_id{number};
}

bool has_block(message_type type) {
  return type == message_type::given_to_read || type == message_type::given_to_write ||
         type == message_type::returned;
}

message_lane lane_of(message_type type) {
  return has_block(type) || type == message_type::invalidated ? message_lane::reply
                                                              : message_lane::request;
}

}  // namespace

void stache_protocol::send(handler_context& context, node_id to, message_type type,
                           const place& about) const {
  if (!try_send(context, to, type, about)) put_off(context, bit(to), type, about);
}

void stache_protocol::send(handler_context& context, std::uint64_t nodes, message_type type,
                           const place& about) const {
  while (nodes != 0 && try_send(context, first_of(nodes), type, about)) nodes &= nodes - 1;
  if (nodes != 0) put_off(context, nodes, type, about);
}

bool stache_protocol::try_send(handler_context& context, node_id to, message_type type,
                               const place& about) const {
  message sent = message_to(to, type, lane_of(type), about.address, 0);
  if (context.space(sent.over) == 0) return false;
  if (has_block(type)) {
    const std::optional<payload_handle> data = context.allocate();
    if (!data) return false;
    sent.data = *data;
    sent.length = places_.line.bytes();
    context.fill(sent.data, offset_of(about));
  }
  context.send(sent);
  return true;
}

void stache_protocol::put_off(handler_context& context, std::uint64_t nodes, message_type type,
                              const place& about) const {
  const word_t come = context.load(places_.put_off_come());
  const word_t gone = context.load(places_.put_off_gone());
  if (come - gone == places_.put_off) {
    throw simulation_error(fmt::format("a message about block {:#x} has no room, and {} wait",
                                       about.address, places_.put_off));
  }
  const std::uint64_t at = places_.put_off_message(come);
  context.store(at, put_off_word::type.put(put_off_word::address.put(0, about.address),
                                           static_cast<word_t>(type)));
  context.store(at + word_bytes, nodes);
  context.store(places_.put_off_come(), come + 1);
  if (come == gone) context.later(places_.put_off_record(), send_later_, message());
}

/// One message a time, as was promised to it.
void stache_protocol::send_later(handler_context& context) {
  context.spend(costs_.later);
  word_t gone = context.load(places_.put_off_gone());
  const std::uint64_t at = places_.put_off_message(gone);
  const word_t first = context.load(at);
  word_t nodes = context.load(at + word_bytes);
  const std::uint64_t address = put_off_word::address.in(first);
  const place about =
      is_home(context, address) ? home_place(context, address) : copy_place(context, address);
  if (try_send(context, first_of(nodes), static_cast<message_type>(put_off_word::type.in(first)),
               about)) {
    nodes &= nodes - 1;
    context.store(at + word_bytes, nodes);
    if (nodes == 0) context.store(places_.put_off_gone(), ++gone);
  }
  if (gone == context.load(places_.put_off_come())) {
    context.done();
  } else {
    context.again();
  }
}

}  // namespace tributary
