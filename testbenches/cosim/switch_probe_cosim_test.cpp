// SPDX-License-Identifier: Apache-2.0
// What the probe shows of a verilated switch is what the core holds, and lockstep compares it.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <switch_systolic_coupled.h>
#include <switch_systolic_decoupled.h>

#include <tributary/network/omega/core_switch.h>
#include <tributary/rtl/switch_variants.h>
#include <tributary/rtl/verilated_switch.h>

#include "lockstep_run.h"
#include "support/sizes.h"

namespace tributary {
namespace {

using testing::lockstep_run;

/// A switch that others look into while a lockstep owns it.
class seen_switch final : public switch_implementation {
 public:
  explicit seen_switch(switch_implementation& what) : what_(what) {}
  std::uint8_t request_ready(unsigned input) const override { return what_.request_ready(input); }
  bool reply_ready(unsigned output) const override { return what_.reply_ready(output); }
  const switch_traffic& depart(const std::array<std::uint8_t, 2>& next_request_ready,
                               const std::array<bool, 2>& next_reply_ready) override {
    return what_.depart(next_request_ready, next_reply_ready);
  }
  const switch_activity& commit(const switch_traffic& arriving) override {
    return what_.commit(arriving);
  }
  bool idle() const override { return what_.idle(); }
  void reset() override { what_.reset(); }
  std::optional<switch_occupancy> occupancy() const override {
    std::optional<switch_occupancy> shown = what_.occupancy();
    if (shown) shown->combined[1][0] += miscounted;
    return shown;
  }
  std::string state() const override { return what_.state(); }

  std::uint32_t miscounted = 0;

 private:
  switch_implementation& what_;
};

std::vector<switch_variant> variants() {
  std::vector<switch_variant> all = built_switch_variants();
  const auto add = [&](auto design) {
    using type = decltype(design);
    all.push_back(
        {type::name, type::parameters, [](unsigned route_bit, const verilated_options& options) {
           return std::unique_ptr<switch_implementation>(
               std::make_unique<verilated_switch<type>>(route_bit, options));
         }});
  };
  add(switch_systolic_decoupled{});
  add(switch_systolic_coupled{});
  return all;
}

class switch_probe_cosim : public ::testing::TestWithParam<switch_variant> {};

TEST_P(switch_probe_cosim, shows_what_the_core_holds) {
  const switch_variant& variant = GetParam();
  const combining_switch_config config = config_of(variant.parameters);
  core_switch core(config, 2);
  const auto rtl = variant.make(2, {});
  testing::switch_stimulus stimulus(2, 5);
  std::uint64_t lines = 0;
  for (std::uint64_t cycle = 1; cycle <= testing::scaled(3000); ++cycle) {
    const auto requests = stimulus.next_request_ready();
    const auto replies = stimulus.next_reply_ready();
    const switch_traffic leaving = core.depart(requests, replies);
    rtl->depart(requests, replies);
    const switch_traffic arriving = stimulus.arrivals(
        {core.request_ready(0), core.request_ready(1)}, {core.reply_ready(0), core.reply_ready(1)});
    core.commit(arriving);
    rtl->commit(arriving);
    stimulus.end_cycle(leaving);
    ASSERT_EQ(rtl->state(), core.state()) << variant.name << ", cycle " << cycle;
    ASSERT_TRUE(rtl->occupancy()) << "the model has no probe";
    ASSERT_TRUE(*rtl->occupancy() == *core.occupancy()) << variant.name << ", cycle " << cycle;
    const switch_occupancy now = *core.occupancy();
    lines += now.queued[0][0] + now.waiting[1] + now.reverse[0];
  }
  EXPECT_GT(lines, 0U) << "the switch was empty all the time";
}

INSTANTIATE_TEST_SUITE_P(variants, switch_probe_cosim, ::testing::ValuesIn(variants()),
                         [](const auto& tested) { return tested.param.name; });

/// What a lockstep says in its first `cycles` cycles with this fault from cycle 500 on; empty if
/// nothing.
template <class Fault>
std::string said_of(const Fault& fault, int cycles) {
  using design = switch_systolic_decoupled;
  verilated_switch<design> rtl(0);
  auto seen = std::make_unique<seen_switch>(rtl);
  seen_switch& view = *seen;
  lockstep_run both(design::name, config_of(design::parameters), 0, 1, std::move(seen));
  try {
    for (int cycle = 1; cycle <= cycles; ++cycle) {
      if (cycle == 500) fault(rtl.rtl(), view);
      both.step();
    }
  } catch (const simulation_error& problem) {
    return problem.what();
  }
  return "";
}

TEST(switch_probe_cosim, finds_an_entry_that_no_port_shows) {
  const std::string said = said_of(
      [](verilated_switch_systolic_decoupled& model, seen_switch&) {
        // The last entry of a wait buffer looks used, for a response that never comes.
        const VerilatedScope* const buffer =
            find_scope(*model.contextp(), "gen_output[1].u_wait_buffer");
        ASSERT_NE(buffer, nullptr);
        auto* const used = static_cast<EData*>(buffer->varFind("used_q")->datap());
        used[99 / VL_EDATASIZE] |= EData{1} << (99 % VL_EDATASIZE);
      },
      600);
  EXPECT_NE(said.find("in cycle 501: occupancy"), std::string::npos) << said;
  EXPECT_NE(said.find("state of the implementation:\n  output"), std::string::npos) << said;
}

TEST(switch_probe_cosim, finds_a_wrong_count_of_combined_requests) {
  const auto fault = [](auto&, seen_switch& view) { view.miscounted = 1; };
  EXPECT_NE(said_of(fault, 600).find("in cycle 501: occupancy"), std::string::npos)
      << said_of(fault, 600);
  EXPECT_EQ(said_of([](auto&, seen_switch&) {}, 600), "");
}

}  // namespace
}  // namespace tributary
