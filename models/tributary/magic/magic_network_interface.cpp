// SPDX-License-Identifier: Apache-2.0
#include <tributary/magic/magic_network_interface.h>
#include <tributary/magic/node_events.h>

#include <algorithm>
#include <optional>
#include <string>

#include <fmt/format.h>

#include <tributary/controller/operation_message.h>
#include <tributary/network/message_network.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>
#include <tributary/sim/state_archive.h>
#include <tributary/trace/catalog.h>

namespace tributary {
namespace {

// Wake-ups, the lane in the bits above.
constexpr std::uint64_t evaluation = 0;
constexpr std::uint64_t place_free = 1;
constexpr std::uint64_t network_room = 2;
constexpr std::uint64_t arrival = 3;
constexpr std::uint64_t own_arrival = 4;
constexpr std::uint64_t shows = 5;
constexpr unsigned lane_shift = 3;
constexpr std::uint64_t kind_mask = (1U << lane_shift) - 1;

constexpr std::size_t reply_lane = static_cast<std::size_t>(message_lane::reply);

const char* lane_name(std::size_t lane) { return name_of(static_cast<message_lane>(lane)); }

/// The network knows nothing of what stays within a node.
message header_of(const message& sent) {
  message header = sent;
  header.origin = message_origin::network;
  header.flavor = 0;
  header.process = 0;
  header.tag = 0;
  header.data = no_payload;
  return header;
}

/// What a lane's queue counts in either direction.
template <class Lane>
void report_messages(statistics_group& into, const Lane& lane, const char* meaning) {
  into.add("messages", lane.messages, "messages", meaning);
  into.add("payload", lane.payload_bytes, "bytes", "Payload of these messages.");
  into.add("length", lane.length, "messages",
           "Length of the queue as each message found it, itself included.");
}

}  // namespace

void magic_network_interface_config::bind(parameter_set& parameters) {
  using u32 = interval<std::uint32_t>;
  parameters.add("out_depth", out_depth, u32{1, 4096}, "messages",
                 "Depth of the outgoing queue of a lane (not published; 8, of which a handler may "
                 "not count on 2, is the least for the six lines at once of Figure 5.9).");
  parameters.add("own_depth", own_depth, u32{1, 4096}, "messages",
                 "Places of an input queue for messages of the node to itself (not published; 4 is "
                 "proposed).");
  parameters.add("outbound", outbound, u32{0, 1000}, "cycles",
                 "From the outbox until a head may leave (not published; 4 is calibration).");
  parameters.add("inbound", inbound, u32{0, 1000}, "cycles",
                 "From a head's arrival until the inbox sees the message (not published; 8 is "
                 "calibration).");
  parameters.add("reply_first", reply_first,
                 "Whether the reply lane has the link first; else the lanes take turns.");
}

magic_network_interface::magic_network_interface(const magic_network_interface_config& config,
                                                 agenda& when, node_id here, network_port& network,
                                                 message_pool& messages, data_buffers& buffers)
    : config_((check_ranges(config), config)),
      agenda_(when),
      here_(here),
      network_(network),
      messages_(messages),
      buffers_(buffers) {
  require_order(network.reorder_window(), "the protocols of MAGIC");
  for (std::size_t lane = 0; lane < message_lanes; ++lane) {
    inputs_[lane].owner_ = this;
    inputs_[lane].lane_ = lane;
    out_[lane].lengths = histogram(1, std::size_t{config_.out_depth} + 1);
  }
  agenda_.enroll(*this);
  buffers_.add_listener(*this);
}

void magic_network_interface::push(const message& header, cycle_t from) {
  const std::size_t lane = lane_index(header.over);
  if (lane >= network_.lanes()) {
    fail(
        fmt::format("a message of type {} was sent over the {} lane, and the network has {} lanes; "
                    "raise network.lanes",
                    header.type, lane_name(lane), network_.lanes()));
  }
  out_lane& out = out_[lane];
  if (out.used >= config_.out_depth) {
    fail(
        fmt::format("a message of type {} for node {} was sent over the {} lane, whose queue of {} "
                    "is full (rule D1: no send without space)",
                    header.type, index(header.destination), lane_name(lane), config_.out_depth));
  }
  if (header.length != 0) {
    if (header.data == no_payload) {
      fail(fmt::format("a message of type {} has a payload of {} bytes and no data buffer",
                       header.type, header.length));
    }
    for (std::size_t i = 0; i < words_of(header.length); ++i) {
      if (buffers_.valid(header.data, i) == never) {
        fail(fmt::format(
            "a message of type {} was sent with data buffer {}, whose doubleword {} nothing fills",
            header.type, static_cast<unsigned>(header.data), i));
      }
    }
    buffers_.hand_over(header.data);
  }
  leaving entry;
  entry.header = header;
  entry.pushed = agenda_.now();
  entry.from = from + config_.outbound;
  out.queue.push(entry);
  ++out.used;
  ++out.messages;
  out.payload_bytes.add(header.length);
  out.length.add(out.used);
  out.lengths.add(out.used);
  if (out.used == config_.out_depth) ++out.full;
  evaluate_at(entry.from);
}

std::uint32_t magic_network_interface::space(message_lane over) const {
  return config_.out_depth - out_[lane_index(over)].used;
}

void magic_network_interface::room(std::uint8_t over, cycle_t at) {
  agenda_.wake(*this, at, network_room | std::uint64_t{over} << lane_shift, wake_rank::credit);
}

void magic_network_interface::arrive(const network_transfer& transfer, cycle_t head, cycle_t tail) {
  link_passage passage;
  const bool is_operation = transfer.operation.is != operation_part::none;
  passage.cargo = is_operation ? messages_.put(operation_message(transfer)) : transfer.cargo;
  passage.head = head;
  passage.tail = tail;
  passage.lane = transfer.lane;
  arrivals_.push(passage);
  agenda_.wake(*this, head, arrival, wake_rank::arrival);
}

void magic_network_interface::buffer_freed(cycle_t now) {
  if (give_buffers(now)) notify_change(now);
}

bool magic_network_interface::idle() const {
  for (std::size_t lane = 0; lane < message_lanes; ++lane) {
    if (!out_[lane].queue.empty() || !in_[lane].queue.empty()) return false;
  }
  return arrivals_.empty() && own_arrivals_.empty();
}

void magic_network_interface::wake(cycle_t now, std::uint64_t wakeup) {
  const auto lane = static_cast<std::size_t>(wakeup >> lane_shift);
  switch (wakeup & kind_mask) {
    case evaluation:
      if (evaluation_ == now) evaluation_ = never;
      evaluate(now);
      break;
    case place_free:
      --out_[lane].used;
      notify_change(now);
      break;
    case network_room:
      evaluate_at(now);
      break;
    case arrival:
    case own_arrival: {
      fifo<link_passage>& from = (wakeup & kind_mask) == arrival ? arrivals_ : own_arrivals_;
      const link_passage passage = from.front();
      if (passage.head != now)
        fail("the network delivers messages in another order than they arrive");
      from.pop();
      enter(passage, now);
      break;
    }
    default:
      notify_change(now);
      break;
  }
}

void magic_network_interface::evaluate_at(cycle_t at) {
  if (at >= evaluation_) return;
  evaluation_ = at;
  agenda_.wake(*this, at, evaluation);
}

void magic_network_interface::evaluate(cycle_t now) {
  cycle_t next = never;
  for (const bool own : {false, true}) {
    std::size_t& turn = own ? own_turn_ : turn_;
    std::optional<std::size_t> goes;
    for (std::size_t i = 0; i < message_lanes; ++i) {
      const std::size_t lane = (turn + i) % message_lanes;
      if (!leads(lane, own) || earliest(lane, own, now) != now) continue;
      if (!goes || (config_.reply_first && lane == reply_lane)) goes = lane;
    }
    if (goes) {
      // A reply that went first does not cost the others their turn.
      if (!config_.reply_first || *goes != reply_lane) turn = (*goes + 1) % message_lanes;
      depart(*goes, own, now);
    }
  }
  for (const bool own : {false, true}) {
    for (std::size_t lane = 0; lane < message_lanes; ++lane) {
      if (leads(lane, own)) next = std::min(next, earliest(lane, own, now));
    }
  }
  if (next != never) evaluate_at(next);
}

// Whether the head of a lane leaves by the path within the node, or by the network.
bool magic_network_interface::leads(std::size_t lane, bool own) const {
  const fifo<leaving>& queue = out_[lane].queue;
  return !queue.empty() && (queue.front().header.destination == here_) == own;
}

// The first cycle from `now` on in which the head of a lane may leave as far as is known; `never`
// if something will evaluate again.
cycle_t magic_network_interface::earliest(std::size_t lane, bool own, cycle_t now) const {
  const leaving& head = out_[lane].queue.front();
  cycle_t at = std::max(now, head.from);
  std::uint64_t cycles = 0;
  if (own) {
    if (in_[lane].from_own >= config_.own_depth) return never;
    at = std::max(at, own_free_);
    cycles = words_of(head.header.length);
  } else {
    at = std::max(at, network_.free_at());
    if (at == now && !network_.ready(static_cast<std::uint8_t>(lane), now)) return never;
    cycles = network_.wire_cycles(head.header.length);
  }
  const std::size_t words = words_of(head.header.length);
  if (words == 0) return at;
  return buffers_.earliest_start(head.header.data, words, cycles, words, at,
                                 first_word(head.header));
}

std::size_t magic_network_interface::first_word(const message& header) const {
  const line_size line = buffers_.config().line;
  return header.length == line.bytes() ? line.word(header.address) : 0;
}

void magic_network_interface::depart(std::size_t lane, bool own, cycle_t now) {
  out_lane& out = out_[lane];
  const leaving head = out.queue.front();
  out.queue.pop();
  out.wait.add(now - head.pushed);
  agenda_.wake(*this, now + 1, place_free | lane << lane_shift, wake_rank::credit);

  const std::uint64_t bytes = head.header.length;
  const std::size_t words = words_of(head.header.length);
  const std::uint64_t cycles =
      own ? std::max<std::uint64_t>(words, 1) : network_.wire_cycles(bytes);
  network_transfer transfer;
  const std::uint64_t cargo = carry(head.header, own, transfer.operation);
  if (words != 0) buffers_.release_handed_over(head.header.data, now + cycles);

  if (trace_.on()) {
    trace_.add(node_events::event_of(node_events::departed, now, now + cycles - 1, head.header),
               lane);
  }
  if (own) {
    own_free_ = now + cycles;
    ++in_[lane].from_own;
    link_passage passage;
    passage.cargo = cargo;
    passage.head = now + 1;
    passage.tail = now + 1 + cycles;
    passage.lane = lane;
    passage.own = true;
    own_arrivals_.push(passage);
    // Behind what comes from the network in that cycle, whichever was known first.
    agenda_.wake(*this, passage.head, own_arrival, wake_rank::processor);
  } else {
    transfer.source = here_;
    transfer.destination = head.header.destination;
    transfer.lane = static_cast<std::uint8_t>(lane);
    transfer.bytes = static_cast<std::uint32_t>(bytes);
    transfer.cargo = cargo;
    network_.send(transfer, now);
  }
}

std::uint64_t magic_network_interface::carry(const message& header, bool own,
                                             network_operation& operation) {
  const std::uint64_t cargo = messages_.put(header_of(header));
  line_data& travels = messages_.at(cargo).words;
  for (std::size_t i = 0; i < words_of(header.length); ++i) {
    travels[i] = buffers_.word(header.data, i);
  }
  if (own || !network_.combines()) return cargo;
  operation = operation_of(header, travels);
  if (operation.is != operation_part::none) messages_.remove(cargo);
  return cargo;
}

void magic_network_interface::enter(const link_passage& passage, cycle_t now) {
  in_lane& in = in_[passage.lane];
  const network_message& came = messages_.at(passage.cargo);
  arrived_message entry;
  entry.header = came.header;
  entry.passage = passage;
  entry.visible = now + config_.inbound;
  entry.waits_for_buffer = came.header.length != 0;
  if (!entry.waits_for_buffer) messages_.remove(passage.cargo);
  in.queue.push_back(entry);
  ++in.messages;
  in.payload_bytes.add(entry.header.length);
  in.length.add(in.queue.size());
  give_buffers(now);
  if (trace_.on()) {
    trace_.add(node_events::event_of(node_events::arrived, passage.head, passage.tail - 1,
                                     in.queue.back().header),
               message_lanes + passage.lane);
  }
  agenda_.wake(*this, entry.visible, shows);
}

void magic_network_interface::trace(const trace_scope& scope) {
  track_group group;
  group.parts.clear();
  for (const char* direction : {"out.", "in."}) {
    for (std::size_t lane = 0; lane < message_lanes; ++lane) {
      group.parts.push_back({std::string(direction) + lane_name(lane), {{"message", true}}});
    }
  }
  trace_ = scope.below(name()).add(std::move(group));
}

bool magic_network_interface::give_buffers(cycle_t now) {
  bool given = false;
  while (waits(reply_lane) && give_buffer(reply_lane, buffer_claim::reply_arrival, now))
    given = true;
  while (true) {
    // Of the other lanes the oldest message; it gets one, or none does.
    std::optional<std::size_t> oldest;
    for (std::size_t lane = 0; lane < message_lanes; ++lane) {
      if (lane == reply_lane || !waits(lane)) continue;
      if (!oldest || first_waiting(lane).passage.head < first_waiting(*oldest).passage.head) {
        oldest = lane;
      }
    }
    if (!oldest || !give_buffer(*oldest, buffer_claim::other_arrival, now)) return given;
    given = true;
  }
}

bool magic_network_interface::waits(std::size_t lane) {
  in_lane& in = in_[lane];
  while (in.settled < in.queue.size() && !in.queue[in.settled].waits_for_buffer) ++in.settled;
  return in.settled < in.queue.size();
}

bool magic_network_interface::give_buffer(std::size_t lane, buffer_claim claim, cycle_t now) {
  const std::optional<payload_handle> buffer = buffers_.allocate(claim, now);
  if (!buffer) return false;
  arrived_message& entry = first_waiting(lane);
  const std::size_t words = words_of(entry.header.length);
  const std::uint64_t cycles = entry.passage.tail - entry.passage.head;
  const network_message& came = messages_.at(entry.passage.cargo);
  for (std::size_t i = 0; i < words; ++i) {
    // What came before there was a buffer follows at a word a cycle.
    const cycle_t came_in = entry.passage.head + i * cycles / words + config_.inbound;
    const std::size_t word = subblock_place(i, first_word(entry.header));
    buffers_.set_word(*buffer, word, came.words[word], std::max(came_in, now + i));
  }
  messages_.remove(entry.passage.cargo);
  entry.header.data = *buffer;
  entry.waits_for_buffer = false;
  in_[lane].buffer_wait.add(now - entry.passage.head);
  return true;
}

const message* magic_network_interface::front(std::size_t lane, cycle_t now) {
  const in_lane& in = in_[lane];
  if (in.settled == 0 || in.queue.front().visible > now) return nullptr;
  return &in.queue.front().header;
}

message magic_network_interface::take(std::size_t lane, cycle_t now) {
  if (front(lane, now) == nullptr) {
    fail(fmt::format("a message was taken from the {} lane, which shows none", lane_name(lane)));
  }
  in_lane& in = in_[lane];
  const arrived_message taken = in.queue.front();
  in.queue.pop_front();
  --in.settled;
  in.wait.add(now - taken.visible);
  if (taken.passage.own) {
    --in.from_own;
    evaluate_at(now);
  } else {
    network_.give_back(static_cast<std::uint8_t>(lane), now);
  }
  return taken.header;
}

void magic_network_interface::fail(const std::string& problem) const {
  throw simulation_error(fmt::format("network interface of node {} in cycle {}: {}", index(here_),
                                     agenda_.now(), problem));
}

void magic_network_interface::reset_statistics() {
  for (out_lane& out : out_) {
    reset_all(out.messages, out.payload_bytes, out.full, out.length, out.lengths, out.wait);
  }
  for (in_lane& in : in_) {
    reset_all(in.messages, in.payload_bytes, in.length, in.wait, in.buffer_wait);
  }
}

void magic_network_interface::report(statistics_group& group, std::uint64_t) const {
  for (std::size_t lane = 0; lane < message_lanes; ++lane) {
    statistics_group& of_lane = group.group(std::string(lane_name(lane)) + "_lane");
    const out_lane& out = out_[lane];
    statistics_group& sent = of_lane.group("out");
    report_messages(sent, out, "Messages that handlers sent.");
    sent.add("length_distribution", out.lengths, "messages", "Distribution of the length.");
    sent.add("full", out.full, "events", "Times that the queue became full.");
    sent.add("wait", out.wait, "cycles", "From the send until the head left.");
    const in_lane& in = in_[lane];
    statistics_group& received = of_lane.group("in");
    report_messages(received, in, "Messages that arrived.");
    received.add("buffer_wait", in.buffer_wait, "cycles",
                 "From a head's arrival until its payload had a buffer.");
    received.add("wait", in.wait, "cycles",
                 "From the cycle in which the inbox could see a message until it took it.");
  }
}

std::string magic_network_interface::save() const { return save_state(*this); }

void magic_network_interface::restore(const std::string& state) {
  restore_state(state, *this);
  for (std::size_t lane = 0; lane < message_lanes; ++lane) {
    require_state(out_[lane].queue.size() <= out_[lane].used &&
                      out_[lane].used <= config_.out_depth &&
                      in_[lane].settled <= in_[lane].queue.size(),
                  "a queue of the network interface has another depth");
  }
  require_state(turn_ < message_lanes && own_turn_ < message_lanes, "a lane does not exist");
  for (const fifo<link_passage>* from : {&arrivals_, &own_arrivals_}) {
    for (std::size_t i = 0; i < from->size(); ++i) {
      require_state((*from)[i].lane < message_lanes, "a lane does not exist");
    }
  }
}

}  // namespace tributary
