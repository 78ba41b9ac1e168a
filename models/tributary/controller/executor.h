// SPDX-License-Identifier: Apache-2.0
// What runs a handler: C++ on a fiber, or a model of an instruction set.
#pragma once

#include <optional>
#include <string>

#include <tributary/controller/handler_request.h>
#include <tributary/controller/message.h>
#include <tributary/sim/cycle.h>

namespace tributary {

/// A controller that does some operations without suspending the handler.
class prompt_controller {
 public:
  /// Performs an operation that takes no time, never waits and is due in the current cycle,
  /// and says what it found; or does nothing and returns false, also where it would throw.
  virtual bool perform_at_once(const handler_request& request, handler_answer& found) noexcept = 0;

 protected:
  prompt_controller() = default;
  prompt_controller(const prompt_controller&) = default;
  prompt_controller& operator=(const prompt_controller&) = default;
  ~prompt_controller() = default;
};

/// Runs one handler at a time, from operation to operation. The controller performs each operation
/// in its cycle and resumes the handler with what it found.
class executor {
 public:
  executor() = default;
  executor(const executor&) = delete;
  executor& operator=(const executor&) = delete;
  virtual ~executor() = default;

  /// Begins a handler in cycle `at`, and runs it to its first operation.
  virtual handler_request start(handler_id run, const message& with, cycle_t at) = 0;
  /// Goes on after the operation that was returned last, to the next.
  virtual handler_request resume(const handler_answer& found) = 0;
  /// Gives a handler up that has begun and not ended, as after an error or at a reset.
  virtual void abandon() = 0;

  /// The handler that runs, if one does, as bytes. `restore` brings it to the same operation, which
  /// it returns, or nothing if no handler ran; it throws `input_error` for bytes that no executor
  /// with these handlers saved.
  virtual std::string save() const = 0;
  virtual std::optional<handler_request> restore(const std::string& state) = 0;

  /// `controller` may be asked before an operation is returned from `start` or `resume`; it need
  /// not be.
  virtual void ask_first(prompt_controller& controller) { static_cast<void>(controller); }
};

}  // namespace tributary
