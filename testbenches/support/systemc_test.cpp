// SPDX-License-Identifier: Apache-2.0
#include "support/systemc_test.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>

#include "support/sizes.h"

#ifdef TRIBUTARY_SANITIZED_TESTS
#include <pthread.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace tributary::testing {
namespace {

#ifdef TRIBUTARY_SANITIZED_TESTS
/// libsystemc tells the sanitizer of every switch to a thread's stack, and never of the last one
/// back: the leak check would search a stack that is gone.
void return_to_main_stack() {
  pthread_attr_t attributes;
  void* bottom = nullptr;
  std::size_t size = 0;
  pthread_getattr_np(pthread_self(), &attributes);
  pthread_attr_getstack(&attributes, &bottom, &size);
  pthread_attr_destroy(&attributes);
  void* fake_stack = nullptr;
  __sanitizer_start_switch_fiber(&fake_stack, bottom, size);
  __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
}
#else
void return_to_main_stack() {}
#endif

using processes = std::vector<sc_core::sc_process_handle>;

void find_spawned_threads(const std::vector<sc_core::sc_object*>& objects, processes& found) {
  for (sc_core::sc_object* each : objects) {
    const sc_core::sc_process_handle process(each);
    if (process.proc_kind() == sc_core::SC_THREAD_PROC_ && process.dynamic()) {
      found.push_back(process);
    }
    find_spawned_threads(each->get_child_objects(), found);
  }
}

}  // namespace

systemc_test* systemc_test::running = nullptr;

systemc_test::systemc_test() {
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
  running = this;
  sc_core::sc_report_handler::set_handler(&systemc_test::handle);
  context_ = std::make_unique<simulation_context>();
}

systemc_test::~systemc_test() {
  context_.reset();
  return_to_main_stack();
  sc_core::sc_report_handler::set_handler(nullptr);
  running = nullptr;
  for (const expectation& each : expectations_) {
    if (reports(each.id).empty()) ADD_FAILURE() << "nothing was reported as " << each.id;
  }
}

void systemc_test::expect_report(const std::string& id, after_report after) {
  expectations_.push_back({id, after});
}

void systemc_test::end_spawned_threads() {
  processes found;
  find_spawned_threads(sc_core::sc_get_top_level_objects(), found);
  // Only a process may kill another.
  sc_core::sc_spawn([&found] {
    for (sc_core::sc_process_handle& each : found) each.kill();
  });
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
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

}  // namespace tributary::testing
