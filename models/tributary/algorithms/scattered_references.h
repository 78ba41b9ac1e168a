// SPDX-License-Identifier: Apache-2.0
// References that never combine, spread over the memory modules: the work between coordinations.
#pragma once

#include <cstdint>

#include <tributary/processor/program.h>
#include <tributary/sim/random_stream.h>

namespace tributary {

/// One element's loads of words that no other refers to, in modules drawn evenly from all: the
/// shared references of a superstep (FG 4.1) and the "non-combinable" ones of FG 4.2. Each element
/// makes one when its program begins.
class scattered_references {
 public:
  /// Of the region "shared", in each module: words from `first_row` on, one for each element. The
  /// rows below are free for whatever the program coordinates by.
  static constexpr std::uint64_t first_row = 1024;

  /// Draws one random number, which costs its cycle (`program.random_cycles`), so that modules
  /// differ from seed to seed; on every machine they are the same.
  explicit scattered_references(program_context& context);

  /// Performs `count` loads, each awaited. To draw a module costs nothing.
  void perform(std::uint64_t count);

 private:
  program_context& context_;
  random_stream modules_;
};

}  // namespace tributary
