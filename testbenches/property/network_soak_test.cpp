// SPDX-License-Identifier: Apache-2.0
// The worst traffic that a network of combining switches can be given: all elements at one word, in
// bursts, with many requests each, one or two entries of wait buffer, the fewest reverse slots and
// slow memory with a short pipeline. Every request is answered within a bound, and all drains: what
// docs/models/deadlock.md argues. The long form, larger and with more seeds: TRIBUTARY_LONG=1.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include <tributary/network/omega/omega_network.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/random_stream.h>

#include "support/composed_network.h"
#include "support/random_choice.h"
#include "support/random_switch.h"
#include "support/sizes.h"

namespace tributary {
namespace {

using testing::between;
using testing::network_arrivals;
using testing::network_departures;
using testing::one_of;

/// A network and its surroundings, all from one seed.
struct soak_config {
  soak_config(std::uint64_t number, unsigned largest_log) : seed(number) {
    random_stream random(seed, 11U, 0U);
    network.processing_elements = 2U << random.below(largest_log);
    network.switches = testing::random_switch(random);
    combining_switch_config& switches = network.switches;
    switches.combining = true;
    switches.combine = {};
    switches.slots = std::max(switches.slots_to_combine(), switches.slots);
    switches.wait_buffer_entries = between(random, 1, 2);
    switches.reverse_slots = between(random, 5, 6);
    interval = one_of(random, {1U, 4U, 40U});
    latency = one_of(random, {1U, 2U, 38U});
    pipeline = between(random, 1, 4);
    outstanding = one_of(random, {1U, 4U, 16U, 64U});
    hot = one_of(random, {50U, 90U, 100U, 100U});
    burst = one_of(random, {1U, 16U, 200U});
    pause = one_of(random, {0U, 10U, 300U});
  }

  unsigned stages() const { return network.stages(); }

  /// Cycles in which a request is answered, as if the machine served one request at a time, this
  /// one last: each takes its way there and back alone.
  cycle_t bound() const {
    const cycle_t stage =
        network.switches.link_cycles + (network.switches.arrival_registers ? 1 : 0);
    const cycle_t alone = 2 * cycle_t{stages()} * stage + latency + interval;
    return cycle_t{network.processing_elements} * outstanding * alone;
  }

  std::string text() const {
    return "seed " + std::to_string(seed) + ", " + std::to_string(network.processing_elements) +
           " elements, " + testing::to_string(network.switches) + ", memory " +
           std::to_string(interval) + "/" + std::to_string(latency) + "/" +
           std::to_string(pipeline) + ", outstanding " + std::to_string(outstanding) + ", hot " +
           std::to_string(hot) + " %, bursts of " + std::to_string(burst) + " every " +
           std::to_string(pause);
  }

  std::uint64_t seed;
  omega_network_config network;
  std::uint32_t interval = 4;
  std::uint32_t latency = 2;
  std::uint32_t pipeline = 1;
  std::uint32_t outstanding = 1;  ///< requests of an element
  std::uint32_t hot = 100;        ///< of 100 requests go to one word
  std::uint32_t burst = 1;        ///< most requests between two pauses
  std::uint32_t pause = 0;        ///< longest pause
  bool sinks = true;              ///< elements always take responses (cycle contract, rule 11)
};

/// The omega_network, whose elements always take responses.
class whole_network : public testing::whole_network {
 public:
  using testing::whole_network::whole_network;

  network_departures cycle(const std::vector<std::uint8_t>& memory_ready,
                           const std::vector<std::uint8_t>&, const network_arrivals& entering) {
    return testing::whole_network::cycle(memory_ready, entering);
  }
};

/// What a run showed.
struct soak_result {
  std::string problem;  ///< empty if there was none
  std::uint64_t sent = 0;
  std::uint64_t served = 0;
  cycle_t longest = 0;  ///< from the acceptance of a request to its answer
};

/// Elements and memory modules around a network.
template <class Network>
class soak {
 public:
  explicit soak(const soak_config& config)
      : config_(config),
        random_(config.seed, 12U, 0U),
        network_(config.network),
        elements_(config.network.processing_elements),
        modules_(config.network.processing_elements) {}

  /// Sends for so many cycles, and then until all is drained.
  soak_result run(cycle_t cycles) {
    for (now_ = 1; result_.problem.empty(); ++now_) {
      const bool sending = now_ <= cycles;
      if (!sending && drained()) break;
      step(sending);
      if (now_ % 64 == 0) find_stuck();
    }
    return result_;
  }

 private:
  struct element {
    std::uint32_t next_sequence = 0;
    std::deque<std::pair<std::uint32_t, cycle_t>> open;  // sequence, acceptance; oldest first
    std::optional<packet> wanted;                        // drawn, and refused so far
    std::uint32_t left = 0;                              // of the burst
    cycle_t resumes = 0;                                 // after the pause
    cycle_t link_free = 0;
  };
  struct module {
    std::deque<std::pair<cycle_t, reply>> responses;  // with the cycle from which it is offered
    cycle_t free = 0;
    cycle_t link_free = 0;
  };

