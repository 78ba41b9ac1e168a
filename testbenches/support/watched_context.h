// SPDX-License-Identifier: Apache-2.0
// A processing element whose references a test sees, and holds up where it wants.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include <tributary/memory/operation.h>
#include <tributary/processor/program.h>

#include "forwarding_context.h"

namespace tributary::testing {

/// A reference that the program makes.
struct made_reference {
  operation what = operation::load;
  std::uint64_t address = 0;
  word_t e = 0;
  word_t f = 0;
};

/// What happens to references on their way.
struct reference_watch {
  /// Called before a reference is made, and may hold it up.
  std::function<void(const made_reference&)> before;
  /// Sees the answer of what was performed; of a spin, the word that ended it.
  std::function<void(const made_reference&, word_t answer)> after;
  /// What a fence does instead of waiting.
  std::function<void()> fence;
};

/// Passes everything on to a context that works, watched: an algorithm runs unchanged but for when
/// its references are made.
class watched_context final : public forwarding_context {
 public:
  watched_context(program_context& working, reference_watch watch)
      : forwarding_context(working, working.size()), watch_(std::move(watch)) {}

  pending issue(operation what, std::uint64_t address, word_t e, word_t f) override {
    const made_reference made{what, address, e, f};
    if (watch_.before) watch_.before(made);
    const pending reference = working_.issue(what, address, e, f);
    open_[reference.number] = made;
    return reference;
  }
  word_t wait(const pending& reference) override {
    const word_t answer = working_.wait(reference);
    answered(open_.at(reference.number), answer);
    open_.erase(reference.number);
    return answer;
  }
  void fence() override { watch_.fence ? watch_.fence() : working_.fence(); }

 protected:
  word_t spin_until(std::uint64_t address, const word_predicate& predicate) override {
    const word_t seen = forwarding_context::spin_until(address, predicate);
    answered({operation::load, address, 0, 0}, seen);
    return seen;
  }

 private:
  void answered(const made_reference& made, word_t answer) const {
    if (watch_.after) watch_.after(made, answer);
  }

  reference_watch watch_;
  std::map<std::uint64_t, made_reference> open_;  // by number
};

}  // namespace tributary::testing
