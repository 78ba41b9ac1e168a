// SPDX-License-Identifier: Apache-2.0
// A message on its way between nodes: header and words, without a buffer of either node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <tributary/controller/message.h>
#include <tributary/memory/line.h>
#include <tributary/sim/error.h>
#include <tributary/sim/ids.h>
#include <tributary/sim/state.h>

namespace tributary {

/// What travels. A doubleword's payload is `words[0]`.
struct network_message {
  message header;  ///< of what stays within a node it has nothing
  line_data words{};

  TRIBUTARY_STATE(header, words);
};

/// The messages that are on their way, of all nodes of a machine. The network carries a place in it
/// as `network_transfer::cargo` and need not know what a message is.
class message_pool {
 public:
  message_pool() = default;
  message_pool(const message_pool&) = delete;
  message_pool& operator=(const message_pool&) = delete;

  /// The place of a new message.
  std::uint64_t put(const network_message& carried) {
    const std::uint64_t place = put(carried.header);
    at(place).words = carried.words;
    return place;
  }

  /// The same of a message whose words follow, by `at`.
  std::uint64_t put(const message& header) {
    const std::uint64_t place = take_place();
    items_[static_cast<std::size_t>(place)].carried.header = header;
    return place;
  }

  /// Throws `simulation_error` for a place without a message. The reference ends with the next put.
  network_message& at(std::uint64_t place) {
    if (place >= items_.size() || !items_[static_cast<std::size_t>(place)].used) {
      throw simulation_error("no message is on its way at place " + std::to_string(place) +
                             " of the pool; what carries messages lost or doubled one");
    }
    return items_[static_cast<std::size_t>(place)].carried;
  }
  /// The message has arrived. Throws as `at` does.
  void remove(std::uint64_t place) {
    at(place);
    items_[static_cast<std::size_t>(place)].used = false;
    free_.push_back(place);
  }

  /// Of the messages and of what their places will be.
  TRIBUTARY_STATE(items_, free_);

  /// Messages that are on their way.
  std::size_t size() const noexcept { return items_.size() - free_.size(); }

 private:
  struct item {
    network_message carried;
    bool used = false;

    TRIBUTARY_STATE(carried, used);
  };

  std::uint64_t take_place() {
    std::uint64_t place = items_.size();
    if (free_.empty()) {
      items_.emplace_back();
    } else {
      place = free_.back();
      free_.pop_back();
    }
    items_[static_cast<std::size_t>(place)].used = true;
    return place;
  }

  std::vector<item> items_;
  std::vector<std::uint64_t> free_;
};

}  // namespace tributary
