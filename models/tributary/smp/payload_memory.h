// SPDX-License-Identifier: Apache-2.0
// Payloads of messages that lie in a node's memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <tributary/controller/message.h>
#include <tributary/memory/line.h>
#include <tributary/sim/error.h>
#include <tributary/sim/state.h>

namespace tributary {

/// As many as are asked for, each of a line at most: a node has memory enough. Who allocates one
/// holds it; it is free again when its last holder has released it.
class payload_memory {
 public:
  /// Words are 0. Throws `simulation_error` if the handles run out.
  payload_handle allocate() {
    std::size_t place = payloads_.size();
    if (free_.empty()) {
      if (place == static_cast<std::size_t>(no_payload)) {
        throw simulation_error("a node holds more than 65535 payloads; handlers must release them");
      }
      payloads_.emplace_back();
    } else {
      place = free_.back();
      free_.pop_back();
    }
    payloads_[place] = {{}, 1};
    return payload_handle{static_cast<std::uint16_t>(place)};
  }

  bool has(payload_handle data) const {
    const auto place = static_cast<std::size_t>(data);
    return place < payloads_.size() && payloads_[place].holders != 0;
  }
  /// Of one that it `has`.
  void retain(payload_handle data) { ++at(data).holders; }
  void release(payload_handle data) {
    if (--at(data).holders == 0) free_.push_back(static_cast<std::uint16_t>(data));
  }
  line_data& words(payload_handle data) { return at(data).words; }
  const line_data& words(payload_handle data) const {
    return payloads_[static_cast<std::size_t>(data)].words;
  }

  std::size_t in_use() const { return payloads_.size() - free_.size(); }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(payloads_, free_);
    if constexpr (Archive::is_loading::value) check();
  }

 private:
  struct payload {
    line_data words{};
    std::uint32_t holders = 0;

    TRIBUTARY_STATE(words, holders);
  };

  /// Free are those that nobody holds, each once.
  void check() const {
    std::size_t held = 0;
    for (const payload& each : payloads_) held += each.holders != 0 ? 1 : 0;
    std::vector<bool> seen(payloads_.size());
    bool fits = payloads_.size() <= static_cast<std::size_t>(no_payload) && held == in_use();
    for (const std::uint16_t place : free_) {
      fits = fits && place < seen.size() && !seen[place] && payloads_[place].holders == 0;
      if (fits) seen[place] = true;
    }
    if (!fits) {
      throw input_error("checkpoint does not fit this machine: a free payload of a node is held");
    }
  }

  payload& at(payload_handle data) { return payloads_[static_cast<std::size_t>(data)]; }

  std::vector<payload> payloads_;
  std::vector<std::uint16_t> free_;
};

}  // namespace tributary
