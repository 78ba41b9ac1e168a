// SPDX-License-Identifier: Apache-2.0
// What every test of modules and sockets starts from.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include <driver/simulation_context.h>
#include <tributary/systemc/systemc.h>

namespace tributary::testing {

/// What the code that reports an expected error does next.
enum class after_report {
  throws,  ///< the report is thrown, as SystemC does by default
  goes_on  ///< the report is only counted
};

/// Gives each test a simulation context of its own, from before the members of a derived fixture
/// are made until after they are gone, so that modules may be members or local to the test.
///
/// A report of SC_WARNING or above fails the test unless it was expected; an error is thrown as
/// `sc_core::sc_report`, expected or not (out of `sc_start`, where a process reported it). An
/// expected report that never comes fails the test as well. SC_INFO is kept and not printed.
class systemc_test : public ::testing::Test {
 public:
  ~systemc_test() override;
  systemc_test(const systemc_test&) = delete;
  systemc_test& operator=(const systemc_test&) = delete;

 protected:
  systemc_test();

  /// From now on reports with this message id are what the test is about.
  void expect_report(const std::string& id, after_report after = after_report::throws);

  /// Ends the threads that were spawned during the simulation and still wait; the kernel frees none
  /// of them when a context goes. The last statement of a test in which
  /// `tlm_utils::simple_target_socket` serves nb_transport through b_transport: it spawns such.
  static void end_spawned_threads();

  /// The texts reported so far under this message id, of any severity.
  std::vector<std::string> reports(const std::string& id) const;

 private:
  struct expectation {
    std::string id;
    after_report after = after_report::throws;
  };
  struct seen_report {
    std::string id;
    std::string text;
  };

  static void handle(const sc_core::sc_report& report, const sc_core::sc_actions& actions);
  void take(const sc_core::sc_report& report);
  const expectation* expected(const std::string& id) const;

  static systemc_test* running;

  std::unique_ptr<simulation_context> context_;
  std::vector<expectation> expectations_;
  std::vector<seen_report> seen_;
};

}  // namespace tributary::testing
