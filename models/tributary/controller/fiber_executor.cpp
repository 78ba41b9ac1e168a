// SPDX-License-Identifier: Apache-2.0
#include <tributary/controller/fiber_executor.h>

#include <utility>

#include <tributary/sim/error.h>
#include <tributary/sim/state_archive.h>

namespace tributary {

/// What passes between the fiber and whoever resumes it.
class fiber_executor::context final : public handler_context {
 public:
  context(node_id here, const address_layout& addresses) : handler_context(here, addresses) {}

  void begin(const message& with) {
    arrived_ = with;
    spent_ = 0;
    answers_.clear();
  }
  /// Answers what is asked next by these, and then nothing until `end_replay`.
  void begin_replay(std::vector<handler_answer> answers) { replayed_ = std::move(answers); }
  /// Whether the handler asked for all that it is answered.
  bool end_replay() {
    const bool all = answers_.size() == replayed_->size();
    replayed_.reset();
    return all;
  }
  const std::vector<handler_answer>& answers() const { return answers_; }
  void run_on(fiber& self) { fiber_ = &self; }
  void end() {
    end_.spent = spent_;
    request_ = &end_;
  }
  const handler_request& request() const { return *request_; }
  void answer_with(const handler_answer& found) { answer_ = found; }
  void ask_first(prompt_controller& controller) { prompt_ = &controller; }

 private:
  handler_answer ask(const handler_request& asked) override {
    if (replayed_ && answers_.size() < replayed_->size()) {
      answer_ = (*replayed_)[answers_.size()];
    } else if (!is_done_at_once(asked)) {
      request_ = &asked;
      fiber_->suspend();
    }
    answers_.push_back(answer_);
    return answer_;
  }

  /// A switch of fibers costs more than most operations.
  bool is_done_at_once(const handler_request& asked) {
    return !replayed_ && prompt_ != nullptr && !fiber_->cancelled() &&
           prompt_->perform_at_once(asked, answer_);
  }

  handler_request end_;
  const handler_request* request_ = &end_;  // on the fiber's stack, which is suspended
  handler_answer answer_;
  std::vector<handler_answer> answers_;  // of the handler that runs
  std::optional<std::vector<handler_answer>> replayed_;
  fiber* fiber_ = nullptr;
  prompt_controller* prompt_ = nullptr;
};

namespace {

// Two stacks as if there were too many for guard pages: what overflows the upper one runs into the
// lower one, which nobody uses, and is an error that can be caught.
constexpr std::size_t stacks = 2;
constexpr std::size_t no_guards = 0;

std::string text_of(const std::exception_ptr& why) {
  try {
    std::rethrow_exception(why);
  } catch (const std::exception& failure) {
    return failure.what();
  } catch (...) {
    return "threw something that is no exception";
  }
}

}  // namespace

fiber_executor::fiber_executor(node_id node, const address_layout& addresses,
                               std::vector<handler> handlers, std::size_t stack_bytes)
    : node_(node),
      handlers_(std::move(handlers)),
      stacks_(stacks, stack_bytes, no_guards),
      context_(std::make_unique<context>(node, addresses)) {}

fiber_executor::~fiber_executor() = default;

handler_request fiber_executor::start(handler_id run, const message& with, cycle_t at) {
  const auto place = static_cast<std::size_t>(run);
  if (running_) {
    throw error("handler '" + handlers_[current_].name + "' of node " +
                std::to_string(index(node_)) + " has not ended, so no other can be started");
  }
  if (place >= handlers_.size()) {
    throw error("there is no handler " + std::to_string(place) + " on node " +
                std::to_string(index(node_)) + ", which has " + std::to_string(handlers_.size()));
  }
  if (!fiber_) {
    fiber_ =
        std::make_unique<fiber>(stacks_.stack(stacks - 1), [this](fiber& self) { serve(self); });
  }
  current_ = place;
  begun_ = at;
  running_ = true;
  context_->begin(with);
  return advance();
}

handler_request fiber_executor::resume(const handler_answer& found) {
  if (!running_) {
    throw error("no handler of node " + std::to_string(index(node_)) +
                " is running that could be resumed");
  }
  context_->answer_with(found);
  return advance();
}

void fiber_executor::abandon() {
  if (!running_) return;
  running_ = false;
  fiber_.reset();
  thrown_ = nullptr;
}

void fiber_executor::ask_first(prompt_controller& controller) { context_->ask_first(controller); }

handler_request fiber_executor::advance() {
  try {
    fiber_->resume();
  } catch (...) {
    // The stack overflowed: nothing on it can go on.
    fiber_.reset();
    fail(std::current_exception());
  }
  if (thrown_) fail(std::exchange(thrown_, nullptr));
  if (context_->request().operation == handler_operation::finish) running_ = false;
  return context_->request();
}

void fiber_executor::serve(fiber& self) {
  context_->run_on(self);
  for (;;) {
    try {
      handlers_[current_].body(*context_);
    } catch (...) {
      if (self.cancelled()) throw;
      thrown_ = std::current_exception();
    }
    context_->end();
    self.suspend();
  }
}

void fiber_executor::fail(const std::exception_ptr& why) {
  running_ = false;
  throw simulation_error("handler '" + handlers_[current_].name + "' of node " +
                         std::to_string(index(node_)) + ", begun in cycle " +
                         std::to_string(begun_) + ": " + text_of(why));
}

std::string fiber_executor::save() const {
  if (!running_) return save_state(false);
  return save_state(true, static_cast<std::uint64_t>(current_), begun_, context_->arrived(),
                    context_->answers());
}

std::optional<handler_request> fiber_executor::restore(const std::string& state) {
  abandon();
  bool runs = false;
  restore_beginning(state, runs);
  if (!runs) {
    restore_state(state, runs);
    return std::nullopt;
  }
  std::uint64_t run = 0;
  cycle_t begun = 0;
  message with;
  std::vector<handler_answer> answers;
  restore_state(state, runs, run, begun, with, answers);
  require_state(run < handlers_.size(), "the handler that runs does not exist");
  context_->begin_replay(std::move(answers));
  handler_request last;
  try {
    last = start(static_cast<handler_id>(run), with, begun);
  } catch (const error& problem) {
    context_->end_replay();
    throw input_error(std::string("checkpoint does not fit this machine: ") + problem.what());
  }
  require_state(context_->end_replay() && running_,
                "a handler does not do what it did before; handlers may depend on nothing but "
                "their message and their answers");
  return last;
}

}  // namespace tributary
