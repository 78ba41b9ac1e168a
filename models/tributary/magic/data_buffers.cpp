// SPDX-License-Identifier: Apache-2.0
#include <tributary/magic/data_buffers.h>
#include <tributary/magic/node_events.h>

#include <algorithm>
#include <bitset>

#include <fmt/format.h>

#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>
#include <tributary/sim/state_archive.h>
#include <tributary/trace/catalog.h>

namespace tributary {
namespace {

std::size_t number_of(buffer_claim claim) { return static_cast<std::size_t>(claim); }

}  // namespace

void data_buffers_config::bind(parameter_set& parameters) {
  using u32 = tributary::interval<std::uint32_t>;
  parameters.add("buffers", buffers, u32{1, 4096}, "buffers",
                 "Staging buffers of a line (FLASH 2.3.4: 16).");
  parameters.add("reply_reserve", reply_reserve, u32{0, 4095}, "buffers",
                 "Buffers that only arriving replies may take (not published; 0 can deadlock).");
  parameters.add("arrival_reserve", arrival_reserve, u32{0, 4095}, "buffers",
                 "More that only arriving messages may take (not published; 0 can deadlock).");
}

void data_buffers_config::validate() const {
  check_ranges(*this);
  const std::uint64_t reserved = std::uint64_t{reply_reserve} + arrival_reserve;
  if (reserved >= buffers) {
    throw configuration_error(
        {"data_buffers.reply_reserve", "",
         std::to_string(reserved) + " of " + std::to_string(buffers) +
             " buffers, data_buffers.arrival_reserve included, leave none to handlers",
         "0 to " + std::to_string(buffers - 1) + " buffers together",
         "lower them, or raise data_buffers.buffers"});
  }
}

data_buffers::data_buffers(const data_buffers_config& config, agenda& clockwork, node_id node)
    : config_((config.validate(), config)),
      agenda_(clockwork),
      node_(node),
      buffers_(config.buffers) {
  agenda_.enroll(*this);
}

void data_buffers::fail(payload_handle data, const std::string& problem) const {
  const std::string place =
      data == no_payload ? "" : fmt::format("data buffer {}: ", static_cast<unsigned>(data));
  throw simulation_error(
      fmt::format("node {}, cycle {}: {}{}", index(node_), agenda_.now(), place, problem));
}

void data_buffers::refuse_use(payload_handle data, const char* action) const {
  if (data == no_payload) fail(data, fmt::format("{} of no data buffer at all", action));
  if (static_cast<std::size_t>(data) >= buffers_.size()) {
    fail(data, fmt::format("{}, but there are {}", action, buffers_.size()));
  }
  fail(data, fmt::format("{}, but it is free", action));
}

void data_buffers::refuse_word(payload_handle data, std::size_t i, const char* action) const {
  fail(data, fmt::format("{}: there is no doubleword {}", action, i));
}

bool data_buffers::available(buffer_claim claim) const {
  const std::uint32_t kept = claim == buffer_claim::reply_arrival ? 0
                             : claim == buffer_claim::other_arrival
                                 ? config_.reply_reserve
                                 : config_.reply_reserve + config_.arrival_reserve;
  return config_.buffers - in_use_ > kept;
}

std::optional<payload_handle> data_buffers::allocate(buffer_claim claim, cycle_t now) {
  if (!available(claim)) {
    ++refused_[number_of(claim)];
    return std::nullopt;
  }
  const auto found = std::find_if(buffers_.begin(), buffers_.end(),
                                  [](const buffer& each) { return each.holders == 0; });
  found->holders = 1;
  found->leaving = 0;
  found->realigned = 0;
  found->taken = now;
  found->settled = 0;
  std::fill_n(found->valid.begin(), line_words(), never);
  ++in_use_;
  high_water_ = std::max(high_water_, in_use_);
  ++allocations_[number_of(claim)];
  const auto number = static_cast<std::size_t>(found - buffers_.begin());
  tell(node_events::buffer_taken, number, now);
  return payload_handle{static_cast<std::uint16_t>(number)};
}

void data_buffers::retain(payload_handle data) {
  buffer& one = buffers_[in_use(data, "it is retained")];
  if (one.holders == one.leaving) fail(data, "it is retained, but all holders have released it");
  ++one.holders;
}

void data_buffers::hand_over(payload_handle data) {
  buffer& one = buffers_[in_use(data, "it is sent")];
  if (one.holders == one.leaving) fail(data, "it is sent or released more often than it is held");
  ++one.leaving;
}

void data_buffers::release(payload_handle data, cycle_t at) {
  buffer& one = buffers_[in_use(data, "it is released")];
  if (one.holders == one.leaving) fail(data, "it is released more often than it is held");
  ++one.leaving;
  drop_holder_at(data, at);
}

void data_buffers::release_handed_over(payload_handle data, cycle_t at) {
  const buffer& one = buffers_[in_use(data, "it is released")];
  if (one.leaving == 0) fail(data, "it is released by a unit that does not hold it");
  drop_holder_at(data, at);
}

void data_buffers::drop_holder_at(payload_handle data, cycle_t at) {
  if (at < agenda_.now()) {
    --buffers_[static_cast<std::size_t>(data)].leaving;
    fail(data, "it is released in cycle " + std::to_string(at) + ", which has passed");
  }
  if (at == agenda_.now()) {
    drop_holder(static_cast<std::size_t>(data), at);
  } else {
    // First in the cycle, so that all who want a buffer in it find this one.
    agenda_.wake(*this, at, static_cast<std::uint64_t>(data), wake_rank::credit);
  }
}

void data_buffers::wake(cycle_t now, std::uint64_t number) {
  drop_holder(static_cast<std::size_t>(number), now);
}

void data_buffers::drop_holder(std::size_t number, cycle_t now) {
  buffer& one = buffers_[number];
  if (one.holders == 1 && one.settled > now) {
    agenda_.wake(*this, one.settled, number, wake_rank::credit);
    return;
  }
  --one.leaving;
  --one.holders;
  if (one.holders != 0) return;
  --in_use_;
  residency_.add(now - one.taken);
  tell(node_events::buffer_freed, number, now);
  const std::size_t first = next_listener_;
  if (!listeners_.empty()) next_listener_ = (first + 1) % listeners_.size();
  for (std::size_t i = 0; i < listeners_.size(); ++i) {
    listeners_[(first + i) % listeners_.size()]->buffer_freed(now);
  }
}

std::uint32_t data_buffers::holders(payload_handle data) const {
  const auto number = static_cast<std::size_t>(data);
  if (number >= buffers_.size()) fail(data, "there are " + std::to_string(buffers_.size()));
  return buffers_[number].holders;
}

void data_buffers::place_word(buffer& into, std::size_t i, word_t value, cycle_t valid) {
  const std::uint32_t bit = 1U << i;
  if ((into.realigned & bit) != 0) {
    ++wasted_words_;
    into.realigned &= ~bit;
  }
  into.words[i] = value;
  into.valid[i] = valid;
  if (valid != never) into.settled = std::max(into.settled, valid);
}

void data_buffers::set_word(payload_handle data, std::size_t i, word_t value, cycle_t valid) {
  constexpr const char* action = "a doubleword is set";
  buffer& one = buffers_[in_use(data, action)];
  check_word(data, i, action);
  place_word(one, i, value, valid);
}

void data_buffers::fill(payload_handle data, const line_data& words,
                        const memory_transfer& transfer, std::size_t first) {
  buffer& one = buffers_[in_use(data, "a line is filled in")];
  // As `place_word` of each, at once.
  const std::size_t line = line_words();
  const cycle_t step = transfer.step(line);
  wasted_words_.add(std::bitset<most_line_words>(one.realigned).count());
  one.realigned = 0;
  for (std::size_t i = 0; i < line; ++i) {
    one.words[i] = words[i];
    one.valid[i] = transfer.first + step * subblock_place(i, first);
  }
  one.settled = std::max(one.settled, transfer.first + step * (line - 1));
}

void data_buffers::fill_realigned(payload_handle a, payload_handle b, std::uint64_t offset,
                                  const line_data& words, const memory_transfer& transfer) {
  constexpr const char* action = "a line is filled in with a shift";
  buffer& first = buffers_[in_use(a, action)];
  buffer& second = buffers_[in_use(b, action)];
  const std::size_t line = line_words();
  if (offset >= line) {
    fail(a, fmt::format("a line is filled in with a shift of {} doublewords, not 0 to {}", offset,
                        line - 1));
  }
  ++realigned_loads_;
  const cycle_t step = transfer.step(line);
  for (std::size_t i = 0; i < line; ++i) {
    const bool is_beyond = offset + i >= line;
    if (is_beyond && a == b) {
      ++wasted_words_;
      continue;
    }
    buffer& into = is_beyond ? second : first;
    const std::size_t place = is_beyond ? offset + i - line : offset + i;
    place_word(into, place, words[i], transfer.first + step * i);
    into.realigned |= 1U << place;
  }
}

bool data_buffers::filled(payload_handle data, std::size_t i) const {
  return valid(data, i) != never;
}

cycle_t data_buffers::valid(payload_handle data, std::size_t i) const {
  constexpr const char* action = "a doubleword is awaited";
  const buffer& one = buffers_[in_use(data, action)];
  check_word(data, i, action);
  return one.valid[i];
}

word_t data_buffers::word(payload_handle data, std::size_t i) const {
  if (!filled(data, i)) {
    fail(data, "doubleword " + std::to_string(i) + " is taken out, but nothing fills it");
  }
  return buffers_[static_cast<std::size_t>(data)].words[i];
}

const line_data& data_buffers::words(payload_handle data) const {
  return buffers_[in_use(data, "its words are taken out")].words;
}

const line_stamps& data_buffers::stamps(payload_handle data) const {
  return buffers_[in_use(data, "its words are awaited")].valid;
}

cycle_t data_buffers::full(payload_handle data, std::size_t words) const {
  cycle_t last = 0;
  for (std::size_t i = 0; i < words; ++i) last = std::max(last, valid(data, i));
  return last;
}

cycle_t data_buffers::earliest_start(payload_handle data, std::size_t words,
                                     std::uint64_t numerator, std::uint64_t denominator,
                                     cycle_t not_before, std::size_t first) const {
  const line_stamps& there = stamps(data);
  if (words > line_words()) check_word(data, words - 1, "a stream is awaited");
  cycle_t start = not_before;
  // The i-th is needed i * numerator / denominator cycles later; one division does for all.
  const std::uint64_t step = numerator / denominator;
  const std::uint64_t step_rest = numerator % denominator;
  std::uint64_t needed = 0;
  std::uint64_t rest = 0;
  for (std::size_t i = 0; i < words; ++i) {
    const cycle_t valid = there[subblock_place(i, first)];
    if (valid == never) return never;
    if (valid > needed) start = std::max(start, valid - needed);
    needed += step;
    rest += step_rest;
    if (rest >= denominator) {
      rest -= denominator;
      ++needed;
    }
  }
  return start;
}

void data_buffers::add_listener(buffer_listener& listener) { listeners_.push_back(&listener); }

void data_buffers::trace(const trace_scope& scope) {
  const auto count = static_cast<std::uint32_t>(buffers_.size());
  trace_ = scope.below(name()).add({"", "buffer", count, {{"", {{"in_use"}}}}});
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    scope.hold(trace_, i, "in_use", buffers_[i].holders != 0 ? 1 : 0);
  }
}