  void step(bool sending) {
    const std::size_t lines = elements_.size();
    network_arrivals entering;
    entering.requests.resize(lines);
    entering.replies.resize(lines);
    std::vector<std::uint8_t> memory_ready(lines);
    std::vector<std::uint8_t> element_ready(lines, 1);
    for (std::size_t line = 0; line < lines; ++line) {
      element& e = elements_[line];
      if (sending && !e.wanted) draw(e, line);
      if (e.wanted && e.link_free <= now_) {
        const unsigned output = index(e.wanted->module()) >= lines / 2 ? 1 : 0;
        if (((network_.request_ready(line) >> output) & 1U) != 0) {
          entering.requests[line] = e.wanted;
          e.open.emplace_back(e.wanted->sequence, now_);
          e.link_free = now_ + config_.network.switches.link_cycles;
          e.wanted.reset();
          ++result_.sent;
        }
      }
      // The rule broken: an interface that takes no response while it has a request to send.
      if (!config_.sinks && e.wanted) element_ready[line] = 0;

      module& m = modules_[line];
      memory_ready[line] = m.free <= now_ && m.responses.size() < config_.pipeline ? 1 : 0;
      if (!m.responses.empty() && m.responses.front().first <= now_ && m.link_free <= now_ &&
          network_.reply_ready(line)) {
        entering.replies[line] = m.responses.front().second;
        m.responses.pop_front();
        m.link_free = now_ + config_.network.switches.link_cycles;
      }
    }
    const network_departures leaving = network_.cycle(memory_ready, element_ready, entering);
    for (const auto& [line, request] : leaving.served) {
      modules_[line].free = now_ + config_.interval;
      modules_[line].responses.emplace_back(now_ + config_.latency, request_reply(request));
      ++result_.served;
    }
    for (const auto& [line, response] : leaving.delivered) answered(line, response);
  }

  static reply request_reply(const packet& request) {
    reply response;
    response.sequence = request.sequence;
    response.pe = request.pe;
    return response;
  }

  void draw(element& e, std::size_t line) {
    if (e.open.size() >= config_.outstanding || e.resumes > now_) return;
    if (e.left == 0) {
      e.left = between(random_, 1, config_.burst);
      e.resumes = now_ + between(random_, 0, config_.pause);
      if (e.resumes > now_) return;
    }
    --e.left;
    const auto modules = static_cast<std::uint32_t>(modules_.size());
    const bool hot = random_.below(100) < config_.hot;
    packet request;
    request.location =
        location_of(mm_id{hot ? 0U : static_cast<std::uint32_t>(random_.below(modules))},
                    hot ? 0 : random_.below(4) * word_bytes);
    request.set_function(function_of(operation::fetch_add, 1, 0));
    request.pe = static_cast<std::uint16_t>(line);
    request.sequence = e.next_sequence++;
    e.wanted = request;
  }

  void answered(std::size_t line, const reply& response) {
    std::deque<std::pair<std::uint32_t, cycle_t>>& open = elements_[line].open;
    const auto which = std::find_if(open.begin(), open.end(), [&](const auto& each) {
      return each.first == response.sequence;
    });
    if (response.pe != line || which == open.end()) {
      result_.problem = "an answer to nothing in cycle " + std::to_string(now_);
      return;
    }
    result_.longest = std::max(result_.longest, now_ - which->second);
    open.erase(which);
  }

  void find_stuck() {
    for (std::size_t line = 0; line < elements_.size(); ++line) {
      const auto& open = elements_[line].open;
      if (open.empty() || now_ - open.front().second <= config_.bound()) continue;
      result_.problem = "request " + std::to_string(open.front().first) + " of element " +
                        std::to_string(line) + " is not answered after " +
                        std::to_string(now_ - open.front().second) + " cycles";
      return;
    }
  }

  bool drained() const {
    if (!network_.idle()) return false;
    for (const element& e : elements_) {
      if (!e.open.empty() || e.wanted) return false;
    }
    return true;
  }

  soak_config config_;
  random_stream random_;
  Network network_;
  std::vector<element> elements_;
  std::vector<module> modules_;
  cycle_t now_ = 0;
  soak_result result_;
};

class network_soak : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(network_soak, answers_everything_within_a_bound_and_drains) {
  const bool is_long = testing::long_form();
  const std::uint64_t machines = is_long ? 400 : testing::scaled(40);
  std::uint64_t sent = 0;
  std::uint64_t served = 0;
  double closest = 0;
  for (std::uint64_t i = 0; i < machines; ++i) {
    const soak_config config(GetParam() * 100000 + i, is_long ? 9 : 6);
    const soak_result result = soak<whole_network>(config).run(is_long ? 20000 : 2000);
    ASSERT_EQ(result.problem, "") << config.text();
    ASSERT_LE(result.longest, config.bound()) << config.text();
    sent += result.sent;
    served += result.served;
    closest = std::max(closest,
                       static_cast<double>(result.longest) / static_cast<double>(config.bound()));
  }
  RecordProperty("longest_of_bound_percent", std::to_string(100 * closest));
  if (testing::sanitized) return;
  EXPECT_LT(served * 4, sent * 3) << "hardly anything combined: the test shows nothing";
}

INSTANTIATE_TEST_SUITE_P(shards, network_soak, ::testing::Range<std::uint64_t>(0, 4));

/// The test notices a machine that hangs: where elements take no response while a request of theirs
/// is refused, requests and responses wait for each other. The same machines do not hang otherwise.
TEST(soak_of_a_broken_network, notices_elements_that_do_not_sink) {
  std::uint64_t hung = 0;
  const std::uint64_t machines = testing::scaled(10);
  for (std::uint64_t seed = 1; seed <= machines; ++seed) {
    soak_config config(seed, 3);
    config.network.processing_elements = 8;
    config.outstanding = 64;
    config.hot = 100;
    config.burst = 200;
    config.pause = 0;
    config.interval = 4;
    const soak_result good =
        soak<testing::composed_network<testing::single_switch>>(config).run(1000);
    ASSERT_EQ(good.problem, "") << config.text();
    config.sinks = false;
    const soak_result broken =
        soak<testing::composed_network<testing::single_switch>>(config).run(1000);
    hung += broken.problem.find("is not answered") != std::string::npos ? 1 : 0;
  }
  EXPECT_EQ(hung, machines) << "machines that do not sink and get through all the same";
}

}  // namespace
}  // namespace tributary
