// SPDX-License-Identifier: Apache-2.0
#include <tributary/protocols/multi_send/multi_send.h>

#include <fmt/format.h>

#include <tributary/controller/cost_table.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

namespace tributary {
namespace {

// Of the protocol's storage: the record of the handler that is put off, and what it is at.
constexpr std::uint64_t posted_at = 64;     ///< frames that the host handed over
constexpr std::uint64_t sent_at = 72;       ///< frames that went to all their destinations
constexpr std::uint64_t place_at = 80;      ///< destinations that the next frame has gone to
constexpr std::uint64_t packet_at = 88;     ///< its payload
constexpr std::uint64_t entries_at = 96;    ///< of the receiver's queue, that were written
constexpr std::uint64_t received_at = 128;  ///< a word for each sender

enum class place : std::uint16_t { command, step, packet };

constexpr std::uint64_t whole_lines(std::uint64_t bytes) {
  return (bytes + most_line_bytes - 1) / most_line_bytes * most_line_bytes;
}

}  // namespace

void multi_send_costs::bind(parameter_set& parameters) {
  cost_binder add(parameters);
  add("transmit", transmit,
      "Each transmission, without its bytes (1.3958 us in cycles of 100 ps).");
  add("rewrite", rewrite,
      "The header for a further destination, while the packet goes to the one before (2.4 us).");
  add("list", list,
      "Finding that there is no further one, while the packet is transmitted (assumed).");
  add("receive", receive, "Each packet that comes, without its bytes (60 % of 4.282 us, assumed).");
}

void multi_send_config::bind(parameter_set& parameters) {
  using u32 = tributary::interval<std::uint32_t>;
  parameters.add("packet_bytes", packet_bytes, u32{32, 65528}, "bytes", "Of the longest packet.");
  parameters.add("frames", frames, u32{1, 256}, "frames", "That wait to be sent.");
  parameters.add("window", window, u32{1, multi_send_frame::most_credits}, "packets",
                 "Of each sender, for which a receiver has room.");
}

void multi_send_config::validate(std::uint32_t nodes) const {
  check_ranges(*this);
  const std::uint64_t slots = std::uint64_t{nodes} * window;
  if (slots > multi_send_entry::slot.limit() + 1) {
    throw configuration_error(
        {"window", "", fmt::format("{} packets of each of {} nodes", window, nodes),
         fmt::format("{} packets of all together", multi_send_entry::slot.limit() + 1),
         "lower it"});
  }
}

multi_send_protocol::multi_send_protocol(const multi_send_config& config,
                                         const multi_send_costs& costs)
    : config_((config.validate(1), config)), costs_(costs) {}

std::vector<dispatch_rule> multi_send_protocol::rules() const {
  dispatch_rule commanded;
  commanded.type = static_cast<std::uint8_t>(common_type::uncached_write);
  commanded.origin = message_origin::processor;
  commanded.where = locality::local;
  commanded.run = handler_id{static_cast<std::uint16_t>(place::command)};
  commanded.space = config_.command_space;
  dispatch_rule came;
  came.origin = message_origin::network;
  came.where = locality::local;
  came.run = handler_id{static_cast<std::uint16_t>(place::packet)};
  came.type = static_cast<std::uint8_t>(message_type::packet);
  dispatch_rule returned = came;
  returned.type = static_cast<std::uint8_t>(message_type::credits);
  return {commanded, came, returned};
}

std::vector<handler> multi_send_protocol::handlers() {
  return handlers_from<multi_send_protocol>(*this, {{"command", &multi_send_protocol::command},
                                                    {"step", &multi_send_protocol::step},
                                                    {"packet", &multi_send_protocol::packet}});
}

std::vector<message_name> multi_send_protocol::message_names() const {
  return {{static_cast<std::uint8_t>(message_type::packet), "multi_send_packet"},
          {static_cast<std::uint8_t>(message_type::credits), "multi_send_credits"}};
}

std::uint64_t multi_send_protocol::storage_bytes() const {
  constexpr std::uint64_t most_nodes = 256;
  return whole_lines(received_at + most_nodes * word_bytes) +
         config_.frames * config_.frame_bytes();
}

std::uint64_t multi_send_protocol::frames_at() const {
  return at(storage_bytes() - config_.frames * config_.frame_bytes());
}

multi_send_places multi_send_protocol::places() const { return {frames_at(), at(sent_at)}; }

void multi_send_protocol::initialize(const protocol_storage& where, word_memory& /*memory*/) {
  config_.validate(where.nodes);
  storage_ = where;
}

word_t multi_send_protocol::load(handler_context& context, std::uint64_t offset) const {
  return context.load(context.addresses().address_of(context.here(), 0, at(offset)));
}

void multi_send_protocol::store(handler_context& context, std::uint64_t offset,
                                word_t value) const {
  context.store(context.addresses().address_of(context.here(), 0, at(offset)), value);
}

// --- sending -------------------------------------------------------------------------------------

/// Frames go in order, so one handler that is put off sends them all.
void multi_send_protocol::command(handler_context& context) {
  const word_t posted = load(context, posted_at);
  store(context, posted_at, posted + 1);
  if (posted != load(context, sent_at)) return;
  const auto first = static_cast<std::uint16_t>(storage_.first_handler);
  const std::uint64_t record = context.addresses().address_of(context.here(), 0, at(0));
  context.later(
      record,
      handler_id{static_cast<std::uint16_t>(first + static_cast<std::uint16_t>(place::step))},
      context.arrived());
}

/// To one destination, with the packet that was fetched for the first.
void multi_send_protocol::step(handler_context& context) {
  const word_t place = load(context, place_at);
  const std::uint64_t frame = oldest_frame(context);
  const std::optional<payload_handle> data = packet_of(context, frame, place);
  if (!data) {
    context.spend(1);
    context.again();
    return;
  }
  const word_t control = context.load(frame);
  const bool is_last = place + 1 >= multi_send_frame::count.in(control);
  context.spend(costs_.transmit);
  if (!is_last) context.retain(*data);
  send_to(context, control,
          static_cast<std::uint32_t>(destination_of(context, frame, control, place)), *data);
  if (is_last) {
    context.spend(costs_.list);
    end_frame(context);
    return;
  }
  store(context, packet_at, static_cast<word_t>(*data));
  store(context, place_at, place + 1);
  context.spend(costs_.rewrite);
  context.again();
}

/// The address of the next frame to be sent.
std::uint64_t multi_send_protocol::oldest_frame(handler_context& context) const {
  const word_t sent = load(context, sent_at);
  return context.addresses().address_of(context.here(), 0, frames_at()) +
         sent % config_.frames * config_.frame_bytes();
}

/// Fetched for the first destination; nothing if there is no buffer.
std::optional<payload_handle> multi_send_protocol::packet_of(handler_context& context,
                                                             std::uint64_t frame,
                                                             word_t place) const {
  if (place != 0) return payload_handle{static_cast<std::uint16_t>(load(context, packet_at))};
  const std::optional<payload_handle> data = context.allocate();
  if (data) context.fill(*data, frame + multi_send_frame::control_bytes);
  return data;
}

void multi_send_protocol::end_frame(handler_context& context) const {
  const word_t sent = load(context, sent_at) + 1;
  store(context, place_at, 0);
  store(context, sent_at, sent);
  if (sent == load(context, posted_at)) {
    context.done();
  } else {
    context.again();
  }
}

word_t multi_send_protocol::destination_of(handler_context& context, std::uint64_t frame,
                                           word_t control, std::uint64_t place) {
  if (place == 0) return multi_send_frame::first.in(control);
  const std::uint64_t further = place - 1;
  const word_t word = context.load(frame + word_bytes * (1 + further / multi_send_frame::in_word));
  return word >> (16 * (further % multi_send_frame::in_word)) & 0xffff;
}

void multi_send_protocol::send_to(handler_context& context, word_t control,
                                  std::uint32_t destination, payload_handle data) const {
  const node_id to{static_cast<std::uint32_t>(multi_send_frame::node.in(destination))};
  const word_t length = multi_send_frame::length.in(control);
  const auto type = length == 0 ? message_type::credits : message_type::packet;
  const std::uint64_t credits = multi_send_frame::credits.in(destination);
  message sent =
      message_to(to, type, message_lane::request, context.addresses().address_of(to, 0, credits),
                 multi_send_frame::tag.in(control));
  // Credits alone travel with a doubleword, in whose payload the receiver makes its entry.
  sent.length = length == 0 ? word_bytes : static_cast<std::uint32_t>(length);
  sent.data = data;
  context.send(sent);
}

// --- receiving -----------------------------------------------------------------------------------

void multi_send_protocol::packet(handler_context& context) {
  namespace entry = multi_send_entry;
  const message& came = context.arrived();
  const bool only_credits = came.type == static_cast<std::uint8_t>(message_type::credits);
  word_t word = entry::source.put(0, index(came.source));
  word = entry::tag.put(word, came.aux);
  word = entry::credits.put(word, context.addresses().offset_of(came.address));
  word = entry::is_there.put(word, 1);
  context.spend(costs_.receive);
  if (only_credits) {
    tell_host(context, entry::only_credits.put(word, 1), came.data);
    return;
  }
  const std::uint64_t counted = received_at + word_bytes * index(came.source);
  const word_t number = load(context, counted);
  store(context, counted, number + 1);
  const std::uint64_t slot = index(came.source) * config_.window + number % config_.window;
  word = entry::length.put(word, came.length);
  word = entry::slot.put(word, slot);
  if (config_.whole_payloads) clear_rest(context);
  context.spill(came.data,
                context.addresses().address_of(
                    context.here(), config_.queue_space,
                    config_.queue_at + config_.packets_at(storage_.nodes) + slot * config_.unit()));
  context.settle();
  tell_host(context, word, came.data);
}

void multi_send_protocol::clear_rest(handler_context& context) const {
  const message& came = context.arrived();
  for (std::size_t i = words_of(came.length); i < words_of(config_.packet_bytes); ++i) {
    context.set_word(came.data, i, 0);
  }
}

/// The entry is in memory behind the packet.
void multi_send_protocol::tell_host(handler_context& context, word_t entry,
                                    payload_handle data) const {
  const word_t number = load(context, entries_at);
  store(context, entries_at, number + 1);
  context.set_word(data, 0, entry);
  context.spill_word(data, 0,
                     context.addresses().address_of(
                         context.here(), config_.queue_space,
                         config_.queue_at + number % config_.entries(storage_.nodes) * word_bytes));
  context.settle();
}

}  // namespace tributary
