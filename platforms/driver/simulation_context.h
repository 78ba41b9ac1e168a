// SPDX-License-Identifier: Apache-2.0
// A SystemC kernel of its own for one simulation.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include <tributary/systemc/systemc.h>

namespace tributary {

/// The current simulation context while it lives, so that a program can elaborate one platform
/// after the other, which a context allows once. Modules made in it must end before it; contexts
/// end in the reverse order. It uses two symbols of SystemC that IEEE 1666 does not name. With
/// SystemC 3.0 the memory of a context that has threads stays until the program ends.
class simulation_context {
 public:
  simulation_context()
      : own_(std::make_unique<sc_core::sc_simcontext>()),
        current_before_(sc_core::sc_curr_simcontext),
        default_before_(sc_core::sc_default_global_context) {
    sc_core::sc_curr_simcontext = sc_core::sc_default_global_context = own_.get();
  }
  ~simulation_context() {
    if (threads_outlive_package && has_threads(sc_core::sc_get_top_level_objects(own_.get()))) {
      keep(own_.release());
    }
    own_.reset();
    sc_core::sc_curr_simcontext = current_before_;
    sc_core::sc_default_global_context = default_before_;
  }
  simulation_context(const simulation_context&) = delete;
  simulation_context& operator=(const simulation_context&) = delete;

 private:
  /// A context of SystemC 3.0 deletes its coroutine package before its threads, whose coroutines
  /// then ask the package which of them is the main one (3.0.2: sc_simcontext::clean,
  /// sc_cor_qt::~sc_cor_qt).
  static constexpr bool threads_outlive_package = SC_VERSION_MAJOR >= 3;

  static bool has_threads(const std::vector<sc_core::sc_object*>& objects) {
    return std::any_of(objects.begin(), objects.end(), [](sc_core::sc_object* each) {
      const sc_core::sc_curr_proc_kind kind = sc_core::sc_process_handle(each).proc_kind();
      return kind == sc_core::SC_THREAD_PROC_ || kind == sc_core::SC_CTHREAD_PROC_ ||
             has_threads(each->get_child_objects());
    });
  }

  /// Stays reachable, so that a leak check knows that it is kept on purpose.
  static void keep(sc_core::sc_simcontext* context) {
    static auto* const kept = new std::vector<sc_core::sc_simcontext*>;
    kept->push_back(context);
  }

  std::unique_ptr<sc_core::sc_simcontext> own_;
  sc_core::sc_simcontext* current_before_;
  sc_core::sc_simcontext* default_before_;
};

}  // namespace tributary
