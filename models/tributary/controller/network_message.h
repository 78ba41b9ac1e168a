// SPDX-License-Identifier: Apache-2.0
// A message on its way between nodes: header and words, without a buffer of either node.
#pragma once

#include <cstdint>
#include <string>

#include <tributary/controller/message.h>
#include <tributary/memory/line.h>
#include <tributary/network/cargo_pool.h>
#include <tributary/sim/observer.h>
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
  std::uint64_t put(const network_message& whole) {
    if (!observers_.empty()) observers_.notify(whole.header);
    return cargo_pool::put(whole);
  }
  /// The place of a new message whose words follow, by `at`.
  std::uint64_t put(const message& header) {
    if (!observers_.empty()) observers_.notify(header);
    const std::uint64_t place = take_place();
    fresh(place).header = header;
    return place;
  }
  /// Told of each message that is put in, of those to the own node too.
  observer_list<message>& observers() { return observers_; }

  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  observer_list<message> observers_;
};

}  // namespace tributary
