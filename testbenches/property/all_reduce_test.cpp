// SPDX-License-Identifier: Apache-2.0
// The program all_reduce, which checks each of its results, with fetch-and-phi operations on every
// machine; with controllers it runs in flash_command_test.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>

#include <tributary/algorithms/all_reduce.h>
#include <tributary/sim/error.h>

#include <support/algorithm_runs.h>
#include <support/failure.h>

namespace tributary {
namespace {

all_reduce_config program_of(reduction_operation operation) {
  all_reduce_config config;
  config.operation = operation;
  config.count = 6;
  config.skew = 40;
  return config;
}

TEST(all_reduce, gives_the_same_on_every_machine) {
  std::uint64_t seed = 0;
  for (auto number = static_cast<int>(reduction_operation::sum);
       number < static_cast<int>(reduction_operation::double_sum); ++number) {
    const all_reduce_config config = program_of(static_cast<reduction_operation>(number));
    const std::uint32_t elements = ++seed % 2 == 0 ? 4 : 8;
    EXPECT_EQ(
        testing::failure_on_any(
            elements, seed, [&](const std::string&) { return make_all_reduce_program(config); }),
        "")
        << "operation " << number;
  }
}

TEST(all_reduce, refuses_what_no_machine_does_by_name) {
  const auto told = [](const all_reduce_config& config) {
    return testing::failure([&] { make_all_reduce_program(config); });
  };
  EXPECT_EQ(told(program_of(reduction_operation::bit_xor)), "");
  EXPECT_NE(told(program_of(reduction_operation::double_sum))
                .find("workload.program.all_reduce.operation"),
            std::string::npos);
  all_reduce_config kept = program_of(reduction_operation::double_sum);
  kept.reduction = reduction_algorithm::flash;
  EXPECT_NE(told(kept).find("workload.program.all_reduce.reduction"), std::string::npos);
}

}  // namespace
}  // namespace tributary
