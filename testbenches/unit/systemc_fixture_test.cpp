// SPDX-License-Identifier: Apache-2.0
// The fixture itself: what it lets pass and what it must not.
#include "support/systemc_test.h"

#include <gtest/gtest-spi.h>

#include <functional>
#include <string>
#include <vector>

namespace tributary::testing {
namespace {

constexpr const char* id = "/tributary/fixture_test";

/// A thread, a method and a timed notification, so that a context has something to give back.
class ticking : public sc_core::sc_module {
 public:
  explicit ticking(const sc_core::sc_module_name& name) : sc_module(name) {
    SC_THREAD(run);
    SC_METHOD(count);
    sensitive << clock_.posedge_event();
    dont_initialize();
  }

  std::function<void()> on_first_step = [] {};
  unsigned ticks = 0;
  unsigned steps = 0;

 private:
  TRIBUTARY_HAS_PROCESS(ticking);
  void run() {
    on_first_step();
    for (;; ++steps) wait(3, sc_core::SC_NS);
  }
  void count() { ++ticks; }

  sc_core::sc_clock clock_{"clock", sc_core::sc_time(1, sc_core::SC_NS)};
};

class systemc_fixture_test : public systemc_test {};

TEST_F(systemc_fixture_test, fails_a_test_on_a_warning) {
  EXPECT_NONFATAL_FAILURE(SC_REPORT_WARNING(id, "noise"), "unexpected report");
}

TEST_F(systemc_fixture_test, fails_a_test_on_an_error_and_throws_it) {
  EXPECT_NONFATAL_FAILURE(EXPECT_THROW(SC_REPORT_ERROR(id, "wrong"), sc_core::sc_report),
                          "unexpected report");
}

TEST_F(systemc_fixture_test, keeps_what_was_expected) {
  expect_report(id);
  SC_REPORT_WARNING(id, "first");
  EXPECT_THROW(SC_REPORT_ERROR(id, "second"), sc_core::sc_report);
  EXPECT_EQ(reports(id), (std::vector<std::string>{"first", "second"}));
}

TEST_F(systemc_fixture_test, lets_the_code_go_on_after_an_error) {
  expect_report(id, after_report::goes_on);
  SC_REPORT_ERROR(id, "wrong");
  EXPECT_EQ(reports(id).size(), 1U);
}

TEST_F(systemc_fixture_test, ends_threads_that_were_spawned) {
  // The kernel would leak the thread, and AddressSanitizer say so.
  sc_core::sc_process_handle thread;
  ticking module("module");
  module.on_first_step = [&thread] { thread = sc_core::sc_spawn([] { sc_core::wait(); }); };
  sc_core::sc_start(4, sc_core::SC_NS);
  ASSERT_TRUE(thread.valid());
  EXPECT_FALSE(thread.terminated());
  end_spawned_threads();
  EXPECT_TRUE(thread.terminated());
}

TEST(systemc_fixture_expectation_test, fails_a_test_whose_report_never_comes) {
  class expecting : public systemc_test {
   public:
    expecting() { expect_report(id); }
    void TestBody() override {}
  };
  EXPECT_NONFATAL_FAILURE(expecting(), "nothing was reported");
}

class systemc_fixture_repetition_test : public systemc_test,
                                        public ::testing::WithParamInterface<int> {
 protected:
  // Made before elaboration and gone before the context, though a member.
  ticking module_{"module"};
};

TEST_P(systemc_fixture_repetition_test, elaborates_and_runs_anew) {
  EXPECT_EQ(sc_core::sc_time_stamp(), sc_core::SC_ZERO_TIME);
  EXPECT_STREQ(module_.name(), "module");
  sc_core::sc_start(10, sc_core::SC_NS);
  EXPECT_EQ(module_.ticks, 10U);
  EXPECT_EQ(module_.steps, 3U);
}

INSTANTIATE_TEST_SUITE_P(contexts, systemc_fixture_repetition_test, ::testing::Range(0, 20));

}  // namespace
}  // namespace tributary::testing
