// SPDX-License-Identifier: Apache-2.0
// A program that uses everything that programs have, in an order of its own.
#pragma once

#include <cstdint>
#include <vector>

#include <tributary/processor/program.h>
#include <tributary/sim/error.h>

namespace tributary::testing {

/// Whether `what` throws `simulation_error`, after which a program may go on.
template <class Function>
bool refused(const Function& what) {
  try {
    what();
    return false;
  } catch (const simulation_error&) {
    return true;
  }
}

/// One element's walk; what it does depends on its draws, on replies and on their order.
class wanderer_walk {
 public:
  explicit wanderer_walk(program_context& context) : c_(context), sum_(context.rank()) {
    for (std::uint64_t i = 0; i < 6; ++i) words_.push_back(c_.shared_address(i * 5));
    words_.push_back(c_.local_address(2));
    words_.push_back(c_.local_address(pe_id{(c_.rank() + 1) % c_.size()}, 2));
  }

  void step() {
    const std::uint64_t word = words_[c_.random(words_.size())];
    switch (c_.random(13)) {
      case 0:
        sum_ += c_.fetch_add(word, sum_ % 7 + 1);
        break;
      case 1:
        c_.store(word, sum_);
        break;
      case 2:
        sum_ ^= c_.compare_and_swap(word, sum_, sum_ + 1);
        break;
      case 3:
        overlap(word);
        break;
      case 4:
        c_.post(operation::fetch_max, word, sum_);
        break;
      case 5:
        spin(word);
        break;
      case 6:
        c_.delay(1 + sum_ % 100);
        break;
      case 7:
        sum_ += c_.now() % 5;
        break;
      case 8:
        c_.fence();
        sum_ += c_.now() % 3;
        break;
      case 9:
        fence_after_many(word);
        break;
      case 10:
        toggle(sum_ % 2 == 0 ? "inner" : "outer", open_[sum_ % 2]);
        break;
      case 11:
        err(word);
        break;
      default:
        c_.mark(sum_ % 2 == 0 ? "even" : "odd");
        c_.sample("sum", sum_ % 1000);
    }
  }

 private:
  void overlap(std::uint64_t word) {
    const pending first = c_.issue(operation::fetch_xor, word, sum_);
    const pending second = c_.issue(operation::load, words_[sum_ % words_.size()]);
    if (sum_ % 2 == 0) c_.delay(sum_ % 50);
    sum_ += c_.wait(second);
    sum_ += 3 * c_.wait(first);
  }

  void spin(std::uint64_t word) {
    // Somebody changes the word sooner or later, for everybody wanders.
    const word_t now = c_.load(word);
    sum_ += c_.spin(word, [now](word_t seen) { return seen != now || seen % 4 != 1; });
  }

  void fence_after_many(std::uint64_t word) {
    const pending issued = c_.issue(operation::fetch_add, word, 3);
    for (std::uint64_t i = 0; i < sum_ % 5; ++i) c_.post(operation::fetch_add, words_[i], i);
    if (sum_ % 3 == 0) c_.delay(sum_ % 40);
    c_.fence();
    sum_ += c_.wait(issued);
  }

  void toggle(const char* name, bool& open) {
    if (open) {
      c_.end(name);
    } else {
      c_.begin(name);
    }
    open = !open;
  }

  void err(std::uint64_t word) {
    const pending once = c_.issue(operation::load, word);
    sum_ += c_.wait(once);
    sum_ += refused([&] { c_.wait(once); }) ? 1 : 100;
    sum_ += refused([&] { c_.store(word + 1, 0); }) ? 1 : 100;
    sum_ += refused([&] { c_.post(operation::store, word + 1, 0); }) ? 1 : 100;
    sum_ += refused([&] { c_.mark("No name"); }) ? 1 : 100;
    sum_ += refused([&] { c_.sample("", sum_); }) ? 1 : 100;
    sum_ += refused([&] { c_.end("inner"); }) ? 1 : 2;
    open_[0] = false;
  }

  program_context& c_;
  word_t sum_;
  std::vector<std::uint64_t> words_;
  bool open_[2] = {false, false};
};

/// The program.
inline void wanderer(program_context& context) {
  wanderer_walk walk(context);
  for (;;) walk.step();
}

}  // namespace tributary::testing
