// SPDX-License-Identifier: Apache-2.0
// The RTL of a reverse queue alone beside its core, cycle by cycle.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include <part_reverse_deep.h>
#include <part_reverse_least.h>

#include <tributary/network/omega/reverse_queue.h>
#include <tributary/rtl/verilated_reverse_queue.h>

#include "part_lockstep.h"

namespace tributary {
namespace {

/// Both under the same random traffic. Phases in which the head leaves seldom, and in which hardly
/// anything arrives, fill and empty the queue.
template <class Design>
class reverse_lockstep : testing::part_lockstep<Design, verilated_reverse_queue> {
  using base = testing::part_lockstep<Design, verilated_reverse_queue>;
  using base::now_;
  using base::random_;
  using base::rtl_;

 public:
  explicit reverse_lockstep(std::uint64_t seed) : base(seed), core_(Design::parameters.Slots) {}

  void step() {
    ++now_;
    compare();
    if (::testing::Test::HasFatalFailure()) return;
    const bool ready = core_.ready(0);
    if (!core_.empty(0) && !random_.once_in(phase() == 1 ? 2 : 5)) {
      core_.release(0);
      rtl_.release();
    }
    for (unsigned place = 0; ready && place < reverse_queue::arrivals_per_cycle; ++place) {
      if (!random_.once_in(phase() == 2 ? 20 : 3)) continue;
      const reply arrival = random_.response();
      core_.accept(0, arrival);
      rtl_.accept(place, arrival);
    }
    rtl_.commit();
    refused_ += core_.ready(0) ? 0 : 1;
    filled_ += core_.size(0) == Design::parameters.Slots ? 1 : 0;
  }

  void reset() {
    rtl_.reset();
    core_ = reverse_queue(Design::parameters.Slots);
    compare();
  }

  void expect_busy() const {
    EXPECT_GT(refused_, 0U) << "it was ready in every cycle: the traffic shows little";
    EXPECT_GT(filled_, 0U) << "it was never full: the traffic shows little";
  }

 private:
  unsigned phase() const { return base::phase(300, 3); }
  std::string at() const {
    std::string text;
    for (std::size_t i = 0; i < core_.size(0); ++i) text += "\n  " + to_string(core_.entry(0, i));
    return base::at(text);
  }

  void compare() {
    ASSERT_EQ(rtl_.ready(), core_.ready(0)) << at();
    ASSERT_EQ(rtl_.empty(), core_.empty(0)) << at();
    ASSERT_EQ(rtl_.size(), core_.size(0)) << at();
    if (core_.empty(0)) return;
    ASSERT_EQ(to_string(rtl_.head()), to_string(core_.head(0))) << at();
  }

  reverse_queue core_;
  std::uint64_t refused_ = 0;
  std::uint64_t filled_ = 0;
};

template <class Design>
class reverse_queue_cosim : public ::testing::Test {};

using designs = ::testing::Types<part_reverse_least, part_reverse_deep>;
TYPED_TEST_SUITE(reverse_queue_cosim, designs, testing::design_names);

TYPED_TEST(reverse_queue_cosim, equals_the_core_cycle_by_cycle) {
  testing::expect_equal_cycle_by_cycle<reverse_lockstep<TypeParam>>();
}

TYPED_TEST(reverse_queue_cosim, runs_clean_after_a_reset_in_mid_traffic) {
  testing::expect_clean_resets<reverse_lockstep<TypeParam>>();
}

}  // namespace
}  // namespace tributary
