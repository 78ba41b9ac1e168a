// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/radix_broadcast.h>

#include <string>

#include <tributary/sim/error.h>

namespace tributary {

void check_reflective_radix(std::uint32_t radix) {
  if (radix >= 2) return;
  throw configuration_error({"program.radix", "", "a tree of radix " + std::to_string(radix),
                             "2 or more", "choose how many nodes each node tells"});
}

bill_board::ranks all_but_root(std::uint32_t nodes) {
  bill_board::ranks all;
  for (std::uint32_t i = 1; i < nodes; ++i) all.push_back(i);
  return all;
}

radix_broadcast::radix_broadcast(program_context& context, const bill_board_layout& layout,
                                 std::uint32_t radix)
    : context_(context),
      board_(context, layout),
      buffers_(layout.buffers),
      tree_((check_reflective_radix(radix), layout.nodes), radix) {}

radix_broadcast::words radix_broadcast::broadcast(const words& data) {
  const std::uint32_t own = context_.rank();
  if (own == 0) {
    board_.write(buffer_, data, all_but_root(context_.size()));
  } else {
    board_.await(tree_.parent(own), buffer_);
  }
  const std::uint32_t first = tree_.first_child(own);
  for (std::uint32_t i = 0; i < tree_.children(own); ++i) board_.notify(first + i, buffer_);
  return own == 0 ? data : board_.read(0, buffer_, data.size());
}

void radix_broadcast::release() {
  if (context_.rank() == 0) {
    board_.reclaim(buffer_);
  } else {
    board_.acknowledge(0, buffer_);
  }
  buffer_ = (buffer_ + 1) % buffers_;
}

}  // namespace tributary
