// SPDX-License-Identifier: Apache-2.0
// One switch with random stalls at every port against the golden model, over all axes.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <tributary/network/omega/switch_column.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/random_stream.h>

#include "support/golden_switch.h"
#include "support/random_switch.h"
#include "support/single_switch.h"
#include "support/sizes.h"

namespace tributary {
namespace {

using testing::golden_switch;
using testing::single_switch;

/// Sends random requests into both inputs of a switch, takes what leaves at both outputs, answers
/// it later, and takes the responses; each of the four ports stalls at random.
class switch_bench {
 public:
  switch_bench(const combining_switch_config& config, bool stalls, random_stream& random)
      : random_(random), stalls_(stalls), model_(config, route_bit), golden_(config, route_bit) {}

  /// One cycle; checks that model and golden model say the same.
  void step(bool sending) {
    for (unsigned input = 0; input < 2; ++input) {
      ASSERT_EQ(model_.request_ready(input), golden_.request_ready(input)) << "input " << input;
    }
    ASSERT_EQ(model_.reply_ready(), golden_.reply_ready());
    ASSERT_EQ(model_.idle(), golden_.idle());

    const std::array<std::uint8_t, 2> next{any_ready(), any_ready()};
    const std::array<bool, 2> sink{!stalled(), !stalled()};
    const switch_traffic leaving = golden_.depart(next, sink);
    const switch_traffic model_leaving = model_.depart(next, sink);
    ASSERT_TRUE(leaving == model_leaving) << "different departures in cycle " << now_;

    switch_traffic arriving;
    for (unsigned input = 0; input < 2; ++input) {
      if (sending) arriving.requests[input] = new_request(input);
    }
    for (unsigned output = 0; output < 2; ++output) arriving.replies[output] = new_reply(output);
    record(leaving);
    golden_.commit(leaving, arriving);
    model_.commit(arriving);
    ++now_;
  }

  bool idle() const { return golden_.idle() && pending_[0].empty() && pending_[1].empty(); }
  std::uint64_t sent() const { return sent_.size(); }
  std::uint64_t answered() const { return answered_; }
  std::uint64_t forwarded() const { return forwarded_; }
  cycle_t now() const { return now_; }

 private:
  static constexpr unsigned route_bit = 1;

  bool stalled() { return stalls_ && random_.below(3) == 0; }
  std::uint8_t any_ready() { return static_cast<std::uint8_t>(stalls_ ? random_.below(4) : 3); }

  std::optional<packet> new_request(unsigned input) {
    if (stalled()) return std::nullopt;
    packet request = testing::random_request(random_, 4);
    const unsigned output = (index(request.module()) >> route_bit) & 1U;
    if (((golden_.request_ready(input) >> output) & 1U) == 0) return std::nullopt;
    // Replies find their way back by the same bit of the element's number.
    request.pe = static_cast<std::uint16_t>((input << route_bit) | random_.below(2));
    request.sequence = next_sequence_++;
    sent_.emplace(request.sequence, request);
    return request;
  }

  std::optional<reply> new_reply(unsigned output) {
    std::deque<reply>& pending = pending_[output];
    if (pending.empty() || stalled() || !golden_.reply_ready()) return std::nullopt;
    const std::size_t which = random_.below(pending.size());  // a memory side may reorder
    const reply chosen = pending[which];
    pending.erase(pending.begin() + static_cast<std::ptrdiff_t>(which));
    return chosen;
  }

  void record(const switch_traffic& leaving) {
    for (unsigned output = 0; output < 2; ++output) {
      if (!leaving.requests[output]) continue;
      const packet& request = *leaving.requests[output];
      ++forwarded_;
      ASSERT_EQ((index(request.module()) >> route_bit) & 1U, output) << "misrouted";
      ASSERT_EQ(sent_.count(request.sequence), 1U) << "a request from nowhere";
      ASSERT_EQ(sent_.at(request.sequence).location, request.location);
      check_fifo(output, request);
      pending_[output].push_back({request.sequence * 3U + 1U, request.sequence, request.pe});
    }
    for (unsigned input = 0; input < 2; ++input) {
      if (!leaving.replies[input]) continue;
      const reply& response = *leaving.replies[input];
      ASSERT_EQ((response.pe >> route_bit) & 1U, input) << "misrouted";
      ASSERT_TRUE(answered_once_.insert(response.sequence).second)
          << "request " << response.sequence << " answered twice";
      ++answered_;
    }
  }

