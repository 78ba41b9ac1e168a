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

#include "part_lockstep.h"

namespace tributary {
namespace {

std::string text_of(const std::optional<reply>& response) {
  return response ? to_string(*response) : "nothing";
}

/// Both under the same random traffic. Phases in which hardly any response comes, and in which
/// hardly anything is inserted, fill and empty the buffer.
template <class Design>
class buffer_lockstep : testing::part_lockstep<Design, verilated_wait_buffer> {
  using base = testing::part_lockstep<Design, verilated_wait_buffer>;
  using base::now_;
  using base::random_;
  using base::rtl_;

 public:
  explicit buffer_lockstep(std::uint64_t seed) : base(seed), core_(entries) {}

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

  void expect_busy() const {
    EXPECT_GT(matched_, 0U) << "nothing matched: the traffic shows nothing";
    EXPECT_GT(filled_, 0U) << "it was never full: the traffic shows little";
  }

 private:
  static constexpr std::uint32_t entries = Design::parameters.Entries;

  unsigned phase() const { return base::phase(200 + 8 * entries, 3); }
  std::string at() const {
    std::string text;
    for (const partner& held : core_.contents(0, partners_)) {
      text += "\n  " + to_string(held.second) + " waits for " + to_string(held.first);
    }
    return base::at(text);
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

  wait_buffer core_;
  partner_pool partners_;
  request_id looked_up_;
  std::uint64_t matched_ = 0;
  std::uint64_t filled_ = 0;
};

template <class Design>
class wait_buffer_cosim : public ::testing::Test {};

using designs = ::testing::Types<part_buffer_of_one, part_buffer_of_hundred>;
TYPED_TEST_SUITE(wait_buffer_cosim, designs, testing::design_names);

TYPED_TEST(wait_buffer_cosim, equals_the_core_cycle_by_cycle) {
  testing::expect_equal_cycle_by_cycle<buffer_lockstep<TypeParam>>();
}

TYPED_TEST(wait_buffer_cosim, runs_clean_after_a_reset_in_mid_traffic) {
  testing::expect_clean_resets<buffer_lockstep<TypeParam>>();
}

}  // namespace
}  // namespace tributary
