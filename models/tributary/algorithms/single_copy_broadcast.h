// SPDX-License-Identifier: Apache-2.0
// The broadcast of the first bill board: the root writes once and sets all flags itself.
#pragma once

#include <tributary/algorithms/radix_broadcast.h>

namespace tributary {

/// Source: Moorthy et al., CANPC 2000, section 3.1 ("single copy").
class single_copy_broadcast final : public reflective_broadcast {
 public:
  single_copy_broadcast(program_context& context, const bill_board_layout& layout)
      : context_(context), board_(context, layout) {}

  words broadcast(const words& data) override {
    const bool is_root = context_.rank() == 0;
    if (is_root) {
      board_.write(0, data, all_but_root(context_.size()));
      for (std::uint32_t i = 1; i < context_.size(); ++i) board_.notify(i, 0);
      return data;
    }
    board_.await(0, 0);
    return board_.read(0, 0, data.size());
  }

  void release() override {
    if (context_.rank() == 0) {
      board_.reclaim(0);
    } else {
      board_.acknowledge(0, 0);
    }
  }

 private:
  program_context& context_;
  bill_board board_;
};

}  // namespace tributary
