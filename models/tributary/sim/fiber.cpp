// SPDX-License-Identifier: Apache-2.0
#include <tributary/sim/fiber.h>

#include <cxxabi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

#include <boost/context/detail/fcontext.hpp>

#if defined(__SANITIZE_ADDRESS__)
#define TRIBUTARY_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TRIBUTARY_ADDRESS_SANITIZER 1
#endif
#endif
#if defined(TRIBUTARY_ADDRESS_SANITIZER)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace tributary {
namespace {

// The address sanitizer has to be told of each switch, before it with the stack that comes and
// after it on that stack; a null `saved` says that the stack left behind is never entered again.
#if defined(TRIBUTARY_ADDRESS_SANITIZER)
void announce_switch(void** saved, const void* low, std::size_t size) {
  __sanitizer_start_switch_fiber(saved, low, size);
}
void confirm_switch(void* saved, const void** from_low, std::size_t* from_size) {
  __sanitizer_finish_switch_fiber(saved, from_low, from_size);
}
/// Frames that were abandoned leave their marks behind.
void forget_frames(const std::byte* low, std::size_t size) {
  ASAN_UNPOISON_MEMORY_REGION(low, size);
}
#else
void announce_switch(void**, const void*, std::size_t) {}
void confirm_switch(void*, const void**, std::size_t*) {}
void forget_frames(const std::byte*, std::size_t) {}
#endif

constexpr std::size_t canary_bytes = 128;
constexpr int canary = 0xa5;
/// Where guarded stacks begin: so many places, a line of the cache apart, in half a page.
constexpr std::size_t beginnings = 32;
constexpr std::size_t between_beginnings = 64;
/// Suspensions that a body may refuse to leave while it is destroyed.
constexpr unsigned refusal_limit = 1000;

std::size_t round_up(std::size_t size, std::size_t unit) { return (size + unit - 1) / unit * unit; }

std::byte* reserve(std::size_t size, std::size_t count) {
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    throw error("cannot reserve " + std::to_string(size) + " bytes for the stacks of " +
                std::to_string(count) + " fibers: " + std::generic_category().message(errno) +
                "; use smaller stacks");
  }
  return static_cast<std::byte*>(memory);
}

void protect(std::byte* page, std::size_t size) {
  if (mprotect(page, size, PROT_NONE) != 0) {
    throw error("cannot guard a fiber's stack: " + std::generic_category().message(errno) +
                "; the system allows too few memory maps (vm.max_map_count)");
  }
}

}  // namespace

fiber_stacks::fiber_stacks(std::size_t count, std::size_t bytes_each, std::size_t guard_limit)
    : count_(count),
      page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))),
      pooled_(count > guard_limit) {
  bytes_each_ = round_up(bytes_each, page_);
  // Guarded: a page below each stack, and one in which it begins. Pooled: one below the first, and
  // a page above the last, because the boundaries lie within pages.
  reserved_ = count_ * stride() + 2 * page_;
  memory_ = reserve(reserved_, count_);
  try {
    for (std::size_t i = 0; i < (pooled_ ? 1 : count_); ++i) protect(memory_ + i * stride(), page_);
  } catch (...) {
    munmap(memory_, reserved_);
    throw;
  }
}

fiber_stacks::~fiber_stacks() {
  forget_frames(memory_, reserved_);
  munmap(memory_, reserved_);
}

std::size_t fiber_stacks::stride() const { return bytes_each_ + (pooled_ ? 0 : 2 * page_); }

/// A boundary lies shortly before the end of a page, so that the pattern at the low end of one
/// stack and the frames at the high end of the stack below share it: a small program takes one
/// page.
std::byte* fiber_stacks::pooled_low(std::size_t i) const {
  return memory_ + page_ + i * bytes_each_ + (page_ - 2 * canary_bytes);
}

fiber_stack fiber_stacks::stack(std::size_t i) {
  fiber_stack one;
  one.pooled = pooled_;
  one.size = bytes_each_ + (pooled_ ? 0 : page_ - i % beginnings * between_beginnings);
  one.low = pooled_ ? pooled_low(i) : memory_ + i * stride() + page_;
  forget_frames(one.low, one.size);
  if (pooled_) std::memset(one.low, canary, canary_bytes);
  return one;
}

