// SPDX-License-Identifier: Apache-2.0
// A processing element that breaks a promise, so that a test of an algorithm has to notice.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include <tributary/memory/operation.h>
#include <tributary/processor/program.h>

#include "forwarding_context.h"

namespace tributary::testing {

/// What is wrong with the element.
enum class context_fault : std::uint8_t {
  none,
  no_fence,       ///< a fence does nothing
  posted_stores,  ///< a store is not waited for
  split_updates   ///< a fetch-and-phi operation is a load and then a store
};

/// Bad luck that an algorithm has to stand: an element that is held up, a memory that is slow to
/// take what nobody waits for.
struct adversity {
  /// One reference in eight is made late, by up to so many cycles.
  std::uint64_t hesitation = 0;
  /// A posted reference is made only with a fence, with the element's next reference to the word,
  /// or when `finish` is called.
  bool holds_posts = false;
};

/// Passes everything on to a context that works, with that fault: the algorithm that is tested
/// runs unchanged without what it relies on.
class faulty_context final : public forwarding_context {
 public:
  faulty_context(program_context& working, context_fault fault, const adversity& luck = {})
      : forwarding_context(working, working.size()), fault_(fault), luck_(luck) {}

  pending issue(operation what, std::uint64_t address, word_t e, word_t f) override {
    if (fault_ == context_fault::posted_stores && what == operation::store) {
      post(what, address, e, f);
      return remember(0);
    }
    hesitate();
    let_go(address);
    const bool updates = what != operation::load && what != operation::store;
    if (fault_ == context_fault::split_updates && updates) {
      const word_t old = working_.load(address);
      working_.store(address, apply(function_of(what, e, f), old));
      return remember(old);
    }
    return working_.issue(what, address, e, f);
  }
  word_t wait(const pending& reference) override {
    const auto known = answers_.find(reference.number);
    if (known == answers_.end()) return working_.wait(reference);
    const word_t answer = known->second;
    answers_.erase(known);
    return answer;
  }
  void post(operation what, std::uint64_t address, word_t e, word_t f) override {
    hesitate();
    let_go(address);
    if (luck_.holds_posts) {
      held_.push_back({what, address, e, f});
    } else {
      working_.post(what, address, e, f);
    }
  }
  void fence() override {
    if (fault_ != context_fault::no_fence) finish();
  }
  /// Makes the posted references that were held, and waits for everything.
  void finish() {
    for (const held& each : held_) working_.post(each.what, each.address, each.e, each.f);
    held_.clear();
    working_.fence();
  }

 protected:
  word_t spin_until(std::uint64_t address, const word_predicate& predicate) override {
    hesitate();
    let_go(address);
    return forwarding_context::spin_until(address, predicate);
  }

 private:
  struct held {
    operation what;
    std::uint64_t address;
    word_t e;
    word_t f;
  };

  void hesitate() {
    if (luck_.hesitation == 0 || working_.random(8) != 0) return;
    working_.delay(working_.random(luck_.hesitation + 1));
  }
  /// References of one element to one word keep their order.
  void let_go(std::uint64_t address) {
    const auto about = [address](const held& each) { return each.address == address; };
    for (const held& each : held_) {
      if (about(each)) working_.post(each.what, each.address, each.e, each.f);
    }
    held_.erase(std::remove_if(held_.begin(), held_.end(), about), held_.end());
  }

  pending remember(word_t answer) {
    answers_[next_] = answer;
    return {next_++};
  }

  context_fault fault_;
  adversity luck_;
  std::vector<held> held_;
  std::uint64_t next_ = std::uint64_t{1} << 63;  // numbers that no working context gives
  std::map<std::uint64_t, word_t> answers_;
};

}  // namespace tributary::testing
