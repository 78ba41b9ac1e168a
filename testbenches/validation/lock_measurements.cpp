// SPDX-License-Identifier: Apache-2.0
#include "lock_measurements.h"

#include <tributary/algorithms/mcs_queue_lock.h>

#include "flash_chapter_6.h"

namespace tributary::validation {
namespace {

using testing::synchronizing_config;
using testing::synchronizing_machine;

void wait_until(program_context& context, cycle_t when) {
  if (context.now() < when) context.delay(when - context.now());
}

/// A processor's end of the lock.
class caller {
 public:
  caller(program_context& context, const measured_lock& lock, const synchronizing_machine& machine)
      : context_(context), call_cycles_(lock.call_cycles), lock_(lock.make(context, machine)) {}

  void acquire() {
    context_.delay(call_cycles_);
    lock_->acquire();
  }
  void release() { lock_->release(); }

 private:
  program_context& context_;
  std::uint64_t call_cycles_;
  std::unique_ptr<mutual_exclusion_lock> lock_;
};

/// One run of a contention.
class contenders {
 public:
  contenders(const synchronizing_config& config, const measured_lock& lock,
             const contention_watch& watch)
      : machine_(config), lock_(lock), watch_(watch), nodes_(config.machine.nodes) {}

  contention run() {
    machine_.run([this](program_context& context) { contend(context); }, patience);
    if (watch_.ended) watch_.ended(machine_);
    return found_;
  }

 private:
  static constexpr cycle_t apart = 800;  // between two that ask

  void contend(program_context& context) {
    caller own(context, lock_, machine_);
    wait_until(context, apart * (context.rank() + 1));
    own.acquire();
    if (context.rank() == 0) {
      let_all_wait(context);
      begin_ = context.now();
    } else {
      count(context);
    }
    own.release();
    unlocked_ = context.now();
    found_.all = microseconds(unlocked_ - begin_);
  }

  void let_all_wait(program_context& context) {
    wait_until(context, apart * (nodes_ + 2));
    while (watch_.all_wait && !watch_.all_wait(machine_)) context.delay(apart);
    if (watch_.begins) watch_.begins(machine_);
  }

  void count(program_context& context) {
    const double took = microseconds(context.now() - unlocked_);
    if (next_ == 1) found_.first = took;
    found_.hand_over += took / (nodes_ - 1);
    found_.in_order = found_.in_order && context.rank() == next_;
    ++next_;
  }

  synchronizing_machine machine_;
  const measured_lock& lock_;
  const contention_watch& watch_;
  std::uint32_t nodes_;
  contention found_;
  cycle_t begin_ = 0;
  cycle_t unlocked_ = 0;
  std::uint32_t next_ = 1;
};

}  // namespace

measured_lock measured_flash_lock(flash_lock::manner how) {
  constexpr std::uint64_t number = 5;
  constexpr std::uint64_t call_cycles = 40;
  return {[how](program_context& context, const synchronizing_machine& machine) {
            return std::make_unique<flash_lock>(context, machine.lock_place(number, 0), how);
          },
          call_cycles};
}

measured_lock measured_ll_sc_lock(ll_sc_lock::reading how) {
  return {[how](program_context& context, const synchronizing_machine&) {
    return std::make_unique<ll_sc_lock>(context, lock_words_place, fitted_back_off, how);
  }};
}

measured_lock measured_mcs_lock() {
  return {[](program_context& context, const synchronizing_machine&) {
    return std::make_unique<mcs_queue_lock>(context, lock_words_place,
                                            mcs_queue_lock::clearing::in_acquire);
  }};
}

std::vector<double> acquire_in_turn(const synchronizing_config& config, const measured_lock& lock,
                                    const std::vector<std::uint32_t>& wants,
                                    const at_moment& between) {
  constexpr cycle_t apart = 8000;
  synchronizing_machine machine(config);
  std::vector<double> found;
  const auto look = [&](const program_context& context) {
    if (between && context.rank() == 0) between(machine);
  };
  machine.run(
      [&](program_context& context) {
        caller own(context, lock, machine);
        for (std::size_t i = 0; i < wants.size(); ++i) {
          wait_until(context, apart * (i + 1));
          look(context);
          if (context.rank() != wants[i]) continue;
          const cycle_t begin = context.now();
          own.acquire();
          found.push_back(microseconds(context.now() - begin));
          own.release();
        }
        wait_until(context, apart * (wants.size() + 1));
        look(context);
      },
      patience);
  return found;
}

contention measured_contention(const synchronizing_config& config, const measured_lock& lock,
                               const contention_watch& watch) {
  return contenders(config, lock, watch).run();
}

}  // namespace tributary::validation
