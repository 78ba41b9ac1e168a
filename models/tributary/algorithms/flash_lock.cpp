// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/flash_lock.h>

#include <string>

#include <fmt/format.h>

#include <tributary/sim/error.h>

namespace tributary {
namespace {

/// Cycles between looks at a lock that is not waited for without end.
constexpr std::uint64_t look_cycles = 16;

void check_lock_range(const char* key, std::uint64_t value, std::uint64_t most) {
  if (value <= most) return;
  throw configuration_error({std::string("flash_lock.") + key, "",
                             std::to_string(value) + " is out of range",
                             fmt::format("0 to {}", most), "choose one that is not"});
}

}  // namespace

flash_lock::flash_lock(program_context& context, const flash_lock_place& place, manner how)
    : context_(context), place_(place), how_(how) {
  if (place.count == 0 || place.count > lock_command::most) {
    throw configuration_error(
        {"flash_lock.count", "", std::to_string(place.count) + " is out of range",
         fmt::format("1 to {}", lock_command::most), "give the controllers locks"});
  }
  check_lock_range("number", place.number, place.count - 1);
  check_lock_range("home", index(place.home), place.nodes - 1);
  context.store(address(lock_command::home(place.number)), index(place.home));
}

void flash_lock::acquire() {
  if (how_ == manner::aggressive) ask_first();
  while (!attempt()) await();
}

bool flash_lock::try_acquire(std::uint64_t cycles) {
  const cycle_t end = context_.now() + cycles;
  if (how_ == manner::aggressive) ask_first();
  while (!attempt()) {
    if (context_.now() >= end) return false;
    context_.delay(look_cycles);
  }
  return true;
}

/// The token goes out of the copy before the controller is told, in one step: else the processor
/// could lock what is given away already.
void flash_lock::release() {
  if (!held_) fail("is given back by a process that does not hold it", "acquire it first");
  context_.fence();
  for (;;) {
    const lock_state now = look();
    lock_state left = now;
    left.set_locked(false);
    if (now.awaited()) {
      left.set_token(false);
      left.clear_next();
    }
    if (!context_.store_conditional(state(), left.word())) continue;
    held_ = false;
    if (now.awaited()) context_.store(address(lock_command::unlock(place_.number)), left.word());
    return;
  }
}

lock_state flash_lock::look() {
  const lock_state now(context_.load_linked(state()));
  if (!now.initialized()) {
    fail("was not told to this node",
         "raise locks.count, or locks.queues if this node is the home of many");
  }
  if (now.unknown()) fail("was asked for before its home knew of it", "make it there first");
  const bool is_home = place_.home == context_.node();
  if (now.is_home() != is_home || (!is_home && now.home() != place_.home)) {
    fail("has another home", "give it the same one everywhere");
  }
  seen_ = now;
  return now;
}

bool flash_lock::attempt() {
  lock_state mine = look();
  if (mine.token() && !mine.locked()) {
    mine.lock();
    held_ = context_.store_conditional(state(), mine.word());
    return held_;
  }
  if (!mine.token() && !mine.requested()) {
    // So that it does not ask again while its copy is older than its request.
    mine.set_requested(true);
    if (context_.store_conditional(state(), mine.word())) ask(mine);
  }
  return false;
}

void flash_lock::ask_first() {
  lock_state known = seen_;
  known.set_token(true);
  ask(known);
}

void flash_lock::ask(lock_state seen) {
  context_.store(address(lock_command::token(place_.number)), seen.word());
}

void flash_lock::await() {
  context_.spin(state(), [](word_t word) {
    const lock_state seen(word);
    return seen.token() ? !seen.locked() : !seen.requested() || seen.unknown();
  });
}

std::uint64_t flash_lock::address(std::uint64_t offset) const {
  return lock_command::address(place_.addresses, context_.node(), offset);
}

std::uint64_t flash_lock::state() const {
  return address(lock_command::state(place_.number, place_.line));
}

void flash_lock::fail(const char* problem, const char* advice) const {
  throw simulation_error(fmt::format("lock {} {} (processor {}, process {}, home {}, cycle {}); {}",
                                     place_.number, problem, index(context_.node()),
                                     context_.rank() % context_.processes(), index(place_.home),
                                     context_.now(), advice));
}

}  // namespace tributary
