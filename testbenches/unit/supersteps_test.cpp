// SPDX-License-Identifier: Apache-2.0
// The program of supersteps: what bodies refer to, and what cannot be asked for.
#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <support/program_machines.h>
#include <support/reference_kinds.h>
#include <tributary/algorithms/scattered_references.h>
#include <tributary/sim/error.h>

namespace tributary {
namespace {

using testing::designs_for_programs;
using testing::program_machine;
using testing::run_to_end;

constexpr std::uint64_t count = 6;

/// Supersteps between dissemination barriers, which refer to nothing but local words.
ultracomputer_config supersteps_of(superstep_body body, std::uint32_t elements,
                                   std::size_t design = 3) {
  ultracomputer_config config = program_machine(designs_for_programs()[design], elements);
  config.workload.program.supersteps.barrier = barrier_algorithm::dissemination;
  config.workload.program.supersteps.body = body;
  config.workload.program.supersteps.count = count;
  return config;
}

TEST(supersteps, bodies_make_their_references) {
  constexpr std::uint32_t elements = 16;
  for (const superstep_body body :
       {superstep_body::intense, superstep_body::uniform, superstep_body::mixed}) {
    ultracomputer machine(supersteps_of(body, elements), 1);
    const testing::reference_kinds_counter counter(machine);
    run_to_end(machine);
    for (std::uint32_t rank = 0; rank < elements; ++rank) {
      const std::uint64_t expected = body == superstep_body::intense                  ? 0
                                     : body == superstep_body::mixed && rank % 2 == 1 ? 15
                                                                                      : 30;
      EXPECT_EQ(counter.counts()[rank].network_loads, expected * count)
          << "body " << static_cast<int>(body) << ", element " << rank;
    }
  }
}

TEST(supersteps, are_marked_and_measured_from_crossing_to_crossing) {
  ultracomputer machine(supersteps_of(superstep_body::uniform, 8), 1);
  run_to_end(machine);
  const statistics_tree seen = machine.statistics();
  EXPECT_EQ(seen.find("workload.marks.superstep.count"), 8 * count);
  EXPECT_EQ(seen.find("workload.marks.superstep.interval.count"), 8 * (count - 1));
  EXPECT_EQ(seen.find("workload.intervals.superstep.cycles.count"), 8 * (count - 1));
  EXPECT_EQ(seen.find("workload.intervals.superstep.cycles.mean"),
            seen.find("workload.marks.superstep.interval.mean"));
  // Thirty round trips of 2k + 2 cycles and as many turnarounds, and the barrier.
  EXPECT_GT(seen.find("workload.marks.superstep.interval.mean"), 30 * (2 * 3 + 2 + 10));
}

TEST(supersteps, posted_signals_save_time_where_the_interface_has_room) {
  const auto cycles = [](bool posts, std::uint32_t outstanding) {
    ultracomputer_config config = supersteps_of(superstep_body::intense, 64);
    config.workload.program.supersteps.posted_signals = posts;
    config.interface.outstanding = outstanding;
    ultracomputer machine(config, 1);
    run_to_end(machine);
    return machine.statistics().find("workload.marks.superstep.interval.mean");
  };
  EXPECT_EQ(cycles(false, 2), cycles(false, 1)) << "awaited signals need no room";
  EXPECT_LT(cycles(true, 2), 0.9 * cycles(false, 2));
}

/// Where scattered references of each element go.
class destinations final : public observer<offered_request> {
 public:
  destinations(std::uint32_t elements, std::uint64_t seed, std::size_t design)
      : addresses(elements) {
    ultracomputer machine(supersteps_of(superstep_body::uniform, elements, design), seed);
    map_ = &machine.addresses();
    modules.resize(elements);
    machine.interfaces().offers().attach(*this);
    run_to_end(machine);
    machine.interfaces().offers().detach(*this);
  }

  void on_event(const offered_request& offered) override {
    if (map_->region_of(offered.request.address)->local_port) return;
    addresses[static_cast<std::uint32_t>(offered.pe)].push_back(offered.request.address);
    ++modules[static_cast<std::uint32_t>(map_->module_of(offered.request.address))];
  }

  std::vector<std::vector<std::uint64_t>> addresses;  // by element
  std::vector<std::uint32_t> modules;                 // references by module

 private:
  const address_map* map_ = nullptr;
};

TEST(scattered_references, are_the_same_on_every_machine_and_differ_from_seed_to_seed) {
  const destinations no_combining(16, 1, 0);
  const destinations aggressive(16, 1, 4);
  const destinations other_seed(16, 2, 0);
  EXPECT_EQ(no_combining.addresses, aggressive.addresses);
  EXPECT_NE(no_combining.addresses, other_seed.addresses);
}

TEST(scattered_references, belong_to_one_element_and_reach_all_modules_evenly) {
  constexpr std::uint32_t elements = 32;
  const destinations seen(elements, 1, 3);
  std::set<std::uint64_t> all;
  std::size_t words = 0;
  for (const std::vector<std::uint64_t>& each : seen.addresses) {
    const std::set<std::uint64_t> own(each.begin(), each.end());
    words += own.size();
    all.insert(own.begin(), own.end());
  }
  EXPECT_EQ(all.size(), words) << "two elements share a word";
  // 180 references a module on average; a standard deviation is 13.
  const auto [least, most] = std::minmax_element(seen.modules.begin(), seen.modules.end());
  EXPECT_GT(*least, 180U - 5 * 13U);
  EXPECT_LT(*most, 180U + 5 * 13U);
}

TEST(scattered_references, never_combine) {
  for (std::size_t design = 1; design < designs_for_programs().size(); ++design) {
    ultracomputer machine(supersteps_of(superstep_body::uniform, 64, design), 1);
    run_to_end(machine);
    const double requests = machine.statistics().find("interface.accepted");
    const double served = machine.statistics().find("memory.served") +
                          machine.statistics().find("memory.served_locally");
    EXPECT_EQ(served, requests) << designs_for_programs()[design].name;
  }
}

/// The key of the complaint about the configuration.
std::string complaint(const ultracomputer_config& config) {
  try {
    config.validate();
  } catch (const configuration_error& problem) {
    return problem.what();
  }
  return "";
}

TEST(supersteps, refuse_what_cannot_be) {
  ultracomputer_config config = supersteps_of(superstep_body::intense, 8);
  config.workload.program.supersteps.posted_signals = true;
  EXPECT_EQ(complaint(config), "");
  for (const barrier_algorithm other :
       {barrier_algorithm::centralized, barrier_algorithm::tournament,
        barrier_algorithm::mcs_tree}) {
    config.workload.program.supersteps.barrier = other;
    EXPECT_NE(complaint(config).find("posted_signals"), std::string::npos) << complaint(config);
  }
}

TEST(supersteps, only_the_centralized_barrier_needs_its_modules) {
  for (const bool counter : {true, false}) {
    ultracomputer_config config = supersteps_of(superstep_body::intense, 8);
    supersteps_config& supersteps = config.workload.program.supersteps;
    (counter ? supersteps.counter_module : supersteps.release_module) = 8;
    EXPECT_EQ(complaint(config), "");
    supersteps.barrier = barrier_algorithm::centralized;
    const std::string found = complaint(config);
    EXPECT_NE(found.find(counter ? "counter_module" : "release_module"), std::string::npos)
        << found;
    EXPECT_NE(found.find("0 to 7"), std::string::npos) << found;
  }
}

}  // namespace
}  // namespace tributary
