// SPDX-License-Identifier: Apache-2.0
// A processing element whose references a test sees, and changes where it wants an error.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
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

/// What happens to references on their way; what is empty changes nothing.
struct tampering {
  /// Changes a reference; an answer leaves it out, with that answer.
  std::function<std::optional<word_t>(made_reference&)> request;
  /// Sees the answer of what was performed, and may change it; of a spin, the word that ended it.
  std::function<void(const made_reference&, word_t& answer)> answer;
  /// What a fence does instead of waiting.
  std::function<void()> fence;
};

/// Passes everything on to a context that works, except what is tampered with: an algorithm runs
/// unchanged but for the error.
class tampered_context final : public forwarding_context {
 public:
  tampered_context(program_context& working, tampering how)
      : forwarding_context(working, working.size()), how_(std::move(how)) {}

  pending issue(operation what, std::uint64_t address, word_t e, word_t f) override {
    made_reference made{what, address, e, f};
    const std::optional<word_t> instead = how_.request ? how_.request(made) : std::nullopt;
    const std::uint64_t number = next_++;
    under_way& entry = open_[number];
    entry.made = made;
    if (instead) {
      entry.instead = instead;
    } else {
      entry.real = working_.issue(made.what, made.address, made.e, made.f);
    }
    return {number};
  }
  word_t wait(const pending& reference) override {
    const under_way entry = open_.at(reference.number);
    open_.erase(reference.number);
    if (entry.instead) return *entry.instead;
    return answered(entry.made, working_.wait(entry.real));
  }
  void fence() override { how_.fence ? how_.fence() : working_.fence(); }

 protected:
  word_t spin_until(std::uint64_t address, const word_predicate& predicate) override {
    const word_t seen = forwarding_context::spin_until(address, predicate);
    return answered({operation::load, address, 0, 0}, seen);
  }

 private:
  struct under_way {
    made_reference made;
    std::optional<word_t> instead;
    pending real;
  };

  word_t answered(const made_reference& made, word_t answer) {
    if (how_.answer) how_.answer(made, answer);
    return answer;
  }

  tampering how_;
  std::uint64_t next_ = 1;
  std::map<std::uint64_t, under_way> open_;
};

}  // namespace tributary::testing
