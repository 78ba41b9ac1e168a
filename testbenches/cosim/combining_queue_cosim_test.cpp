// SPDX-License-Identifier: Apache-2.0
// The RTL of a combining queue alone beside its core, cycle by cycle.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include <part_queue_at_exit.h>
#include <part_queue_b.h>
#include <part_queue_dual.h>
#include <part_queue_dual_at_exit.h>
#include <part_queue_dual_gradual.h>
#include <part_queue_dual_ordered.h>
#include <part_queue_gradual.h>
#include <part_queue_least.h>
#include <part_queue_ordered.h>

#include <tributary/network/omega/combining_queue.h>
#include <tributary/rtl/verilated_queue.h>

#include "part_lockstep.h"

namespace tributary {
namespace {

std::string text_of(const combining_queue& core, const partner_pool& partners) {
  std::string text;
  for (std::size_t i = 0; i < core.size(0); ++i) {
    const partner_index with = core.partner_of(0, i);
    text += "\n  " + to_string(core.entry(0, i)) +
            (with == no_partner ? "" : ", combined with " + to_string(partners[with].second));
  }
  return text.empty() ? "\n  empty" : text;
}

/// Both under the same random traffic. Phases in which the head leaves seldom, the wait buffer is
/// full most of the time, or hardly anything arrives, fill and empty the queue.
template <class Design>
class queue_lockstep : testing::part_lockstep<Design, verilated_queue> {
  using base = testing::part_lockstep<Design, verilated_queue>;
  using base::now_;
  using base::random_;
  using base::rtl_;

 public:
  explicit queue_lockstep(std::uint64_t seed) : base(seed), core_(config_of(Design::parameters)) {}

  void step() {
    ++now_;
    if (now_ % phase_cycles == 0) random_.choose_words();
    compare();
    if (::testing::Test::HasFatalFailure()) return;
    const bool full = random_.once_in(phase() == 2 ? 2 : 8);
    const bool ready = core_.ready(0);
    const bool left = release(full);
    const queue_activity expected = ready ? accept(left, full) : queue_activity{};
    const queue_activity found = rtl_.commit(full);
    ASSERT_TRUE(found == expected) << at() << ": what became of the arrivals differs";
    for (const auto& joined : expected.joined) combined_ += joined ? 1 : 0;
    if (!core_.ready(0)) ++refused_;
  }

  void reset() {
    rtl_.reset();
    core_ = combining_queue(config_of(Design::parameters));
    partners_ = {};
    compare();
  }

  void expect_busy() const {
    EXPECT_GT(combined_, 0U) << "nothing combined: the traffic shows nothing";
    EXPECT_GT(refused_, 0U) << "it was ready in every cycle: the traffic shows little";
  }

 private:
  static constexpr std::uint64_t phase_cycles = 300;

  unsigned phase() const { return base::phase(phase_cycles, 4); }
  std::string at() const { return base::at(text_of(core_, partners_)); }

  /// Everything that the ports and the probe show.
  void compare() {
    ASSERT_EQ(rtl_.ready(), core_.ready(0)) << at();
    ASSERT_EQ(rtl_.empty(), core_.empty(0)) << at();
    ASSERT_EQ(rtl_.size(), core_.size(0)) << at();
    ASSERT_EQ(rtl_.combined(), core_.combined(0)) << at();
    if (core_.empty(0)) return;
    ASSERT_EQ(to_string(rtl_.head()), to_string(core_.head(0))) << at();
    ASSERT_EQ(rtl_.head_combined(), core_.head_combined(0)) << at();
    if (!core_.head_combined(0)) return;
    const partner with = partners_[core_.partner_of(0, 0)];
    ASSERT_TRUE(rtl_.head_partner() == with)
        << at() << "\nthe partner of the RTL's head: " << to_string(rtl_.head_partner().second)
        << ", form " << static_cast<unsigned>(rtl_.head_partner().kept.kind);
  }

  bool release(bool full) {
    const bool stalls = random_.once_in(4) || (phase() == 1 && !random_.once_in(8));
    if (core_.empty(0) || stalls || (core_.head_combined(0) && full)) return false;
    const partner_index with = core_.release(0).partner;
    if (with != no_partner) partners_.release(with);
    rtl_.release();
    return true;
  }

  queue_activity accept(bool left, bool full) {
    queue_activity expected;
    unsigned inserted = 0;
    for (unsigned writer = 0; writer < Design::parameters.Writers; ++writer) {
      if (random_.once_in(4) || (phase() == 3 && !random_.once_in(6))) continue;
      const packet arrival = random_.request();
      const packet* const joined =
          core_.accept(0, arrival, {writer, left, full, inserted}, partners_);
      rtl_.accept(writer, arrival);
      expected.inserted[writer] = joined == nullptr;
      if (joined != nullptr) expected.joined[writer] = joined->id();
      inserted += joined == nullptr ? 1 : 0;
    }
    return expected;
  }

  combining_queue core_;
  partner_pool partners_;
  std::uint64_t combined_ = 0;
  std::uint64_t refused_ = 0;
};

template <class Design>
class combining_queue_cosim : public ::testing::Test {};

using designs =
    ::testing::Types<part_queue_b, part_queue_ordered, part_queue_least, part_queue_dual,
                     part_queue_dual_ordered, part_queue_gradual, part_queue_dual_gradual,
                     part_queue_at_exit, part_queue_dual_at_exit>;
TYPED_TEST_SUITE(combining_queue_cosim, designs, testing::design_names);

TYPED_TEST(combining_queue_cosim, equals_the_core_cycle_by_cycle) {
  testing::expect_equal_cycle_by_cycle<queue_lockstep<TypeParam>>();
}

TYPED_TEST(combining_queue_cosim, runs_clean_after_a_reset_in_mid_traffic) {
  testing::expect_clean_resets<queue_lockstep<TypeParam>>();
}

TEST(combining_queue_cosim, a_failed_assertion_is_told_by_the_model_that_it_failed_in) {
  verilated_options first;
  first.name = "first";
  verilated_queue<part_queue_b> broken(first);
  verilated_queue<part_queue_b> sound;
  broken.release();  // of an empty queue
  try {
    broken.commit(false);
    FAIL() << "no assertion failed";
  } catch (const simulation_error& problem) {
    EXPECT_NE(std::string(problem.what()).find("first: an assertion of the RTL failed"),
              std::string::npos)
        << problem.what();
  }
  EXPECT_NO_THROW(sound.commit(false));
}

TEST(combining_queue_cosim, an_undefined_operation_is_refused_by_name) {
  verilated_queue<part_queue_b> queue;
  packet request;
  request.kind = static_cast<form>(9);
  try {
    queue.accept(0, request);
    FAIL() << "accepted";
  } catch (const simulation_error& problem) {
    EXPECT_NE(std::string(problem.what()).find("operation form 9 is undefined"), std::string::npos)
        << problem.what();
  }
}

}  // namespace
}  // namespace tributary