struct fiber::entry_point {
  /// The first function on the new stack; it never returns.
  static void enter(boost::context::detail::transfer_t from) {
    auto* self = static_cast<fiber*>(from.data);
    self->caller_ = from.fctx;
    confirm_switch(nullptr, &self->caller_low_, &self->caller_size_);
    self->run();
    self->switch_out(true);
  }
};

fiber::fiber(const fiber_stack& stack, std::function<void(fiber&)> body)
    : stack_(stack), body_(std::move(body)) {
  context_ = boost::context::detail::make_fcontext(stack_.low + stack_.size, stack_.size,
                                                   &entry_point::enter);
}

fiber::~fiber() {
  if (!started_ || finished_) return;
  cancelled_ = true;
  switch_in();
}

void fiber::resume() {
  if (finished_) throw error("a fiber that has ended was resumed");
  started_ = true;
  switch_in();
  if (overflow_) {
    finished_ = true;
    throw fiber_overflow("the stack of " + std::to_string(stack_.size) +
                         " bytes overflowed; give it more, or recurse less deeply");
  }
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void fiber::fetch() const {
  constexpr std::size_t frames = 384;  // of a reference that a program awaits
  constexpr std::size_t line = 64;
  const auto* from = static_cast<const char*>(context_);
  for (std::size_t at = 0; at < frames; at += line) __builtin_prefetch(from + at, 1);
}

void fiber::suspend() {
  if (cancelled_) {
    // A body that swallows the cancellation and asks again, or a destructor on the way out.
    if (++refusals_ > refusal_limit) {
      finished_ = true;
      switch_out(true);
    }
    if (std::uncaught_exceptions() > 0) return;
    throw cancellation{};
  }
  switch_out(overflowed());
  if (cancelled_) throw cancellation{};
}

void fiber::run() {
  try {
    body_(*this);
  } catch (const cancellation&) {
    // The stack is unwound, which was all that was wanted.
  } catch (...) {
    if (!cancelled_) failure_ = std::current_exception();
  }
  finished_ = true;
}

void fiber::switch_in() {
  exchange_exception_state();
  announce_switch(&caller_fake_stack_, stack_.low, stack_.size);
  const boost::context::detail::transfer_t back =
      boost::context::detail::jump_fcontext(context_, this);
  confirm_switch(caller_fake_stack_, nullptr, nullptr);
  context_ = back.fctx;
  exchange_exception_state();
}

void fiber::switch_out(bool for_good) {
  overflow_ = overflow_ || overflowed();
  announce_switch(for_good ? nullptr : &own_fake_stack_, caller_low_, caller_size_);
  const boost::context::detail::transfer_t back =
      boost::context::detail::jump_fcontext(caller_, nullptr);
  caller_ = back.fctx;
  confirm_switch(own_fake_stack_, &caller_low_, &caller_size_);
}

bool fiber::overflowed() const {
  if (!stack_.pooled) return false;
  const std::byte here{};
  // An integer comparison: the two are different objects.
  if (reinterpret_cast<std::uintptr_t>(&here) <
      reinterpret_cast<std::uintptr_t>(stack_.low + canary_bytes)) {
    return true;
  }
  for (std::size_t i = 0; i < canary_bytes; i += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, stack_.low + i, sizeof word);
    if (word != 0xa5a5a5a5a5a5a5a5ULL) return true;
  }
  return false;
}

void fiber::exchange_exception_state() {
  // Itanium C++ ABI, exception handling, 2.2.2: both C++ runtimes lay it out like this.
  exception_state current;
  void* const place = abi::__cxa_get_globals();
  std::memcpy(static_cast<void*>(&current), place, sizeof current);
  std::memcpy(place, static_cast<const void*>(&exceptions_), sizeof exceptions_);
  exceptions_ = current;
}

}  // namespace tributary