  /// What leaves a port from one input leaves in the order in which it came.
  void check_fifo(unsigned output, const packet& request) {
    const unsigned input = (request.pe >> route_bit) & 1U;
    auto [last, first] = last_left_.emplace(std::tuple(output, input), request.sequence);
    ASSERT_TRUE(first || last->second < request.sequence) << "overtaken in a queue";
    last->second = request.sequence;
  }

  random_stream& random_;
  bool stalls_;
  single_switch model_;
  golden_switch golden_;
  cycle_t now_ = 1;
  std::uint32_t next_sequence_ = 0;
  std::map<std::uint32_t, packet> sent_;
  std::array<std::deque<reply>, 2> pending_;
  std::map<std::tuple<unsigned, unsigned>, std::uint32_t> last_left_;
  std::set<std::uint32_t> answered_once_;
  std::uint64_t answered_ = 0;
  std::uint64_t forwarded_ = 0;
};

struct run {
  bool stalls;
  std::uint64_t seed;
};

class combining_switch_stall : public ::testing::TestWithParam<run> {};

TEST_P(combining_switch_stall, agrees_with_the_golden_model_and_loses_nothing) {
  random_stream random(GetParam().seed, 1U, 0U);
  std::uint64_t combined = 0;
  const std::uint64_t machines = testing::scaled(300);
  for (std::uint64_t i = 0; i < machines; ++i) {
    const combining_switch_config config = testing::random_switch(random);
    SCOPED_TRACE("machine " + std::to_string(i) + ": " + testing::to_string(config));
    switch_bench bench(config, GetParam().stalls, random);
    while (bench.now() <= 600) ASSERT_NO_FATAL_FAILURE(bench.step(true));
    while (!bench.idle()) {
      ASSERT_NO_FATAL_FAILURE(bench.step(false));
      ASSERT_LT(bench.now(), 100000U) << "never drains";
    }
    ASSERT_EQ(bench.sent(), bench.answered()) << "sent and answered";
    combined += bench.sent() - bench.forwarded();
  }
  EXPECT_GT(combined, machines) << "hardly anything combined: the test shows nothing";
}

INSTANTIATE_TEST_SUITE_P(runs, combining_switch_stall,
                         ::testing::Values(run{false, 1}, run{false, 2}, run{true, 1},
                                           run{true, 2}),
                         [](const auto& each) {
                           return std::string(each.param.stalls ? "stalls" : "no_stalls") +
                                  "_seed_" + std::to_string(each.param.seed);
                         });

// --- the gradual limit ---------------------------------------------------------------------------

/// Queues of 4 to 9 slots with a limit of 1 or 2, under few words that combine often.
combining_switch_config gradual_switch(random_stream& random) {
  combining_switch_config config;
  config.type = random.below(2) == 0 ? queue_type::a : queue_type::b;
  config.coupled = random.below(2) == 0;
  config.slots = 4 + static_cast<std::uint32_t>(random.below(6));
  config.adaptive_limit = 1 + static_cast<std::uint32_t>(random.below(2));
  config.adaptation = queue_adaptation::gradual;
  config.wait_buffer_entries = 100;
  return config;
}

/// What a switch showed of its limits, until the cycle in which its ready bits or what left it were
/// not as those of the golden model; 0 if they always were.
struct limits_seen {
  cycle_t first_difference = 0;
  std::set<std::size_t> limits;
};

/// Loads of few words at random, `golden` told what it is told, with responses at once and outputs
/// that take a request one time in four, so that queues fill.
limits_seen compare(const combining_switch_config& config, golden_switch golden,
                    random_stream& random) {
  constexpr unsigned route_bit = 0;
  single_switch model(config, route_bit);
  std::array<std::deque<reply>, 2> pending;
  limits_seen seen;
  std::uint64_t words = 1;
  for (cycle_t now = 1; now <= 5000; ++now) {
    // Phases with many words and with few: rates rise and fall.
    if (now % 150 == 1) words = std::uint64_t{1} << (2 * random.below(5));
    seen.first_difference = now;
    for (unsigned input = 0; input < 2; ++input) {
      if (model.request_ready(input) != golden.request_ready(input)) return seen;
    }
    if (model.reply_ready() != golden.reply_ready()) return seen;
    const combining_queue& queues = model.core().queues();
    for (std::size_t queue = 0; queue < queues.count(); ++queue) {
      seen.limits.insert(queues.limit(queue));
    }
    const std::array<std::uint8_t, 2> next{
        random.below(4) == 0 ? std::uint8_t{3} : std::uint8_t{0},
        random.below(4) == 0 ? std::uint8_t{3} : std::uint8_t{0}};
    const switch_traffic leaving = golden.depart(next, {true, true});
    if (!(model.depart(next, {true, true}) == leaving)) return seen;
    switch_traffic arriving;
    for (unsigned port = 0; port < 2; ++port) {
      if (leaving.requests[port]) {
        pending[port].push_back({0, leaving.requests[port]->sequence, leaving.requests[port]->pe});
      }
      if (!pending[port].empty() && model.reply_ready()) {
        arriving.replies[port] = pending[port].front();
        pending[port].pop_front();
      }
      packet request;
      const std::uint64_t module = random.below(2);
      request.location =
          location_of(mm_id{static_cast<std::uint32_t>(module)}, random.below(words) * word_bytes);
      request.sequence = static_cast<std::uint32_t>(2 * now + port);
      request.pe = static_cast<std::uint16_t>(port);
      if (((model.request_ready(port) >> module) & 1U) != 0) arriving.requests[port] = request;
    }
    golden.commit(leaving, arriving);
    model.commit(arriving);
  }
  seen.first_difference = 0;
  return seen;
}

constexpr std::uint64_t gradual_machines = 40;

TEST(gradual_switches, follow_their_combining_rates_over_every_limit) {
  for (std::uint64_t seed = 1; seed <= gradual_machines; ++seed) {
    random_stream random(seed, 3U, 0U);
    const combining_switch_config config = gradual_switch(random);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + testing::to_string(config));
    const limits_seen seen = compare(config, golden_switch(config, 0), random);
    EXPECT_EQ(seen.first_difference, 0U) << "it differs from the golden model";
    EXPECT_EQ(seen.limits.size(), config.slots - config.writers() + 2 - config.adaptive_limit)
        << "from never reached to adaptive_limit";
  }
}

/// The same comparison finds each golden model that has another rule.
TEST(gradual_switches, with_another_rule_are_found) {
  using change = void (*)(combining_switch_config&);
  const std::pair<const char*, change> rules[] = {
      {"crude", [](combining_switch_config& c) { c.adaptation = queue_adaptation::crude; }},
      {"never adaptive",
       [](combining_switch_config& c) {
         c.adaptation = queue_adaptation::crude;
         c.adaptive_limit = 0;
       }},
      {"a limit one higher", [](combining_switch_config& c) { ++c.adaptive_limit; }},
  };
  for (const auto& [name, break_rule] : rules) {
    std::uint64_t found = 0;
    for (std::uint64_t seed = 1; seed <= gradual_machines; ++seed) {
      random_stream random(seed, 3U, 0U);
      const combining_switch_config config = gradual_switch(random);
      combining_switch_config broken = config;
      break_rule(broken);
      found += compare(config, golden_switch(broken, 0), random).first_difference != 0 ? 1 : 0;
    }
    EXPECT_EQ(found, gradual_machines) << name;
  }
}

}  // namespace
}  // namespace tributary
