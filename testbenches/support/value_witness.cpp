// SPDX-License-Identifier: Apache-2.0
#include "value_witness.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

namespace tributary::testing {
namespace {

/// The requests of one word, each between two of the writes.
class word_of_requests {
 public:
  word_of_requests(const history& seen, std::vector<const observed_request*> requests)
      : late_(seen.loads_may_be_late), requests_(std::move(requests)) {
    std::stable_sort(requests_.begin(), requests_.end(), [](const auto* a, const auto* b) {
      return a->delivered != b->delivered ? a->delivered < b->delivered : a->id < b->id;
    });
    for (const observed_request* each : requests_) {
      if (is_load(*each)) continue;
      values_.push_back(apply(each->function, each->value));
    }
    place_all();
  }

  void append_to(std::vector<request_id>& order) {
    const auto comes_before = [this](std::size_t a, std::size_t b) {
      const observed_request& first = *requests_[a];
      const observed_request& second = *requests_[b];
      if (places_[a] != places_[b]) return places_[a] < places_[b];
      if (is_load(first) != is_load(second)) return is_load(first);
      if (first.accepted != second.accepted) return first.accepted < second.accepted;
      return first.id < second.id;
    };
    std::vector<std::size_t> sorted(requests_.size());
    for (std::size_t i = 0; i < sorted.size(); ++i) sorted[i] = i;
    std::sort(sorted.begin(), sorted.end(), comes_before);
    for (const std::size_t each : sorted) order.push_back(requests_[each]->id);
  }

 private:
  /// Backwards in time, so that all that must come later has its place.
  void place_all() {
    places_.assign(requests_.size(), 0);
    std::vector<std::size_t> by_acceptance(requests_.size());
    for (std::size_t i = 0; i < by_acceptance.size(); ++i) by_acceptance[i] = i;
    std::sort(by_acceptance.begin(), by_acceptance.end(), [this](std::size_t a, std::size_t b) {
      return requests_[a]->accepted < requests_[b]->accepted;
    });
    std::size_t writes = values_.size() - 1;
    std::size_t latest = writes;               // of all that were accepted after the answer
    std::map<std::uint16_t, std::size_t> own;  // of a processor's later requests
    // Writes have their places first: one may be answered before a load and come after it.
    for (std::size_t i = requests_.size(); i-- > 0;) {
      if (!is_load(*requests_[i])) places_[i] = --writes;
    }
    for (std::size_t i = requests_.size(); i-- > 0;) {
      const observed_request& now = *requests_[i];
      while (!by_acceptance.empty()) {
        const std::size_t next = by_acceptance.back();
        if (requests_[next]->accepted <= now.delivered) break;
        by_acceptance.pop_back();
        if (late_ && is_load(*requests_[next])) continue;
        latest = std::min(latest, places_[next]);
      }
      std::size_t& bound = own.emplace(now.id.pe, values_.size() - 1).first->second;
      if (is_load(now)) places_[i] = last_with(now.value, std::min(latest, bound));
      bound = std::min(bound, places_[i]);
    }
  }
  /// The last place up to one where the word has a value, or else that one.
  std::size_t last_with(word_t value, std::size_t at_most) const {
    for (std::size_t place = at_most + 1; place-- > 0;) {
      if (values_[place] == value) return place;
    }
    return at_most;
  }

  bool late_;
  std::vector<const observed_request*> requests_;  // by answers
  std::vector<word_t> values_{0};                  // before any write, and behind each
  std::vector<std::size_t> places_;                // how many writes come before each request
};

}  // namespace

void order_by_values(history& seen) {
  std::map<std::uint64_t, std::vector<const observed_request*>> by_word;
  for (const observed_request& each : seen.requests) by_word[each.address].push_back(&each);
  seen.order.clear();
  for (auto& [address, requests] : by_word) {
    word_of_requests(seen, std::move(requests)).append_to(seen.order);
  }
}

}  // namespace tributary::testing
