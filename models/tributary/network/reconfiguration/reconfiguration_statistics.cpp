// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/reconfiguration/reconfiguration_statistics.h>

#include <algorithm>
#include <numeric>
#include <string>

namespace tributary {

const char* name_of(discard_cause cause) {
  constexpr std::array<const char*, discard_causes> names = {"unreachable", "failed", "emptied",
                                                             "closed", "timed_out"};
  return names[static_cast<std::size_t>(cause)];
}

std::uint64_t discard_counts::lost() const {
  return std::accumulate(by_cause.begin(), by_cause.end(), std::uint64_t{0}) -
         of(discard_cause::unreachable);
}

std::uint64_t control_counts::all() const {
  return std::accumulate(messages.begin(), messages.end(), std::uint64_t{0});
}

delivery_window& reconfiguration_statistics::window_of(cycle_t now) {
  const auto number = static_cast<std::size_t>((std::max(now, from_) - from_) / window_cycles_);
  if (series_.size() <= number) series_.resize(number + 1);
  return series_[number];
}

void reconfiguration_statistics::count_delivery(cycle_t latency, cycle_t now) {
  delivery_window& window = window_of(now);
  ++window.messages;
  window.latency += latency;
  if (last_delivery_ != never) {
    const cycle_t gap = now - last_delivery_;
    longest_gap_ = std::max(longest_gap_, gap);
    if (!records_.empty() && last_delivery_ <= records_.back().finished &&
        now >= records_.back().changed) {
      records_.back().stall = std::max(records_.back().stall, gap);
    }
  }
  last_delivery_ = now;
}

void reconfiguration_statistics::count_discard(discard_cause cause, cycle_t now) {
  ++discards_.by_cause[static_cast<std::size_t>(cause)];
  ++window_of(now).discards;
}

void reconfiguration_statistics::count_control(control_kind kind, std::uint64_t flits) {
  ++control_.messages[static_cast<std::size_t>(kind)];
  control_.flits += flits;
}

void reconfiguration_statistics::begin(cycle_t changed, cycle_t detected) {
  reconfiguration_record record;
  record.changed = changed;
  record.detected = detected;
  record.begun = 1;
  records_.push_back(record);
}

void reconfiguration_statistics::reset(cycle_t now) {
  // What is going on goes on.
  if (!records_.empty() && records_.back().finished == never) {
    records_.erase(records_.begin(), records_.end() - 1);
  } else {
    records_.clear();
  }
  from_ = now + 1;
  last_delivery_ = never;
  longest_gap_ = 0;
  discards_ = {};
  control_ = {};
  series_.clear();
}

void reconfiguration_statistics::report(statistics_group& group) const {
  average cycles;
  average stalls;
  for (const reconfiguration_record& each : records_) {
    if (each.finished == never) continue;
    cycles.add(each.cycles());
    stalls.add(each.stall);
  }
  group.add("cycles", cycles, "cycles", "From a change's detection to the last new table.");
  group.add("stall", stalls, "cycles", "Longest time of each without a delivery.");
  group.add("longest_gap", static_cast<double>(longest_gap_), "cycles",
            "Longest time between two deliveries.");
  statistics_group& discards = group.group("discards");
  discards.add("lost", static_cast<double>(discards_.lost()), "messages",
               "Messages that were discarded, but for hosts that cannot be reached.");
  for (std::size_t c = 0; c < discard_causes; ++c) {
    const auto cause = static_cast<discard_cause>(c);
    discards.add(name_of(cause), static_cast<double>(discards_.of(cause)), "messages",
                 "Messages that were discarded for this cause.");
  }
  statistics_group& control = group.group("control");
  for (std::size_t k = 0; k < control_kinds; ++k) {
    const auto kind = static_cast<control_kind>(k);
    control.add(name_of(kind), static_cast<double>(control_.of(kind)), "messages",
                "Control messages of this kind, on each link.");
  }
  control.add("flits", static_cast<double>(control_.flits), "flits",
              "Of control messages, on each link.");
}

}  // namespace tributary
