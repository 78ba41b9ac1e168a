// SPDX-License-Identifier: Apache-2.0
// What runs a handler: C++ on a fiber, or a model of an instruction set.
#pragma once

#include <tributary/base/cycle.h>
#include <tributary/controller/handler_request.h>
#include <tributary/controller/message.h>

namespace tributary {

/// Runs one handler at a time, from operation to operation. The controller performs each operation
/// in its cycle and resumes the handler with what it found.
class executor {
 public:
  executor() = default;
  executor(const executor&) = delete;
  executor& operator=(const executor&) = delete;
  virtual ~executor() = default;

  /// Begins a handler in cycle `at`, and runs it to its first operation.
  virtual handler_request start(handler_id which, const message& with, cycle_t at) = 0;
  /// Goes on after the operation that was returned last, to the next.
  virtual handler_request resume(const handler_answer& found) = 0;
  /// Gives a handler up that has begun and not ended, as after an error or at a reset.
  virtual void abandon() = 0;
};

}  // namespace tributary
