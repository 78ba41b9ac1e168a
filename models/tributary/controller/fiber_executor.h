// SPDX-License-Identifier: Apache-2.0
// Runs handlers written in C++.
#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tributary/controller/executor.h>
#include <tributary/controller/fiber_protocol.h>
#include <tributary/controller/handler_context.h>
#include <tributary/sim/fiber.h>

namespace tributary {

/// The handlers of one node in C++, each on a fiber from operation to operation. One stack serves
/// them all, because handlers run to completion one after the other.
///
/// A fiber cannot be copied, so the executor keeps what the running handler was answered; `restore`
/// answers the same to a handler that begins anew, up to where the other one was. So a body must
/// depend on nothing but its message and its answers.
///
/// What a body throws comes out of `start` or `resume` as a `simulation_error` that begins with
/// handler, node and the cycle in which the handler began; the next handler may be started then.
class fiber_executor final : public executor {
 public:
  static constexpr std::size_t default_stack_bytes = std::size_t{64} * 1024;

  /// `handlers` by their numbers, as `protocol_set::handlers` gives them; `addresses` must outlive
  /// the executor. Throws `error` if the system does not give a stack.
  fiber_executor(node_id node, const address_layout& addresses, std::vector<handler> handlers,
                 std::size_t stack_bytes = default_stack_bytes);
  ~fiber_executor() override;

  handler_request start(handler_id run, const message& with, cycle_t at) override;
  handler_request resume(const handler_answer& found) override;
  void abandon() override;
  void ask_first(prompt_controller& controller) override;
  std::string save() const override;
  std::optional<handler_request> restore(const std::string& state) override;

  /// Whether a handler has begun and not ended.
  bool running() const { return running_; }

 private:
  class context;

  /// Runs the fiber to the next operation or to the handler's end.
  handler_request advance();
  void serve(fiber& self);
  [[noreturn]] void fail(const std::exception_ptr& why);

  node_id node_;
  std::vector<handler> handlers_;
  fiber_stacks stacks_;
  std::unique_ptr<context> context_;
  std::unique_ptr<fiber> fiber_;  // serves one handler after the other; none until one is started
  std::size_t current_ = 0;
  cycle_t begun_ = 0;
  std::exception_ptr thrown_;
  bool running_ = false;
};

}  // namespace tributary
