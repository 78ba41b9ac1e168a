// SPDX-License-Identifier: Apache-2.0
// RTL that differs from the model: the report names the cycle, and leaves a waveform of it.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <tributary/rtl/verilated_waveform.h>

#include "divergence.h"
#include "faulty_switch.h"
#include "waveform_file.h"

namespace tributary::testing {
namespace {

TEST(divergence, names_the_cycle_and_leaves_a_waveform_of_it) {
  const switch_variant variant = faulty_switch();
  for (const std::uint64_t reset_every : {0U, 5U}) {
    const run_case what{2, 5, reset_every};
    variant_run both(variant, what);
    const std::string report = first_divergence(both, variant, what, 5000);
    ASSERT_NE(report, "") << "the fault was not found";
    const std::uint64_t cycle = reset_every == 0 ? both.now() : (both.now() - 1) % reset_every + 1;
    EXPECT_NE(report.find("in cycle " + std::to_string(cycle) + ":"), std::string::npos) << report;
    EXPECT_NE(report.find("seed 5"), std::string::npos) << report;
    EXPECT_NE(report.find("state of the implementation:\n  output"), std::string::npos) << report;
    const std::string command = replay_command(variant, what, both.now());
    EXPECT_NE(report.find(command), std::string::npos) << report;

    const std::string path = divergence_waveform(variant, what);
    std::filesystem::remove(path);
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    const waveform_file waveform(path);
    // Just before the edge that ends the cycle.
    const std::uint64_t time = verilated_waveform::period * both.edge() - 1;
    EXPECT_GE(waveform.end() + verilated_waveform::period, time) << "it ends before the cycle";
    EXPECT_EQ(waveform.at("faulty.route_bit_i", time, 0, 4), 2U);
    // The fault: a request joins the head.
    ASSERT_NE(report.find("combined with"), std::string::npos) << report;
    EXPECT_NE(waveform.at("faulty.event_combined_o", time, 0, 2), 0U);
  }
}

}  // namespace
}  // namespace tributary::testing
