// SPDX-License-Identifier: Apache-2.0
// A message on its way between nodes: header and words, without a buffer of either node.
#pragma once

#include <cstdint>
#include <string>

#include <tributary/controller/message.h>
#include <tributary/memory/line.h>
#include <tributary/network/cargo_pool.h>
#include <tributary/sim/state.h>

namespace tributary {

/// What travels. A doubleword's payload is `words[0]`.
struct network_message {
  message header;  ///< of what stays within a node it has nothing
  line_data words{};

  TRIBUTARY_STATE(header, words);
};

/// The messages of nodes whose controllers speak to each other.
class message_pool final : public cargo_pool<network_message> {
 public:
  using cargo_pool::put;
  /// The place of a new message whose words follow, by `at`.
  std::uint64_t put(const message& header) {
    const std::uint64_t place = take_place();
    fresh(place).header = header;
    return place;
  }

  std::string save() const override;
  void restore(const std::string& state) override;
};

}  // namespace tributary
