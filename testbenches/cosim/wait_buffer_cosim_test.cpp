// SPDX-License-Identifier: Apache-2.0
// The RTL of a wait buffer with its decombining unit alone beside the core, cycle by cycle.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <part_buffer_of_hundred.h>
#include <part_buffer_of_one.h>

#include <tributary/network/omega/wait_buffer.h>
#include <tributary/rtl/verilated_wait_buffer.h>

#include "part_stimulus.h"
#include "support/sizes.h"

namespace tributary {
namespace {

std::string text_of(const std::optional<reply>& response) {
  return response ? to_string(*response) : "nothing";
}

/// Both under the same random traffic. Phases in which hardly any response comes, and in which
/// hardly anything is inserted, fill and empty the buffer.
template <class Design>
class buffer_lockstep {
 public:
  explicit buffer_lockstep(std::uint64_t seed)
      : random_(seed), seed_(seed), rtl_(options(seed)), core_(entries) {}

  void step() {
    ++now_;
    compare();
    if (::testing::Test::HasFatalFailure()) return;
    const bool had_room = !core_.full(0);
    const std::optional<reply> expected = look_up();
    if (had_room && random_.once_in(phase() == 1 ? 12 : 2)) insert();
    const std::optional<reply> found = rtl_.commit();
    ASSERT_EQ(text_of(found), text_of(expected)) << at();
    matched_ += expected ? 1 : 0;
    filled_ += core_.full(0) ? 1 : 0;
  }

  void reset() {
    rtl_.reset();
    core_ = wait_buffer(entries);
    partners_ = {};
    compare();
  }

  verilated_wait_buffer<Design>& rtl() { return rtl_; }
  const wait_buffer& core() const { return core_; }
  std::uint64_t matched() const { return matched_; }
  std::uint64_t filled() const { return filled_; }

 private:
  static constexpr std::uint32_t entries = Design::parameters.Entries;

  static verilated_options options(std::uint64_t seed) {
    verilated_options chosen;
    chosen.name = Design::name;
    chosen.seed = static_cast<int>(seed);
    return chosen;
  }
  unsigned phase() const { return static_cast<unsigned>(now_ / (200 + 8 * entries) % 3); }
  std::string at() const {
    std::string text = std::string(Design::name) + ", seed " + std::to_string(seed_) + ", cycle " +
                       std::to_string(now_) + "\nstate of the core:";
    for (const partner& held : core_.contents(0, partners_)) {
      text += "\n  " + to_string(held.second) + " waits for " + to_string(held.first);
    }
    return text;
  }

  void compare() {
    ASSERT_EQ(rtl_.full(), core_.full(0)) << at();
    ASSERT_EQ(rtl_.empty(), core_.empty(0)) << at();
    ASSERT_EQ(rtl_.size(), core_.size(0)) << at();
  }

  /// A response to a request whose partner waits, or to one that did not combine.
  std::optional<reply> look_up() {
    if (random_.once_in(3) || (phase() == 2 && !random_.once_in(20))) return std::nullopt;
    reply response = random_.response();
    const std::vector<partner> held = core_.contents(0, partners_);
    if (!held.empty() && !random_.once_in(4)) {
      const request_id first = held[random_.below(held.size())].first;
      response.sequence = first.sequence;
      response.pe = first.pe;
    }
    looked_up_ = response.id();
    rtl_.look_up(response);
    const partner_index found = core_.take(0, response.id(), partners_);
    if (found == no_partner) return std::nullopt;
    const partner waiting = partners_[found];
    partners_.release(found);
    return reply{answer_second(waiting.kept, response.value), waiting.second.sequence,
                 waiting.second.pe, response.status};
  }

  /// Whose response arrives in the same cycle, or whose partner waits, is no request that leaves.
  void insert() {
    const std::vector<partner> held = core_.contents(0, partners_);
    partner leaving;
    do {
      leaving.first = random_.id();
    } while (leaving.first == looked_up_ ||
             std::any_of(held.begin(), held.end(),
                         [&](const partner& each) { return each.first == leaving.first; }));
    leaving.second = random_.id();
    do {
      leaving.kept.kind = static_cast<form>(random_.below(form_count));
    } while (!combines(leaving.kept.kind));
    leaving.kept.a = random_.word();
    leaving.kept.b = random_.word();
    core_.insert(0, partners_.acquire(leaving), partners_);
    rtl_.insert(leaving);
  }

  static bool combines(form kind) {
    const std::uint64_t table = combining_table(Design::parameters.Forms);
    return ((table >> (static_cast<unsigned>(kind) * form_count + static_cast<unsigned>(kind))) &
            1U) != 0;
  }

  testing::part_stimulus random_;
  std::uint64_t seed_;
  verilated_wait_buffer<Design> rtl_;
  wait_buffer core_;
  partner_pool partners_;
  request_id looked_up_;
  std::uint64_t now_ = 0;
  std::uint64_t matched_ = 0;
  std::uint64_t filled_ = 0;
};

template <class Design>
class wait_buffer_cosim : public ::testing::Test {};

struct design_names {
  template <class Design>
  static std::string GetName(int) {
    return Design::name;
  }
};

using designs = ::testing::Types<part_buffer_of_one, part_buffer_of_hundred>;
TYPED_TEST_SUITE(wait_buffer_cosim, designs, design_names);

TYPED_TEST(wait_buffer_cosim, equals_the_core_cycle_by_cycle) {
  const std::uint64_t cycles = testing::long_form() ? 500'000 : testing::scaled(30'000);
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    buffer_lockstep<TypeParam> both(seed);
    for (std::uint64_t cycle = 0; cycle < cycles / 3; ++cycle) {
      both.step();
      if (this->HasFatalFailure()) return;
    }
    EXPECT_GT(both.matched(), 0U) << "nothing matched: the traffic shows nothing";
    EXPECT_GT(both.filled(), 0U) << "it was never full: the traffic shows little";
  }
}

TYPED_TEST(wait_buffer_cosim, runs_clean_after_a_reset_in_mid_traffic) {
  buffer_lockstep<TypeParam> both(7);
  for (unsigned resets = 0; resets < 10; ++resets) {
    for (unsigned cycle = 0; cycle < 137; ++cycle) {
      both.step();
      if (this->HasFatalFailure()) return;
    }
    both.reset();
    if (this->HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace tributary
