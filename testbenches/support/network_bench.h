// SPDX-License-Identifier: Apache-2.0
// Random requests and a memory that stalls, around any network of the tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include <tributary/memory/fetch_op_unit.h>
#include <tributary/sim/random_stream.h>

#include "composed_network.h"
#include "random_switch.h"

namespace tributary::testing {

/// Draws what enters a network, by what it says of itself, and answers what leaves it. Elements
/// have any number of requests outstanding; modules answer late and in order. With stalls, each
/// port holds back at random.
class network_bench {
 public:
  network_bench(std::uint32_t elements, bool stalls, random_stream& random)
      : random_(random),
        stalls_(stalls),
        elements_(elements),
        next_sequence_(elements),
        responses_(elements) {}

  /// Who is ready in this cycle, by module.
  std::vector<std::uint8_t> memory_ready() {
    std::vector<std::uint8_t> ready(elements_);
    for (std::uint8_t& each : ready) each = stalled() ? 0 : 1;
    return ready;
  }

  /// What enters `network` in this cycle. `sending`: whether elements send requests.
  template <class Network>
  network_arrivals arrivals(const Network& network, bool sending) {
    network_arrivals entering;
    entering.requests.resize(elements_);
    entering.replies.resize(elements_);
    for (std::uint32_t pe = 0; pe < elements_; ++pe) {
      if (sending && !stalled()) entering.requests[pe] = draw(network, pe);
      if (responses_[pe].empty() || stalled() || !network.reply_ready(pe)) continue;
      entering.replies[pe] = responses_[pe].front();
      responses_[pe].pop_front();
    }
    return entering;
  }

  /// Serves the requests that left.
  void take(const network_departures& leaving) {
    for (const auto& [module, request] : leaving.served) {
      responses_[module].push_back(
          {perform_fetch_op(request, words_), request.sequence, request.pe});
    }
    answered_ += leaving.delivered.size();
  }

  bool idle() const {
    for (const auto& each : responses_) {
      if (!each.empty()) return false;
    }
    return true;
  }
  std::uint64_t sent() const { return sent_; }
  std::uint64_t answered() const { return answered_; }
  const word_store& words() const { return words_; }

 private:
  bool stalled() { return stalls_ && random_.below(3) == 0; }

  template <class Network>
  std::optional<packet> draw(const Network& network, std::uint32_t pe) {
    packet request = random_request(random_, elements_);
    // The highest bit of the module selects the output of the first switch.
    const unsigned output = index(request.module()) >= elements_ / 2 ? 1 : 0;
    if (((network.request_ready(pe) >> output) & 1U) == 0) return std::nullopt;
    request.pe = static_cast<std::uint16_t>(pe);
    request.sequence = next_sequence_[pe]++;
    ++sent_;
    return request;
  }

  random_stream& random_;
  bool stalls_;
  std::uint32_t elements_;
  std::vector<std::uint32_t> next_sequence_;
  std::vector<std::deque<reply>> responses_;
  word_store words_;
  std::uint64_t sent_ = 0;
  std::uint64_t answered_ = 0;
};

}  // namespace tributary::testing
