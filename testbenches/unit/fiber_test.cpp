// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <tributary/sim/error.h>
#include <tributary/sim/fiber.h>

namespace tributary {
namespace {

constexpr std::size_t stack_bytes = 65536;

/// Adds its name to a list when it ends.
class witness {
 public:
  witness(std::vector<std::string>& log, std::string name) : log_(log), name_(std::move(name)) {}
  ~witness() { log_.push_back(name_); }
  witness(const witness&) = delete;
  witness& operator=(const witness&) = delete;

 private:
  std::vector<std::string>& log_;
  std::string name_;
};

TEST(fiber, goes_on_where_it_suspended) {
  fiber_stacks stacks(1, stack_bytes);
  std::vector<int> log;
  fiber one(stacks.stack(0), [&](fiber& self) {
    for (int i = 0; i < 3; ++i) {
      log.push_back(i);
      self.suspend();
    }
  });
  EXPECT_TRUE(log.empty());
  for (int i = 0; i < 3; ++i) {
    one.resume();
    EXPECT_EQ(log.back(), i);
    EXPECT_FALSE(one.finished());
  }
  one.resume();
  EXPECT_TRUE(one.finished());
  EXPECT_EQ(log, (std::vector<int>{0, 1, 2}));
  EXPECT_THROW(one.resume(), error);
}

TEST(fiber, exceptions_come_out_of_resume) {
  fiber_stacks stacks(2, stack_bytes);
  fiber at_once(stacks.stack(0), [](fiber&) { throw std::runtime_error("at once"); });
  EXPECT_THROW(at_once.resume(), std::runtime_error);
  EXPECT_TRUE(at_once.finished());

  std::vector<std::string> log;
  fiber later(stacks.stack(1), [&](fiber& self) {
    const witness local(log, "local");
    self.suspend();
    throw 7;
  });
  later.resume();
  EXPECT_THROW(later.resume(), int);
  EXPECT_EQ(log, std::vector<std::string>{"local"});
}

TEST(fiber, exceptions_are_caught_within) {
  fiber_stacks stacks(1, stack_bytes);
  std::string seen;
  fiber one(stacks.stack(0), [&](fiber& self) {
    try {
      self.suspend();
      throw std::runtime_error("inside");
    } catch (const std::exception& problem) {
      seen = problem.what();
    }
    self.suspend();
  });
  one.resume();
  one.resume();
  EXPECT_EQ(seen, "inside");
  EXPECT_FALSE(one.finished());
}

TEST(fiber, each_has_its_own_exceptions_in_flight) {
  // Both suspend while they handle an exception, and leave the handlers in the order in which
  // they entered, which one list of handlers for both would not survive.
  fiber_stacks stacks(2, stack_bytes);
  std::vector<std::string> log;
  const auto body = [&log](const std::string& name) {
    return [&log, name](fiber& self) {
      try {
        throw std::runtime_error(name);
      } catch (const std::exception&) {
        self.suspend();
        try {
          throw;
        } catch (const std::exception& again) {
          log.push_back(again.what());
        }
      }
      self.suspend();
    };
  };
  fiber first(stacks.stack(0), body("first"));
  fiber second(stacks.stack(1), body("second"));
  first.resume();
  second.resume();
  EXPECT_EQ(std::current_exception(), nullptr);
  first.resume();
  second.resume();
  EXPECT_EQ(log, (std::vector<std::string>{"first", "second"}));
}

TEST(fiber, destruction_unwinds) {
  fiber_stacks stacks(3, stack_bytes);
  std::vector<std::string> log;
  {
    fiber never_started(stacks.stack(0), [&](fiber&) { log.push_back("ran"); });
    fiber suspended(stacks.stack(1), [&](fiber& self) {
      const witness outer(log, "outer");
      const auto heap = std::make_unique<std::vector<int>>(1000);
      try {
        const witness inner(log, "inner");
        self.suspend();
        log.push_back("went on");
      } catch (const std::exception&) {
        log.push_back("caught");
      }
    });
    suspended.resume();
  }
  EXPECT_EQ(log, (std::vector<std::string>{"inner", "outer"}));
}

TEST(fiber, destruction_while_an_exception_is_in_flight) {
  fiber_stacks stacks(1, stack_bytes);
  std::vector<std::string> log;
  const auto run = [&] {
    fiber suspended(stacks.stack(0), [&](fiber& self) {
      const witness local(log, "local");
      self.suspend();
    });
    suspended.resume();
    throw std::runtime_error("outside");
  };
  EXPECT_THROW(run(), std::runtime_error);
  EXPECT_EQ(log, std::vector<std::string>{"local"});
}

TEST(fiber, destructors_of_a_cancelled_body_may_suspend) {
  struct suspends_in_destructor {
    fiber& self;
    int& passed;
    ~suspends_in_destructor() {
      self.suspend();
      ++passed;
    }
  };
  fiber_stacks stacks(1, stack_bytes);
  int passed = 0;
  {
    fiber one(stacks.stack(0), [&](fiber& self) {
      const suspends_in_destructor late{self, passed};
      self.suspend();
    });
    one.resume();
  }
  EXPECT_EQ(passed, 1);
}

TEST(fiber, a_body_that_swallows_everything_is_given_up) {
  fiber_stacks stacks(1, stack_bytes);
  int swallowed = 0;
  {
    fiber stubborn(stacks.stack(0), [&](fiber& self) {
      for (;;) {
        try {
          self.suspend();
        } catch (...) {
          ++swallowed;
        }
      }
    });
    stubborn.resume();
  }
  EXPECT_GT(swallowed, 1);
}

/// Touches about `bytes` of stack, a kilobyte a call, and suspends at the bottom.
void recurse(fiber& self, std::size_t bytes) {
  volatile std::uint8_t frame[1024];
  for (std::size_t i = 0; i < sizeof frame; i += 16) frame[i] = 1;
  if (bytes > sizeof frame) {
    recurse(self, bytes - sizeof frame);
  } else {
    self.suspend();
  }
  frame[0] = frame[1023];
}

TEST(fiber_stacks, pooled_ones_are_used_to_their_full_size) {
  fiber_stacks stacks(4, stack_bytes, 0);
  EXPECT_TRUE(stacks.pooled());
  // Under sanitizers a frame takes several times its locals.
  fiber deep(stacks.stack(2), [](fiber& self) { recurse(self, stack_bytes / 8); });
  deep.resume();
  deep.resume();
  EXPECT_TRUE(deep.finished());
}

TEST(fiber_stacks, overflow_of_a_pooled_stack_is_reported) {
  fiber_stacks stacks(4, stack_bytes, 0);
  fiber deep(stacks.stack(2), [](fiber& self) { recurse(self, stack_bytes + 2048); });
  EXPECT_THROW(deep.resume(), fiber_overflow);
  EXPECT_TRUE(deep.finished());
}

TEST(fiber_stacks, overflow_that_has_ended_before_the_suspension_is_reported) {
  fiber_stacks stacks(4, stack_bytes, 0);
  fiber deep(stacks.stack(2), [](fiber&) {
    struct ends {
      static unsigned at(std::size_t bytes) {
        volatile std::uint8_t frame[256];
        for (std::size_t i = 0; i < sizeof frame; i += 16) frame[i] = 1;
        return bytes > sizeof frame ? at(bytes - sizeof frame) + frame[0] : frame[0];
      }
    };
    EXPECT_GT(ends::at(stack_bytes), 0U);
  });
  EXPECT_THROW(deep.resume(), fiber_overflow);
}

TEST(fiber_stacks, guarded_ones_end_the_process) {
  const auto overflow = [] {
    fiber_stacks stacks(2, stack_bytes);
    fiber deep(stacks.stack(1), [](fiber& self) { recurse(self, 2 * stack_bytes); });
    deep.resume();
  };
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(overflow(), "");
}

TEST(fiber_stacks, serve_fiber_after_fiber) {
  for (const std::size_t guard_limit : {std::size_t{0}, std::size_t{100}}) {
    fiber_stacks stacks(3, stack_bytes, guard_limit);
    for (int round = 0; round < 100; ++round) {
      std::vector<std::unique_ptr<fiber>> fibers;
      for (std::size_t i = 0; i < stacks.count(); ++i) {
        fibers.push_back(std::make_unique<fiber>(stacks.stack(i), [](fiber& self) {
          recurse(self, 4096);
          self.suspend();
        }));
        fibers.back()->resume();
      }
      for (const auto& each : fibers) each->resume();
    }
  }
}

TEST(fiber_stacks, many) {
  constexpr std::size_t count = 20000;
  fiber_stacks stacks(count, stack_bytes);
  EXPECT_TRUE(stacks.pooled());
  std::vector<std::unique_ptr<fiber>> fibers;
  std::uint64_t steps = 0;
  for (std::size_t i = 0; i < count; ++i) {
    fibers.push_back(std::make_unique<fiber>(stacks.stack(i), [&steps](fiber& self) {
      ++steps;
      self.suspend();
      ++steps;
    }));
  }
  for (int round = 0; round < 2; ++round) {
    for (const auto& each : fibers) each->resume();
  }
  EXPECT_EQ(steps, 2 * count);
}

}  // namespace
}  // namespace tributary
