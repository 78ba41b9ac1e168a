// SPDX-License-Identifier: Apache-2.0
// A user's own RTL is held against the model in every way in which the project's is, and a fault in
// it is found with the cycle.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <memory>
#include <string>

#include <sys/wait.h>

#include <tributary/network/omega/core_switch.h>
#include <tributary/network/omega/lockstep_switch.h>
#include <tributary/rtl/verilated_switch.h>
#include <tributary/sim/error.h>
#include <ultracomputer/ultracomputer_model.h>

#include "cosim/switch_stimulus.h"
#include "support/event_text.h"
#include "support/observed_machine.h"
#include "support/sizes.h"

#include <switch_own.h>
#include <switch_own_faulty.h>

#include "support/text_checks.h"

namespace tributary::testing {
namespace {

template <class Design>
std::unique_ptr<switch_implementation> beside_model(unsigned route_bit, const std::string& name,
                                                    int seed) {
  verilated_options options;
  options.name = name;
  options.seed = seed;
  return std::make_unique<lockstep_switch>(
      name, std::make_unique<core_switch>(config_of(Design::parameters), route_bit),
      std::make_unique<verilated_switch<Design>>(route_bit, options));
}

template <class Design>
switch_maker maker() {
  return [](const combining_switch_config&, unsigned route_bit, const switch_place& place) {
    return beside_model<Design>(route_bit, to_string(place), 1);
  };
}

/// Steps one under random traffic with stalls at every port; throws at a difference.
template <class Design>
std::uint64_t run_alone(unsigned route_bit, std::uint64_t seed, std::uint64_t cycles) {
  switch_stimulus stimulus(route_bit, seed);
  const auto both = beside_model<Design>(route_bit, "own", static_cast<int>(seed));
  std::uint64_t combined = 0;
  for (std::uint64_t cycle = 0; cycle < cycles; ++cycle) {
    const switch_traffic leaving =
        both->depart(stimulus.next_request_ready(), stimulus.next_reply_ready());
    const switch_traffic arriving =
        stimulus.arrivals({both->request_ready(0), both->request_ready(1)},
                          {both->reply_ready(0), both->reply_ready(1)});
    combined += both->commit(arriving).combined.size();
    stimulus.end_cycle(leaving);
  }
  return combined;
}

TEST(own_switch, equals_the_model_under_random_traffic) {
  for (const unsigned route_bit : {0U, 5U}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      std::uint64_t combined = 0;
      ASSERT_NO_THROW(combined = run_alone<switch_own>(route_bit, seed, scaled(4000)));
      EXPECT_GT(combined, 0U) << "nothing combined: the traffic shows nothing";
    }
  }
}

TEST(own_switch, a_fault_is_found_under_random_traffic) {
  EXPECT_THROW(run_alone<switch_own_faulty>(0, 1, scaled(4000)), simulation_error);
}

ultracomputer_config configuration() {
  ultracomputer_config config;
  config.network.processing_elements = 64;
  config.network.switches = config_of(switch_own::parameters);
  config.workload.traffic.hot_spot = 1;
  config.workload.traffic.operations = {{operation::load, 1}, {operation::fetch_add, 2}};
  return config;
}

struct outcome {
  std::string trace;
  std::string statistics;
};

outcome run(engine_kind engine, const ultracomputer_config& config) {
  const std::unique_ptr<ultracomputer_machine> simulated = make_ultracomputer(engine, config, 1);
  event_text trace(simulated->observers());
  simulated->run_until(400);
  simulated->drain();
  return {trace.text(), simulated->statistics().to_json_text()};
}

TEST(own_switch, gives_the_trace_of_the_model_in_both_engines) {
  ultracomputer_config config = configuration();
  const outcome expected = run(engine_kind::loop, config);
  config.network.rtl = "all";
  config.network.make_switch = maker<switch_own>();
  for (const engine_kind engine : {engine_kind::loop, engine_kind::systemc}) {
    const outcome found = run(engine, config);
    ASSERT_TRUE(found.trace == expected.trace) << first_difference(expected.trace, found.trace);
    EXPECT_EQ(found.statistics, expected.statistics);
  }
}

/// What stops the run.
std::string difference_in(engine_kind engine, const ultracomputer_config& config) {
  return message_of([&] { run(engine, config); });
}

TEST(own_switch, a_fault_is_found_in_the_same_cycle_in_both_engines) {
  ultracomputer_config config = configuration();
  config.network.rtl = "all";
  config.network.make_switch = maker<switch_own_faulty>();
  const std::string in_loop = difference_in(engine_kind::loop, config);
  const std::string in_systemc = difference_in(engine_kind::systemc, config);
  EXPECT_TRUE(contains(in_loop, "the implementation differs from its reference in cycle"));
  EXPECT_TRUE(contains(in_systemc, in_loop)) << "the loop says:\n"
                                             << in_loop << "SystemC says:\n"
                                             << in_systemc;
}

// --- the program ---------------------------------------------------------------------------------

struct ended {
  int status = 0;
  std::string text;
};

ended run_program(const std::string& arguments) {
  std::FILE* pipe = popen((OWN_SWITCH " " + arguments + " 2>&1").c_str(), "r");
  if (pipe == nullptr) throw error("cannot run " OWN_SWITCH);
  ended program;
  std::array<char, 256> part{};
  while (std::fgets(part.data(), part.size(), pipe) != nullptr) program.text += part.data();
  program.status = WEXITSTATUS(pclose(pipe));
  return program;
}

/// From a word of a text on; all of it if the word is not there.
std::string from(const std::string& text, const std::string& word) {
  const std::size_t at = text.find(word);
  return at == std::string::npos ? text : text.substr(at);
}

TEST(own_switch_program, has_the_numbers_of_the_model) {
  const ended own = run_program("sound all");
  const ended model = run_program("sound none");
  EXPECT_EQ(own.status, 0) << own.text;
  EXPECT_TRUE(contains(own.text, "192 switches of own RTL, equal to the model"));
  EXPECT_EQ(from(own.text, "latency"), from(model.text, "latency"));
}

TEST(own_switch_program, tells_the_first_cycle_in_which_a_fault_shows) {
  const ended all = run_program("faulty all");
  EXPECT_EQ(all.status, 1);
  for (const char* part :
       {"differs from its reference in cycle", "state of the reference:\n  output"}) {
    EXPECT_TRUE(contains(all.text, part)) << part << " is not in\n" << all.text;
  }
  // With that switch alone the difference is the same.
  const std::size_t begin = all.text.find("stage ");
  const std::string place = all.text.substr(begin, all.text.find(':', begin) - begin);
  EXPECT_EQ(run_program("faulty '" + place + "'").text, all.text);
  EXPECT_EQ(run_program("sound '" + place + "'").status, 0);
}

TEST(own_switch_program, says_how_to_have_a_waveform) {
  const ended several = run_program("faulty all wave.fst");
  EXPECT_EQ(several.status, 1);
  EXPECT_TRUE(contains(several.text, "has the signals of one switch, not of 192"));
#if !VM_TRACE_FST
  const ended without = run_program("faulty 'stage 5 switch 0' wave.fst");
  EXPECT_EQ(without.status, 1);
  EXPECT_TRUE(contains(without.text, "verilated without waveforms; "));
#endif
}

}  // namespace
}  // namespace tributary::testing
