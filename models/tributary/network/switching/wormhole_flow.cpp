// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/switching/wormhole_flow.h>

#include <algorithm>
#include <string>
#include <utility>

#include <tributary/sim/error.h>
#include <tributary/sim/state_archive.h>

namespace tributary {
namespace {

// Wake-ups: a channel to look at, or else a packet whose head asks.
constexpr std::uint64_t of_channel = std::uint64_t{1} << 32U;

}  // namespace

void wormhole_config::validate() const {
  if (hop_cycles != 0 && buffer_flits >= hop_cycles) return;
  throw configuration_error(
      {"network.buffer_flits", "",
       "a buffer of " + std::to_string(buffer_flits) + " flits is shorter than the " +
           std::to_string(hop_cycles) + " cycles of a hop",
       "at least the cycles of a hop, which are 1 or more", "make the buffer longer"});
}

// --- cycles of flits -----------------------------------------------------------------------------

void wormhole_flow::crossings::settle() {
  std::sort(rises.begin(), rises.end(), [](const rise& a, const rise& b) {
    return a.flit != b.flit ? a.flit < b.flit : a.at > b.at;
  });
  std::size_t kept = 0;
  for (const rise& each : rises) {
    const rise* const last = kept == 0 ? nullptr : &rises[kept - 1];
    if (last != nullptr && each.at <= last->at + (each.flit - last->flit)) continue;
    rises[kept++] = each;
  }
  rises.resize(kept);
}

cycle_t wormhole_flow::crossings::of(std::uint32_t flit) const {
  const auto behind =
      std::upper_bound(rises.begin(), rises.end(), flit,
                       [](std::uint32_t wanted, const rise& each) { return wanted < each.flit; });
  const rise& last = *(behind - 1);
  return last.at + (flit - last.flit);
}

// --- from outside --------------------------------------------------------------------------------

wormhole_flow::wormhole_flow(agenda& time, const wormhole_config& config, std::uint32_t channels,
                             wormhole_receiver& receiver, std::vector<std::uint32_t> switch_of)
    : agenda_(time),
      config_((config.validate(), config)),
      receiver_(receiver),
      channels_(channels) {
  agenda_.enroll(*this);
  if (config_.header_cycles == 0) return;
  if (switch_of.size() != channels) {
    throw error("a switch that gives its channels to one head at a time needs the switch of each");
  }
  switch_of_ = std::move(switch_of);
  for (std::uint32_t c = 0; c < channels; ++c) {
    const std::uint32_t by = switch_of_[c];
    if (by == no_switch) continue;
    if (by >= arbiters_.size()) arbiters_.resize(by + 1);
    arbiters_[by].channels.push_back(c);
  }
}

std::uint32_t wormhole_flow::send(std::uint32_t flits, std::vector<std::uint32_t> route,
                                  cycle_t now) {
  if (unused_.empty()) {
    unused_.push_back(static_cast<std::uint32_t>(packets_.size()));
    packets_.emplace_back();
  }
  const std::uint32_t number = unused_.back();
  unused_.pop_back();
  packet& made = packets_[number];
  made = {};
  made.flits = flits;
  made.sequence = sent_++;
  made.route = std::move(route);
  made.asked = true;
  ++under_way_;
  agenda_.wake(*this, now, number, wake_rank::arrival);
  return number;
}

std::optional<std::uint32_t> wormhole_flow::waits_for(std::uint32_t number) const {
  const packet& of = packets_[number];
  if (of.hops.size() == of.route.size()) return std::nullopt;
  const std::uint32_t next = of.route[of.hops.size()];
  const std::vector<std::uint32_t>& heads = channels_[next].waiting;
  if (std::find(heads.begin(), heads.end(), number) == heads.end()) return std::nullopt;
  return next;
}

std::optional<std::uint32_t> wormhole_flow::holder(std::uint32_t which) const {
  return channels_[which].holder;
}

std::optional<wormhole_flow::block_of_head> wormhole_flow::block_of(std::uint32_t number) const {
  const packet& of = packets_[number];
  const std::size_t crossed = of.hops.size();
  if (crossed == of.route.size()) return std::nullopt;
  if (const std::optional<std::uint32_t> next = waits_for(number)) {
    const channel& wanted = channels_[*next];
    if (wanted.holder) return block_of_head{*wanted.holder, next};
    // The channel is free, and its buffer full.
    if (wanted.stream.empty()) return std::nullopt;
    return block_of_head{wanted.stream.front().number, next};
  }
  if (crossed == 0 || of.asked) return std::nullopt;
  const channel& behind = channels_[of.route[crossed - 1]];
  const std::size_t place = place_in(behind, number);
  if (place == 0) return std::nullopt;
  return block_of_head{behind.stream[place - 1].number, std::nullopt};
}

std::vector<std::uint32_t> wormhole_flow::circle() const {
  // By packet: the walk that came to it, of those from each packet.
  std::vector<std::uint32_t> walks(packets_.size());
  for (std::uint32_t first = 0; first < packets(); ++first) {
    std::uint32_t at = first;
    while (walks[at] == 0) {
      walks[at] = first + 1;
      const std::optional<block_of_head> next = block_of(at);
      if (!next) break;
      at = next->packet;
      if (walks[at] != first + 1) continue;
      std::vector<std::uint32_t> found;
      const std::uint32_t begin = at;
      do {
        const block_of_head each = *block_of(at);
        if (each.channel) found.push_back(*each.channel);
        at = each.packet;
      } while (at != begin);
      return found;
    }
  }
  return {};
}

std::string wormhole_flow::save() const { return save_state(*this); }

void wormhole_flow::restore(const std::string& state) {
  const std::size_t channels = channels_.size();
  const std::vector<header_arbiter> before = arbiters_;
  restore_state(state, *this);
  require_state(channels_.size() == channels && arbiters_.size() == before.size(),
                "the network has other channels");
  for (std::size_t a = 0; a < before.size(); ++a) arbiters_[a].channels = before[a].channels;
}

// --- heads ---------------------------------------------------------------------------------------

void wormhole_flow::wake(cycle_t now, std::uint64_t tag) {
  const auto number = static_cast<std::uint32_t>(tag);
  if ((tag & of_channel) != 0) {
    look_at(number, now);
    return;
  }
  packet& of = packets_[number];
  const std::uint32_t next = of.route[of.hops.size()];
  of.asked_at = now;
  std::vector<std::uint32_t>& heads = channels_[next].waiting;
  const auto behind = std::find_if(heads.begin(), heads.end(), [&](std::uint32_t each) {
    return packets_[each].asked_at == now && packets_[each].sequence > of.sequence;
  });
  heads.insert(behind, number);
  // Behind all that ask in this cycle.
  agenda_.wake(*this, now, of_channel | next, wake_rank::inside);
}

void wormhole_flow::look_at(std::uint32_t which, cycle_t now) {
  if (!switch_of_.empty() && switch_of_[which] != no_switch) {
    arbitrate(arbiters_[switch_of_[which]], now);
    return;
  }
  channel& here = channels_[which];
  if (here.waiting.empty() || here.holder) return;
  const std::optional<cycle_t> room = room_at_end(here);
  if (!room) return;
  const cycle_t possible = std::max(here.free_at, *room);
  if (possible > now) {
    agenda_.wake(*this, possible, of_channel | which, wake_rank::inside);
    return;
  }
  cross(here.waiting.front(), now);
}

void wormhole_flow::arbitrate(header_arbiter& of, cycle_t now) {
  if (of.free_at > now) {
    look_again(of, of.free_at);
    return;
  }
  std::optional<std::uint32_t> next;
  std::uint32_t fewest_turns = 0;
  cycle_t later = never;
  for (const std::uint32_t which : of.channels) {
    const std::optional<cycle_t> possible = can_be_given(channels_[which]);
    if (!possible) continue;
    if (*possible > now) {
      later = std::min(later, *possible);
      continue;
    }
    for (const std::uint32_t head : channels_[which].waiting) {
      // Turns go round as unsigned numbers do.
      const std::uint32_t turns = input_of(head) - of.last_input - 1;
      if (next && turns >= fewest_turns) continue;
      next = head;
      fewest_turns = turns;
    }
  }
  if (next) {
    of.free_at = now + config_.header_cycles;
    of.last_input = input_of(*next);
    cross(*next, now);
    later = of.free_at;
  }
  if (later != never) look_again(of, later);
}

void wormhole_flow::look_again(header_arbiter& of, cycle_t at) {
  if (of.wakes_at == at) return;
  of.wakes_at = at;
  agenda_.wake(*this, at, of_channel | of.channels.front(), wake_rank::inside);
}

/// What leaves a buffer in this cycle makes room in the next: all arbiters decide at once.
std::optional<cycle_t> wormhole_flow::can_be_given(const channel& which) const {
  if (which.waiting.empty() || which.holder) return std::nullopt;
  const std::optional<cycle_t> room = room_at_end(which);
  if (!room) return std::nullopt;
  return std::max(which.free_at, *room == 0 ? 0 : *room + 1);
}

std::uint32_t wormhole_flow::input_of(std::uint32_t number) const {
  const packet& of = packets_[number];
  return of.hops.empty() ? 0 : of.route[of.hops.size() - 1] + 1;
}

void wormhole_flow::cross(std::uint32_t number, cycle_t now) {
  packet& of = packets_[number];
  const std::size_t hop = of.hops.size();
  channel& here = channels_[of.route[hop]];
  here.waiting.erase(std::find(here.waiting.begin(), here.waiting.end(), number));
  here.holder = number;
  of.asked = false;
  of.hops.emplace_back();
  of.hops.back().add(1, now);
  if (!is_last(of, hop)) {
    here.stream.push_back({number, hop});
    ++of.streams;
  }
  receiver_.head_crosses(number, hop, now);
  ask_for_next(number, now);
  spread(number, now);
}

void wormhole_flow::ask_for_next(std::uint32_t number, cycle_t now) {
  packet& of = packets_[number];
  if (of.asked || of.hops.empty() || of.hops.size() == of.route.size()) return;
  const std::size_t hop = of.hops.size() - 1;
  const channel& behind = channels_[of.route[hop]];
  cycle_t at = of.hops[hop].rises.front().at + config_.hop_cycles;
  const std::size_t place = place_in(behind, number);
  if (place != 0) {
    const stream_entry& before = behind.stream[place - 1];
    const packet& other = packets_[before.number];
    if (other.tails <= before.hop + 1) return;
    at = std::max(at, other.hops[before.hop + 1].of(other.flits) + 1);
  }
  of.asked = true;
  agenda_.wake(*this, std::max(at, now), number, wake_rank::arrival);
}

// --- what follows --------------------------------------------------------------------------------

void wormhole_flow::spread(std::uint32_t number, cycle_t now) {
  to_update_.push_back(number);
  packets_[number].queued = true;
  while (!to_update_.empty()) {
    const std::uint32_t next = to_update_.back();
    to_update_.pop_back();
    packets_[next].queued = false;
    update(next, now);
  }
}

void wormhole_flow::update(std::uint32_t number, cycle_t now) {
  packet& of = packets_[number];
  const std::vector<std::uint32_t>& route = of.route;
  const std::size_t crossed = of.hops.size();
  for (std::size_t hop = crossed; hop-- != 0;) {
    if (of.hops[hop].known != of.flits) of.hops[hop] = crossings_of(number, hop);
  }
  while (of.tails < crossed && of.hops[of.tails].known == of.flits) {
    release(number, of.tails++, now);
  }
  for (std::size_t hop = 0; hop < crossed && hop + 1 < route.size(); ++hop) {
    channel& behind = channels_[route[hop]];
    const std::size_t place = place_in(behind, number);
    for (std::size_t next = place + 1; next < behind.stream.size(); ++next) {
      packet& other = packets_[behind.stream[next].number];
      if (other.queued || other.tails > behind.stream[next].hop) continue;
      other.queued = true;
      to_update_.push_back(behind.stream[next].number);
    }
    if (!behind.waiting.empty()) {
      agenda_.wake(*this, now, of_channel | route[hop], wake_rank::inside);
    }
  }
  // Not before: who is told of a tail may send, and would get the number. A route of one channel
  // stands in no stream, from which `forget` would take it.
  if (route.size() == 1 && of.tails == 1) unused_.push_back(number);
  for (std::size_t hop = 0; hop < crossed; ++hop) forget(channels_[route[hop]]);
}

void wormhole_flow::release(std::uint32_t number, std::size_t hop, cycle_t now) {
  packet& of = packets_[number];
  const std::uint32_t which = of.route[hop];
  channel& here = channels_[which];
  here.holder.reset();
  const cycle_t tail = of.hops[hop].of(of.flits) + 1;
  here.free_at = tail + config_.gap_cycles;
  if (!here.waiting.empty()) {
    agenda_.wake(*this, std::max(here.free_at, now), of_channel | which, wake_rank::inside);
  }
  if (hop != 0) {
    // The next packet in the buffer that this one leaves.
    const channel& left = channels_[of.route[hop - 1]];
    const std::size_t place = place_in(left, number);
    if (place + 1 < left.stream.size()) {
      const stream_entry& behind = left.stream[place + 1];
      if (packets_[behind.number].hops.size() == behind.hop + 1) ask_for_next(behind.number, now);
    }
  }
  if (is_last(of, hop)) --under_way_;
  receiver_.tail_crossed(number, hop, tail);
}

wormhole_flow::crossings wormhole_flow::crossings_of(std::uint32_t number, std::size_t hop) const {
  const packet& of = packets_[number];
  crossings made;
  made.known = of.flits;
  made.add(1, of.hops[hop].rises.front().at);
  if (is_last(of, hop)) return made;
  std::uint32_t next_known = 0;
  if (hop + 1 < of.hops.size()) {
    const crossings& next = of.hops[hop + 1];
    next_known = next.known;
    for (const crossings::rise& each : next.rises) {
      if (each.flit <= next_known && each.flit + buffer() <= of.flits) {
        made.add(each.flit + buffer(), each.at);
      }
    }
  }
  made.known = std::min(made.known, buffer() + next_known);
  add_room(number, hop, made);
  made.settle();
  return made;
}

void wormhole_flow::add_room(std::uint32_t number, std::size_t hop, crossings& to) const {
  const packet& of = packets_[number];
  const channel& here = channels_[of.route[hop]];
  std::uint32_t between = 0;  // flits of packets between the two
  for (std::size_t place = place_in(here, number); place-- != 0 && between < buffer();) {
    const stream_entry& entry = here.stream[place];
    const std::uint32_t flits = packets_[entry.number].flits;
    const std::uint32_t back = between + flits;
    const crossings* const leaves = leaving(entry);
    const std::uint32_t known = leaves == nullptr ? 0 : leaves->known;
    // Flit j takes the place of flit back + j - buffer of the other.
    const std::uint32_t first = back >= buffer() ? 1 : buffer() - back + 1;
    if (first <= of.flits) {
      if (known < flits) {
        const std::uint32_t reach = known + buffer() > back ? known + buffer() - back : 0;
        to.known = std::min(to.known, std::max(reach, first - 1));
      }
      const std::uint32_t other = back + first - buffer();
      if (other <= known) to.add(first, leaves->of(other));
      for (std::size_t i = 0; leaves != nullptr && i < leaves->rises.size(); ++i) {
        const crossings::rise& each = leaves->rises[i];
        if (each.flit <= other || each.flit > known) continue;
        if (each.flit + buffer() - back <= of.flits) {
          to.add(each.flit + buffer() - back, each.at);
        }
      }
    }
    between = back;
  }
}

std::optional<cycle_t> wormhole_flow::room_at_end(const channel& where) const {
  std::uint32_t back = 0;
  for (std::size_t place = where.stream.size(); place-- != 0;) {
    const stream_entry& entry = where.stream[place];
    back += packets_[entry.number].flits;
    if (back < buffer()) continue;
    const crossings* const leaves = leaving(entry);
    const std::uint32_t flit = back + 1 - buffer();
    if (leaves == nullptr || flit > leaves->known) return std::nullopt;
    return leaves->of(flit);
  }
  return 0;
}

const wormhole_flow::crossings* wormhole_flow::leaving(const stream_entry& entry) const {
  const packet& of = packets_[entry.number];
  return entry.hop + 1 < of.hops.size() ? &of.hops[entry.hop + 1] : nullptr;
}

std::size_t wormhole_flow::place_in(const channel& where, std::uint32_t number) const {
  const auto found = std::find_if(where.stream.begin(), where.stream.end(),
                                  [&](const stream_entry& each) { return each.number == number; });
  return static_cast<std::size_t>(found - where.stream.begin());
}

void wormhole_flow::forget(channel& where) {
  while (!where.stream.empty()) {
    const packet& front = packets_[where.stream.front().number];
    if (front.tails <= where.stream.front().hop + 1) return;
    std::uint32_t settled = 0;
    for (std::size_t i = 1; i < where.stream.size() && settled < buffer(); ++i) {
      const packet& each = packets_[where.stream[i].number];
      if (each.tails <= where.stream[i].hop) break;
      settled += each.flits;
    }
    if (settled < buffer()) return;
    const std::uint32_t number = where.stream.front().number;
    where.stream.pop_front();
    packet& left = packets_[number];
    if (--left.streams == 0 && left.tails == left.route.size()) unused_.push_back(number);
  }
}

}  // namespace tributary
