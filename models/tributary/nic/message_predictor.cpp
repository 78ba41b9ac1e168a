// SPDX-License-Identifier: Apache-2.0
#include <tributary/nic/message_predictor.h>

#include <algorithm>

#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>
#include <tributary/sim/state_archive.h>

namespace tributary {

void message_predictor_config::bind(parameter_set& parameters) {
  using u32 = tributary::interval<std::uint32_t>;
  parameters.add_choice(
      "kind", kind,
      {{"none", predictor_kind::none},
       {"lru", predictor_kind::lru},
       {"fifo", predictor_kind::fifo},
       {"lfu", predictor_kind::lfu},
       {"tag", predictor_kind::tag},
       {"single_cycle", predictor_kind::single_cycle},
       {"tag_cycle", predictor_kind::tag_cycle},
       {"tag_better_cycle", predictor_kind::tag_better_cycle}},
      "Which message is predicted: one of a window of messages (lru, fifo, lfu), the last with the "
      "same tag, or the next of a cycle: of all messages, of those of a tag, or with cycles kept "
      "(Afsahi and Dimopoulos).");
  parameters.add("window", window, u32{1, 4096}, "messages", "Of lru, fifo and lfu: window.");
  parameters.add("log", log, u32{1, 1U << 20U}, "messages",
                 "Of cycles: the longest. A log without a limit could wait for ever for a message "
                 "that never comes again.");
  parameters.add("tags", tags, u32{1, 4096}, "tags",
                 "Of tag, tag_cycle and tag_better_cycle: entries; the tag used least recently "
                 "loses its entry to another.");
  parameters.add("cycles", cycles, u32{1, 4096}, "cycles",
                 "Of tag_better_cycle: cycles that a tag keeps.");
}

void message_predictor_config::validate() const {
  if (log == 0) {
    throw configuration_error({"predictor.log", "", "a log without a limit grows for ever",
                               "1 to 2^20", "choose the longest cycle that is to be predicted"});
  }
  check_ranges(*this);
}

void prediction_counts::add(prediction result) {
  ++(result == prediction::hit ? hits : misses);
  if (result == prediction::none) ++unpredicted;
}

prediction_counts& prediction_counts::operator+=(const prediction_counts& other) {
  hits += other.hits;
  misses += other.misses;
  unpredicted += other.unpredicted;
  return *this;
}

double prediction_counts::hit_ratio() const {
  const std::uint64_t all = hits.value() + misses.value();
  return all == 0 ? 0 : static_cast<double>(hits.value()) / static_cast<double>(all);
}

void prediction_counts::report(statistics_group& into) const {
  into.add("hits", hits, "messages", "Messages that came as predicted.");
  into.add("misses", misses, "messages",
           "Messages that were not predicted, those without a prediction included.");
  into.add("unpredicted", unpredicted, "messages", "Messages for which there was no prediction.");
  into.add("hit_ratio", hit_ratio(), "1", "Hits among all messages that came.");
}

message_predictor::message_predictor(const message_predictor_config& config)
    : config_((config.validate(), config)) {}

bool message_predictor::is_window() const {
  return config_.kind == predictor_kind::lru || config_.kind == predictor_kind::fifo ||
         config_.kind == predictor_kind::lfu;
}

message_tag message_predictor::known_as(message_tag tag) const {
  return config_.kind == predictor_kind::single_cycle ? 0 : tag;
}

const message_predictor::tag_entry* message_predictor::find(message_tag tag) const {
  const auto at = std::find_if(entries_.begin(), entries_.end(),
                               [tag](const tag_entry& each) { return each.tag == tag; });
  return at == entries_.end() ? nullptr : &*at;
}

message_predictor::tag_entry& message_predictor::entry(message_tag tag) {
  auto at = std::find_if(entries_.begin(), entries_.end(),
                         [tag](const tag_entry& each) { return each.tag == tag; });
  if (at != entries_.end()) {
    std::rotate(at, at + 1, entries_.end());
    return entries_.back();
  }
  if (entries_.size() == config_.tags) entries_.erase(entries_.begin());
  entries_.emplace_back();
  entries_.back().tag = tag;
  return entries_.back();
}

std::vector<message_identifier> message_predictor::predict(message_tag tag) const {
  identifiers predicted;
  for (const seen_message& each : window_) predicted.push_back(each.message);
  const tag_entry* const known = find(known_as(tag));
  if (known != nullptr && known->predicts) predicted.push_back(known->log[known->next]);
  return predicted;
}

prediction message_predictor::observe(message_tag tag, message_identifier message) {
  if (config_.kind == predictor_kind::none) return prediction::none;
  const prediction result =
      is_window() ? look_in_window(message) : follow(entry(known_as(tag)), message);
  counts_.add(result);
  return result;
}

prediction message_predictor::look_in_window(message_identifier message) {
  const prediction otherwise = window_.empty() ? prediction::none : prediction::miss;
  const auto at = std::find_if(window_.begin(), window_.end(), [message](const seen_message& each) {
    return each.message == message;
  });
  if (at != window_.end()) {
    ++at->uses;
    if (config_.kind != predictor_kind::fifo) std::rotate(at, at + 1, window_.end());
    return prediction::hit;
  }
  if (window_.size() == config_.window) {
    window_.erase(window_.begin() + static_cast<std::ptrdiff_t>(to_evict()));
  }
  window_.push_back({message, 1});
  return otherwise;
}

/// Of those that came least often in the window, the one that has not come for longest.
std::size_t message_predictor::to_evict() const {
  if (config_.kind != predictor_kind::lfu) return 0;
  const auto least = std::min_element(
      window_.begin(), window_.end(),
      [](const seen_message& a, const seen_message& b) { return a.uses < b.uses; });
  return static_cast<std::size_t>(least - window_.begin());
}

prediction message_predictor::follow(tag_entry& known, message_identifier message) const {
  if (!known.predicts) {
    learn(known, message);
    return prediction::none;
  }
  if (known.log[known.next] != message) {
    begin_anew(known, message);
    return prediction::miss;
  }
  known.next = (known.next + 1) % static_cast<std::uint32_t>(known.log.size());
  return prediction::hit;
}

/// A log takes the message, or is a cycle.
void message_predictor::learn(tag_entry& known, message_identifier message) const {
  if (known.log.empty() || config_.kind == predictor_kind::tag) {
    begin_anew(known, message);
  } else if (known.log.front() == message) {
    known.predicts = true;
    known.next = 1 % static_cast<std::uint32_t>(known.log.size());
    keep(known);
  } else if (known.log.size() == config_.log) {
    begin_anew(known, message);
  } else {
    known.log.push_back(message);
  }
}

/// A cycle takes the place of one that begins with the same message, or of the oldest.
void message_predictor::keep(tag_entry& known) const {
  if (config_.kind != predictor_kind::tag_better_cycle) return;
  std::vector<identifiers>& kept = known.kept;
  const auto same = std::find_if(kept.begin(), kept.end(), [&known](const identifiers& each) {
    return each[0] == known.log[0];
  });
  if (same != kept.end()) {
    kept.erase(same);
  } else if (kept.size() == config_.cycles) {
    kept.erase(kept.begin());
  }
  kept.push_back(known.log);
}

void message_predictor::begin_anew(tag_entry& known, message_identifier message) const {
  const bool was_cycle = known.predicts;
  known.predicts = config_.kind == predictor_kind::tag;
  known.log.assign(1, message);
  known.next = 0;
  if (!was_cycle) return;
  for (const identifiers& each : known.kept) {
    if (each[0] != message) continue;
    known.predicts = true;
    known.log = each;
    known.next = 1 % static_cast<std::uint32_t>(each.size());
  }
}

std::string message_predictor::save() const { return save_state(window_, entries_, counts_); }

void message_predictor::restore(const std::string& state) {
  restore_state(state, window_, entries_, counts_);
  require_fitting_state();
}

void message_predictor::require_fitting_state() const {
  const char* const problem = "a predictor of another configuration";
  require_state(window_.size() <= (is_window() ? config_.window : 0), problem);
  require_state(entries_.size() <= (is_window() ? 0 : config_.tags), problem);
  for (const tag_entry& each : entries_) {
    require_state(!each.log.empty() && each.log.size() <= config_.log, problem);
    require_state(each.next < each.log.size() && each.kept.size() <= config_.cycles, problem);
    for (const identifiers& cycle : each.kept) {
      require_state(!cycle.empty() && cycle.size() <= config_.log, problem);
    }
  }
}

}  // namespace tributary