void data_buffers::tell(const event_kind& kind, std::size_t number, cycle_t now) const {
  if (!trace_.on()) return;
  trace_event event;
  event.cycle = event.last = now;
  event.kind = &kind;
  trace_.add(event, number);
}

void data_buffers::reset_statistics() {
  for (counter& each : allocations_) each.reset();
  for (counter& each : refused_) each.reset();
  high_water_ = in_use_;
  reset_all(residency_, realigned_loads_, wasted_words_);
}

void data_buffers::report(statistics_group& group, std::uint64_t) const {
  struct named {
    buffer_claim claim;
    const char* name;
    const char* purpose;
  };
  constexpr std::array<named, buffer_claims> claims = {
      {{buffer_claim::reply_arrival, "reply_arrival", "for messages of the reply lane"},
       {buffer_claim::other_arrival, "other_arrival", "for messages of the other lanes"},
       {buffer_claim::processor, "processor", "for writes of the processor"},
       {buffer_claim::handler, "handler", "for handlers that asked, or ahead of them"}}};
  for (const named& each : claims) {
    group.group("allocated")
        .add(each.name, allocations_[number_of(each.claim)], "buffers",
             std::string("Buffers allocated ") + each.purpose + ".");
  }
  for (const named& each : claims) {
    group.group("refused").add(each.name, refused_[number_of(each.claim)], "buffers",
                               std::string("Buffers refused ") + each.purpose + ".");
  }
  group.add("high_water", high_water_, "buffers", "Most buffers in use at once.");
  group.add("residency", residency_, "cycles", "From allocating a buffer to its being free.");
  group.add("realigned_loads", realigned_loads_, "lines", "Double-buffer loads.");
  group.add("wasted_words", wasted_words_, "doublewords",
            "Doublewords of double-buffer loads that were lost or overwritten in their buffer.");
}

std::string data_buffers::save() const { return save_state(*this); }

void data_buffers::restore(const std::string& state) {
  restore_state(state, *this);
  const auto used = std::count_if(buffers_.begin(), buffers_.end(),
                                  [](const buffer& each) { return each.holders != 0; });
  require_state(buffers_.size() == config_.buffers && in_use_ == static_cast<std::size_t>(used) &&
                    (listeners_.empty() || next_listener_ < listeners_.size()),
                "the data buffers in use are other ones");
}

}  // namespace tributary
