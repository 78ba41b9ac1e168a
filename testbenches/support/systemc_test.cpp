// SPDX-License-Identifier: Apache-2.0
#include "support/systemc_test.h"

#include <algorithm>
#include <cstdlib>

#if defined(__has_feature)
#define TRIBUTARY_HAS_ADDRESS_SANITIZER __has_feature(address_sanitizer)
#elif defined(__SANITIZE_ADDRESS__)
#define TRIBUTARY_HAS_ADDRESS_SANITIZER 1
#else
#define TRIBUTARY_HAS_ADDRESS_SANITIZER 0
#endif
#if TRIBUTARY_HAS_ADDRESS_SANITIZER
#include <sanitizer/lsan_interface.h>
#endif

namespace tributary::testing {
namespace {

// IEEE 1666 elaborates once a process; the reference implementation keeps everything of a
// simulation in one object behind these two pointers, which its headers declare.
void enter_context() {
  sc_core::sc_curr_simcontext = sc_core::sc_default_global_context = new sc_core::sc_simcontext;
}

void leave_context() {
  delete sc_core::sc_curr_simcontext;
  sc_core::sc_curr_simcontext = sc_core::sc_default_global_context = nullptr;
}

void look_for_leaks([[maybe_unused]] bool on) {
#if TRIBUTARY_HAS_ADDRESS_SANITIZER
  on ? __lsan_enable() : __lsan_disable();
#endif
}

}  // namespace

systemc_test* systemc_test::running = nullptr;

systemc_test::systemc_test() {
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
  running = this;
  sc_core::sc_report_handler::set_handler(&systemc_test::handle);
  enter_context();
}

systemc_test::~systemc_test() {
  leave_context();
  sc_core::sc_report_handler::set_handler(nullptr);
  running = nullptr;
  for (const expectation& each : expectations_) {
    if (reports(each.id).empty()) ADD_FAILURE() << "nothing was reported as " << each.id;
  }
}

void systemc_test::expect_report(const std::string& id, after_report after) {
  expectations_.push_back({id, after});
}

std::vector<std::string> systemc_test::reports(const std::string& id) const {
  std::vector<std::string> texts;
  for (const seen_report& each : seen_) {
    if (each.id == id) texts.push_back(each.text);
  }
  return texts;
}

void systemc_test::handle(const sc_core::sc_report& report, const sc_core::sc_actions&) {
  running->take(report);
}

void systemc_test::take(const sc_core::sc_report& report) {
  seen_.push_back({report.get_msg_type(), report.get_msg()});
  if (report.get_severity() == sc_core::SC_INFO) return;
  const expectation* match = expected(report.get_msg_type());
  if (match == nullptr) ADD_FAILURE() << "unexpected report: " << report.what();
  const bool goes_on = match != nullptr && match->after == after_report::goes_on;
  if (report.get_severity() >= sc_core::SC_ERROR && !goes_on) throw report;
}

const systemc_test::expectation* systemc_test::expected(const std::string& id) const {
  const auto found = std::find_if(expectations_.begin(), expectations_.end(),
                                  [&](const expectation& each) { return each.id == id; });
  return found == expectations_.end() ? nullptr : &*found;
}

spawned_threads_leak::spawned_threads_leak() { look_for_leaks(false); }
spawned_threads_leak::~spawned_threads_leak() { look_for_leaks(true); }

}  // namespace tributary::testing
