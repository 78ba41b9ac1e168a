// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/switching/fabric_network.h>

#include <algorithm>
#include <array>
#include <utility>

#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>
#include <tributary/sim/state_archive.h>

namespace tributary {
namespace {

// Wake-ups: what happens, above the number of a message, input or output.
enum class fabric_wakeup : std::uint8_t {
  whole_at_input,
  input,
  head,
  heads,
  whole_at_output,
  output,
  empty
};
constexpr unsigned wakeup_bits = 32;

constexpr std::uint64_t tag_of(fabric_wakeup what, std::uint64_t number) {
  return std::uint64_t{static_cast<std::uint8_t>(what)} << wakeup_bits | number;
}

void refuse_of_fabric(bool wanted, const char* key, const char* problem, const char* allowed) {
  if (!wanted) return;
  throw configuration_error(
      {key, "", problem, allowed, "change it, or choose another network.kind"});
}

const message_network_config& checked_for_fabric(const message_network_config& config,
                                                 const fabric_config& fabric,
                                                 const network_graph* graph) {
  if (graph == nullptr) throw error("a fabric was made without a graph; give it one");
  fabric_network::validate(config, fabric, graph->hosts());
  return config;
}

}  // namespace

void fabric_config::bind(parameter_set& parameters) {
  using u32 = tributary::interval<std::uint32_t>;
  parameters.add("unit_bytes", unit_bytes, u32{1, 65536}, "bytes",
                 "Payload of the units in which messages cross (69 of 72 are derived from Chen and "
                 "Wyckoff's Table 2).");
  parameters.add(
      "header_bytes", header_bytes, u32{0, 4096}, "bytes",
      "With ports: of what is around a payload, so much crosses the fabric with it (20 to "
      "23 fit Chen and Wyckoff's Table 4).");
  parameters.add("unit_cycles", unit_cycles, u32{1, 1000}, "cycles",
                 "From one unit of an input or output to the next.");
  parameters.add("exit_cycles", exit_cycles, u32{0, 100000}, "cycles",
                 "What a message to another line card takes in addition to links (derived from "
                 "Table 1).");
  parameters.add("connection_buffers", connection_buffers, u32{1, 65536}, "messages",
                 "Messages of a lane that the fabric holds from one host for another; further ones "
                 "wait where they enter.");
  parameters.add("ports", ports,
                 "Whether hosts have links of network.bandwidth to their line cards, which keep "
                 "whole messages; if not, they send and receive units.");
}

void fabric_network::validate(const message_network_config& config, const fabric_config& fabric,
                              std::uint32_t hosts) {
  config.validate_for_graph(hosts);
  check_ranges(fabric);
  refuse_of_fabric(config.base_latency < 3, "network.base_latency",
                   "a fabric takes a message, sends it across and lets it out", "3 or more");
  refuse_of_fabric(config.router_latency != 0, "network.router_latency",
                   "the times of a fabric are network.base_latency, exit_cycles and hop_latency",
                   "0");
  refuse_of_fabric(config.router_buffer_bytes != 0, "network.router_buffer_bytes",
                   "a fabric counts messages", "0");
  refuse_of_fabric(config.endpoint_buffer_bytes != 0, "network.endpoint_buffer_bytes",
                   "a fabric counts messages", "0");
  refuse_of_fabric(config.reorder_window != 0, "network.reorder_window",
                   "messages of a fabric keep their order", "0");
}

fabric_network::fabric_network(const message_network_config& config, const fabric_config& fabric,
                               std::shared_ptr<const network_graph> graph)
    : message_network(checked_for_fabric(config, fabric, graph.get()),
                      graph == nullptr ? 0 : graph->hosts()),
      fabric_(fabric),
      graph_(std::move(graph)),
      distances_(*graph_),
      inputs_(nodes()),
      outputs_(nodes()) {
  agenda_.enroll(*this);
  watched_.nodes = nodes();
  for (input& each : inputs_) each.behind = places_.add(lanes(), config.router_buffers, 0);
  for (output& each : outputs_) {
    each.behind = places_.add(lanes(), config.endpoint_buffers, 0);
    each.held.resize(lanes());
  }
}

// --- times ---------------------------------------------------------------------------------------

std::uint64_t fabric_network::wire_cycles(std::uint64_t bytes) const {
  return fabric_.ports ? config_.wire_cycles(bytes) : fabric_.cycles_of(bytes);
}

std::uint64_t fabric_network::fabric_cycles(std::uint64_t bytes) const {
  if (!fabric_.ports) return fabric_.cycles_of(bytes);
  return fabric_.cycles_of(fabric_.header_bytes +
                           std::max<std::uint64_t>(bytes, config_.least_payload));
}

std::uint32_t fabric_network::hops(node_id from, node_id to) const {
  return distances_(card_of(from), card_of(to));
}

std::uint64_t fabric_network::head_cycles(node_id from, node_id to) const {
  const std::uint64_t links = hops(from, to);
  const std::uint64_t outside = links == 0 ? 0 : fabric_.exit_cycles + links * config_.hop_latency;
  return config_.base_latency + outside;
}

cycle_t fabric_network::least_latency(node_id from, node_id to, std::uint32_t bytes) const {
  const std::uint64_t kept = wire_cycles(bytes) + fabric_cycles(bytes);
  return head_cycles(from, to) + (fabric_.ports ? kept : 0);
}

// --- in ------------------------------------------------------------------------------------------

bool fabric_network::ready(node_id node, std::uint8_t lane, cycle_t now) const {
  const input& in = inputs_[index(node)];
  return in.link_free <= now && places_.fits(in.behind, lane, 0, now);
}

cycle_t fabric_network::place_at(node_id node, std::uint8_t lane) const {
  const link_places::extent& behind = inputs_[index(node)].behind;
  return places_.fits(behind, lane, 0, now()) ? now() : places_.fits_at(behind, lane, 0);
}

void fabric_network::send(const network_transfer& transfer, cycle_t now) {
  check_transfer(transfer, now);
  const std::uint32_t number = new_message();
  flying_message& message = messages_[number];
  message = {};
  message.transfer = transfer;
  message.sent = now;
  if (transfer.everyone) {
    message.left = copies();
    message.transfer.destination = transfer.source;
    message.next_copy = next_receiver(message, 0);
  }
  ++under_way_;
  input& in = inputs_[index(transfer.source)];
  const cycle_t tail = now + wire_cycles(transfer.bytes);
  in.link_free = tail + gap();
  places_.take(in.behind, transfer.lane, 0, now);
  tell(link_kind::injection, transfer, now, in.link_free);
  // A cycle of `base_latency` is over.
  agenda_.wake(*this, (fabric_.ports ? tail : now) + 1,
               tag_of(fabric_wakeup::whole_at_input, number), wake_rank::arrival);
}

std::uint32_t fabric_network::new_message() {
  if (unused_.empty()) {
    unused_.push_back(static_cast<std::uint32_t>(messages_.size()));
    messages_.emplace_back();
  }
  const std::uint32_t number = unused_.back();
  unused_.pop_back();
  return number;
}

void fabric_network::wake_input(std::uint32_t node, cycle_t at) {
  input& in = inputs_[node];
  if (in.wake_at <= at) return;
  in.wake_at = at;
  agenda_.wake(*this, at, tag_of(fabric_wakeup::input, node), wake_rank::inside);
}

void fabric_network::wake_output(std::uint32_t node, cycle_t at) {
  output& out = outputs_[node];
  if (out.wake_at <= at) return;
  out.wake_at = at;
  agenda_.wake(*this, at, tag_of(fabric_wakeup::output, node), wake_rank::inside);
}

void fabric_network::wake(cycle_t now, std::uint64_t tag) {
  const auto number = static_cast<std::uint32_t>(tag);
  switch (static_cast<fabric_wakeup>(tag >> wakeup_bits)) {
    case fabric_wakeup::whole_at_input: {
      const std::uint32_t node = index(messages_[number].transfer.source);
      inputs_[node].waiting.push_back(number);
      wake_input(node, std::max(now, inputs_[node].fabric_free));
      return;
    }
    case fabric_wakeup::input:
      look_at_input(number, now);
      return;
    case fabric_wakeup::head: {
      const std::uint32_t node = index(messages_[number].transfer.destination);
      std::vector<std::uint32_t>& heads = outputs_[node].heads;
      heads.push_back(number);
      if (heads.size() == 1) agenda_.wake(*this, now, tag_of(fabric_wakeup::heads, node));
      return;
    }
    case fabric_wakeup::heads:
      take_heads(number, now);
      return;
    case fabric_wakeup::whole_at_output: {
      const std::uint32_t node = index(messages_[number].transfer.destination);
      outputs_[node].waiting.push_back(number);
      wake_output(node, std::max(now, outputs_[node].link_free));
      return;
    }
    case fabric_wakeup::output:
      look_at_output(number, now);
      return;
    case fabric_wakeup::empty:
      buffer_is_empty(number, now);
      return;
  }
}

void fabric_network::look_at_input(std::uint32_t node, cycle_t now) {
  input& in = inputs_[node];
  if (in.wake_at > now) return;  // asked for again since
  in.wake_at = never;
  if (in.waiting.empty()) return;
  if (in.fabric_free > now) {
    wake_input(node, in.fabric_free);
    return;
  }
  const std::size_t place = next_to_enter(in);
  if (place == in.waiting.size()) return;  // a buffer that becomes empty will tell
  enter(node, place, now);
  if (!in.waiting.empty()) wake_input(node, in.fabric_free);
}

/// Nothing overtakes a message for everyone in its lane. Of one connection nothing overtakes
/// either: where the older has no buffer, the younger has none.
std::size_t fabric_network::next_to_enter(const input& in) const {
  std::array<bool, most_network_lanes> stands{};
  for (std::size_t i = 0; i < in.waiting.size(); ++i) {
    const flying_message& each = messages_[in.waiting[i]];
    const std::uint8_t lane = each.transfer.lane;
    if (stands[lane]) continue;
    if (has_buffer(in, each)) return i;
    stands[lane] = each.transfer.everyone;
  }
  return in.waiting.size();
}

bool fabric_network::has_buffer(const input& in, const flying_message& message) const {
  const network_transfer& what = message.transfer;
  const node_id to = what.everyone ? node_id{message.next_copy} : what.destination;
  const auto used = in.used.find(connection(to, what.lane));
  return used == in.used.end() || used->second < fabric_.connection_buffers;
}

void fabric_network::enter(std::uint32_t node, std::size_t place, cycle_t now) {
  input& in = inputs_[node];
  const std::uint32_t number = next_copy_of(in.waiting[place]);
  const network_transfer transfer = messages_[number].transfer;
  in.fabric_free = now + fabric_cycles(transfer.bytes);
  ++in.used[connection(transfer.destination, transfer.lane)];
  // A cycle of it is over, and one remains at the output.
  agenda_.wake(*this, now + head_cycles(transfer.source, transfer.destination) - 2,
               tag_of(fabric_wakeup::head, number), wake_rank::arrival);
  const bool is_last = !transfer.everyone || messages_[in.waiting[place]].next_copy == nodes();
  if (!is_last) return;
  in.waiting.erase(in.waiting.begin() + static_cast<std::ptrdiff_t>(place));
  places_.free(in.behind, transfer.lane, 0, in.fabric_free);
  if (endpoint(transfer.source) != nullptr) {
    endpoint(transfer.source)->room(transfer.lane, in.fabric_free);
  }
}

std::uint32_t fabric_network::next_copy_of(std::uint32_t number) {
  if (!messages_[number].transfer.everyone) return number;
  const std::uint32_t copy = new_message();
  flying_message& original = messages_[number];
  messages_[copy] = original;
  messages_[copy].transfer.destination = node_id{original.next_copy};
  messages_[copy].original = number;
  original.next_copy = next_receiver(original, original.next_copy + 1);
  return copy;
}

std::uint32_t fabric_network::next_receiver(const flying_message& message,
                                            std::uint32_t after) const {
  const bool is_left_out = !config_.broadcast_self && after == index(message.transfer.source);
  return is_left_out ? after + 1 : after;
}

// --- out -----------------------------------------------------------------------------------------

void fabric_network::take_heads(std::uint32_t node, cycle_t now) {
  output& out = outputs_[node];
  std::vector<std::uint32_t> heads = std::exchange(out.heads, {});
  // A node has sent one of them at most.
  std::sort(heads.begin(), heads.end(), [this](std::uint32_t a, std::uint32_t b) {
    return messages_[a].transfer.source < messages_[b].transfer.source;
  });
  for (const std::uint32_t number : heads) {
    queued_.add(out.waiting.size());
    if (fabric_.ports) {
      out.fabric_free =
          std::max(now, out.fabric_free) + fabric_cycles(messages_[number].transfer.bytes);
      agenda_.wake(*this, out.fabric_free, tag_of(fabric_wakeup::whole_at_output, number));
    } else {
      out.waiting.push_back(number);
      wake_output(node, std::max(now, out.link_free));
    }
  }
}

void fabric_network::look_at_output(std::uint32_t node, cycle_t now) {
  output& out = outputs_[node];
  if (out.wake_at > now) return;  // asked for again since
  out.wake_at = never;
  if (out.link_free > now) {
    if (!out.waiting.empty()) wake_output(node, out.link_free);
    return;
  }
  const auto next = std::find_if(out.waiting.begin(), out.waiting.end(), [&](std::uint32_t each) {
    return places_.fits(out.behind, messages_[each].transfer.lane, 0, now);
  });
  if (next == out.waiting.end()) {
    wake_when_one_may_leave(node, now);
    return;
  }
  const std::uint32_t number = *next;
  out.waiting.erase(next);
  leave(number, now);
  if (!out.waiting.empty()) wake_output(node, out.link_free);
}

/// A node that has just given a place back may have done so before the message was here;
/// `give_back` wakes the output of others.
void fabric_network::wake_when_one_may_leave(std::uint32_t node, cycle_t now) {
  const output& out = outputs_[node];
  cycle_t earliest = never;
  for (const std::uint32_t each : out.waiting) {
    const std::uint8_t lane = messages_[each].transfer.lane;
    earliest = std::min(earliest, places_.next_empty(out.behind, lane, now));
  }
  if (earliest != never) wake_output(node, earliest);
}

void fabric_network::leave(std::uint32_t number, cycle_t now) {
  const flying_message message = messages_[number];
  const network_transfer& transfer = message.transfer;
  const std::uint32_t node = index(transfer.destination);
  output& out = outputs_[node];
  const cycle_t tail = now + wire_cycles(transfer.bytes);
  out.link_free = tail + gap();
  ++out.held[transfer.lane];
  places_.take(out.behind, transfer.lane, 0, now);
  agenda_.wake(*this, tail, tag_of(fabric_wakeup::empty, number), wake_rank::credit);
  const cycle_t head = now + 1;
  const cycle_t latency = head - message.sent;
  count_copy(transfer, latency,
             latency - least_latency(transfer.source, transfer.destination, transfer.bytes));
  hops_.add(hops(transfer.source, transfer.destination));
  const bool is_last = !transfer.everyone || --messages_[message.original].left == 0;
  if (is_last) {
    count_message(transfer);
    --under_way_;
  }
  if (is_last && transfer.everyone) {
    ++broadcasts_;
    unused_.push_back(message.original);
  }
  tell(link_kind::ejection, transfer, head, out.link_free + 1);
  deliver(transfer, head, now);
}

void fabric_network::buffer_is_empty(std::uint32_t number, cycle_t now) {
  const network_transfer& transfer = messages_[number].transfer;
  const std::uint32_t node = index(transfer.source);
  unused_.push_back(number);
  const auto used = inputs_[node].used.find(connection(transfer.destination, transfer.lane));
  if (--used->second == 0) inputs_[node].used.erase(used);
  if (!inputs_[node].waiting.empty()) wake_input(node, std::max(now, inputs_[node].fabric_free));
}

void fabric_network::give_back(node_id node, std::uint8_t lane, cycle_t now) {
  check_node(node, lane, now);
  output& out = outputs_[index(node)];
  if (out.held[lane] == 0) {
    fail(now, lane_of_node(node, lane) + " gives back a place although it holds no message");
  }
  --out.held[lane];
  places_.free(out.behind, lane, 0, now + 1);
  if (!out.waiting.empty()) wake_output(index(node), std::max(now + 1, out.link_free));
}

void fabric_network::tell(link_kind kind, const network_transfer& transfer, cycle_t from,
                          cycle_t last) const {
  if (watched_.observers.empty()) return;
  link_event crossed;
  crossed.cycle = from;
  crossed.last = last;
  crossed.kind = kind;
  const bool is_in = kind == link_kind::injection;
  const node_id node = is_in ? transfer.source : transfer.destination;
  const node_id card{index(card_of(node))};
  crossed.from = is_in ? node : card;
  crossed.to = is_in ? card : node;
  crossed.number = is_in ? index(node) : nodes() + index(node);
  crossed.transfer = transfer;
  watched_.observers.notify(crossed);
}

// --- what is seen --------------------------------------------------------------------------------

std::vector<network_transfer> fabric_network::waiting() const {
  std::vector<network_transfer> all;
  for (const input& each : inputs_) {
    for (const std::uint32_t number : each.waiting) all.push_back(messages_[number].transfer);
  }
  for (const output& each : outputs_) {
    for (const std::uint32_t number : each.waiting) all.push_back(messages_[number].transfer);
  }
  return all;
}

void fabric_network::reset_statistics() {
  by_lane_.assign(lanes(), {});
  reset_all(hops_, queued_, broadcasts_);
}

void fabric_network::report(statistics_group& group, std::uint64_t) const {
  report_lanes(group);
  group.add("hops", hops_, "links", "Links between line cards that a message crossed.");
  group.add("queued", queued_, "messages",
            "That waited at the output of a message as its head came there.");
  if (config_.broadcast) {
    group.add("broadcasts", broadcasts_, "messages",
              "Messages for everyone of which each node had its copy.");
  }
}

std::string fabric_network::save() const { return save_state(agenda_.save(), save_state(*this)); }

void fabric_network::restore(const std::string& state) {
  const std::size_t lanes_before = by_lane_.size();
  const std::size_t places_before = places_.size();
  std::string wakeups;
  std::string own;
  restore_state(state, wakeups, own);
  restore_state(own, *this);
  const auto has_lanes = [&](const std::vector<std::uint32_t>& all) {
    return all.size() == lanes_before;
  };
  const auto exist = [this](const std::vector<std::uint32_t>& all) {
    return std::all_of(all.begin(), all.end(),
                       [this](std::uint32_t number) { return number < messages_.size(); });
  };
  require_state(inputs_.size() == nodes() && outputs_.size() == nodes() &&
                    places_.size() == places_before && places_.consistent() &&
                    by_lane_.size() == lanes_before,
                "the network has another shape");
  for (const input& each : inputs_) {
    require_state(exist(each.waiting), "a message that waits does not exist");
  }
  for (const output& each : outputs_) {
    require_state(has_lanes(each.held) && exist(each.heads) && exist(each.waiting),
                  "an output has another shape");
  }
  for (const flying_message& each : messages_) {
    require_state(index(each.transfer.source) < nodes() &&
                      index(each.transfer.destination) < nodes() && each.transfer.lane < lanes() &&
                      each.next_copy <= nodes() && each.original < messages_.size(),
                  "a message is nowhere in the network");
  }
  agenda_.restore(wakeups);
}

}  // namespace tributary
