// SPDX-License-Identifier: Apache-2.0
// What does not fit the ports of verilated RTL is reported once, with the port and the cycle.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <string>

#include <tributary/rtl/verilated_switch.h>
#include <tributary/sim/error.h>
#include <ultracomputer/ultracomputer_model.h>

#include <switch_short_words.h>

namespace tributary {
namespace {

constexpr cycle_t good_cycles = 4;

/// A request that fits.
packet good_request() {
  packet request;
  request.location = location_of(mm_id{3}, word_bytes);
  request.set_function(function_of(operation::fetch_add, 5));
  return request;
}

struct bad_arrival {
  const char* message;  ///< its end
  std::function<void(switch_traffic&)> spoil;
};

void PrintTo(const bad_arrival& arrival, std::ostream* out) { *out << arrival.message; }

/// A request that does not fit, at input 1.
bad_arrival bad_request(const char* message, const std::function<void(packet&)>& spoil) {
  return {message, [spoil](switch_traffic& arriving) {
            arriving.requests[1] = good_request();
            spoil(*arriving.requests[1]);
          }};
}

/// A response that does not fit, at output 1.
bad_arrival bad_response(const char* message, const std::function<void(reply&)>& spoil) {
  return {message, [spoil](switch_traffic& arriving) {
            arriving.replies[1] = reply{};
            spoil(*arriving.replies[1]);
          }};
}

const auto bad_arrivals = ::testing::Values(
    bad_request("input 1: operation form 8 is undefined; forms are 0 to 7",
                [](packet& p) { p.kind = static_cast<form>(8); }),
    bad_request("input 1: word address 1048576 does not fit the 20 bits of the port",
                [](packet& p) { p.location = location_of(mm_id{3}, word_bytes << 20); }),
    bad_request("input 1: module 256 does not fit the 8 bits of the port",
                [](packet& p) { p.location = location_of(mm_id{256}, 0); }),
    bad_request("input 1: operand a 4294967296 does not fit the 32 bits of the port",
                [](packet& p) { p.a = std::uint64_t{1} << 32; }),
    bad_request("input 1: operand b 4294967296 does not fit the 32 bits of the port",
                [](packet& p) { p.b = std::uint64_t{1} << 32; }),
    bad_request("input 1: element 256 does not fit the 8 bits of the port",
                [](packet& p) { p.pe = 256; }),
    bad_request("input 1: sequence number 65536 does not fit the 16 bits of the port",
                [](packet& p) { p.sequence = 65536; }),
    bad_response("output 1: value 4294967296 does not fit the 32 bits of the port",
                 [](reply& r) { r.value = std::uint64_t{1} << 32; }),
    bad_response("output 1: element 256 does not fit the 8 bits of the port",
                 [](reply& r) { r.pe = 256; }),
    bad_response("output 1: sequence number 65536 does not fit the 16 bits of the port",
                 [](reply& r) { r.sequence = 65536; }),
    bad_response("output 1: status 4 does not fit the 2 bits of the port",
                 [](reply& r) { r.status = 4; }));

class bad_input : public ::testing::TestWithParam<bad_arrival> {};

TEST_P(bad_input, is_reported_with_port_and_cycle) {
  verilated_options options;
  options.name = "stage 1 switch 2";
  verilated_switch<switch_short_words> rtl(0, options);
  const auto depart = [&] { rtl.depart({3, 3}, {true, true}); };
  for (cycle_t cycle = 0; cycle < good_cycles; ++cycle) {
    depart();
    switch_traffic arriving;
    if (cycle % 2 == 0) arriving.requests[0] = good_request();
    ASSERT_NO_THROW(rtl.commit(arriving));
  }
  depart();
  switch_traffic arriving;
  GetParam().spoil(arriving);
  try {
    rtl.commit(arriving);
    FAIL() << "it is accepted";
  } catch (const simulation_error& refused) {
    EXPECT_EQ(
        std::string(refused.what()),
        "stage 1 switch 2, cycle " + std::to_string(good_cycles + 1) + ", " + GetParam().message);
  }
}

INSTANTIATE_TEST_SUITE_P(ports, bad_input, bad_arrivals, [](const auto& tested) {
  return "arrival_" + std::to_string(tested.index);
});

TEST(failed_assertion, is_told_by_the_switch_that_it_failed_in) {
  verilated_options options;
  options.name = "overrun";
  verilated_switch<switch_short_words> overrun(0, options);
  verilated_switch<switch_short_words> sound(0);
  try {
    for (cycle_t cycle = 0; cycle < 100; ++cycle) {
      overrun.depart({0, 0}, {true, true});
      switch_traffic arriving;
      arriving.requests[0] = good_request();  // ready or not
      overrun.commit(arriving);
    }
    FAIL() << "no assertion failed";
  } catch (const simulation_error& problem) {
    const std::string message = problem.what();
    EXPECT_EQ(message.rfind("overrun: an assertion of the RTL failed in cycle ", 0), 0U) << message;
  }
  sound.depart({3, 3}, {true, true});
  EXPECT_NO_THROW(sound.commit({}));
}

/// What ends a run with these switches, of which traffic soon finds an address that does not fit.
std::string end_of_a_run(engine_kind engine) {
  ultracomputer_config config;
  config.network.processing_elements = 8;
  config.network.switches = config_of(switch_short_words::parameters);
  config.network.rtl = "stage 1";
  config.network.make_switch = [](const combining_switch_config&, unsigned route_bit,
                                  const switch_place& place) {
    verilated_options options;
    options.name = to_string(place);
    return std::make_unique<verilated_switch<switch_short_words>>(route_bit, options);
  };
  try {
    make_ultracomputer(engine, config, 1)->run_until(1000);
  } catch (const std::exception& refused) {
    return refused.what();
  }
  return "nothing";
}

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

TEST(bad_input_in_a_platform, ends_the_run_with_one_message) {
  const std::string in_loop = end_of_a_run(engine_kind::loop);
  EXPECT_EQ(in_loop.rfind("stage 1 switch ", 0), 0U) << in_loop;
  EXPECT_NE(in_loop.find(", cycle "), std::string::npos) << in_loop;
  EXPECT_NE(in_loop.find("does not fit the 20 bits of the port"), std::string::npos) << in_loop;
  const std::string in_systemc = end_of_a_run(engine_kind::systemc);
  EXPECT_EQ(occurrences(in_systemc, in_loop), 1U) << "the loop says:\n"
                                                  << in_loop << "\nSystemC says:\n"
                                                  << in_systemc;
  EXPECT_EQ(occurrences(in_systemc, "does not fit"), 1U) << in_systemc;
}

}  // namespace
}  // namespace tributary
