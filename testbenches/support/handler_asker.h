// SPDX-License-Identifier: Apache-2.0
// What is asked within a handler, from outside of the simulation.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include <gtest/gtest.h>

#include "scripted_machine.h"

namespace tributary::testing {

/// Asks in the handler of an uncached read, one question after the other. An answer comes with the
/// cycles that the handler took for it.
class handler_asker {
 public:
  using question = std::function<word_t(handler_context&, std::uint64_t storage)>;

  handler_asker() : nodes_(asking()) {}

  std::pair<word_t, std::uint64_t> operator()(question asked) {
    question_ = std::move(asked);
    nodes_.read();
    EXPECT_EQ(nodes_.run(nodes_.machine.now() + 5000), "");
    return {answer_, cycles_};
  }
  magic_machine& machine() { return nodes_.machine; }

 private:
  script asking() {
    script bodies;
    bodies.read = [this](handler_context& context) {
      const cycle_t begun = context.now();
      answer_ = question_(context, machine().node(0).protocols().storage(0).address);
      cycles_ = context.now() - begun;
      context.answer(answer_);
    };
    return bodies;
  }

  question question_;
  word_t answer_ = 0;
  std::uint64_t cycles_ = 0;
  scripted_machine nodes_;
};

}  // namespace tributary::testing
