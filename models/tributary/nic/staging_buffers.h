// SPDX-License-Identifier: Apache-2.0
// Buffers of an interface's memory, each of a packet, as handlers hold payloads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <tributary/controller/message.h>
#include <tributary/sim/state.h>

namespace tributary {

/// As many as the interface has. Who allocates one holds it; it is free again when its last holder
/// has released it.
class staging_buffers {
 public:
  /// `count` buffers of `words` doublewords each.
  staging_buffers(std::uint32_t count, std::size_t words);

  /// Its words are 0; nothing if none is free.
  std::optional<payload_handle> allocate();
  bool has(payload_handle data) const {
    const auto place = static_cast<std::size_t>(data);
    return place < buffers_.size() && buffers_[place].holders != 0;
  }
  /// Of one that it `has`.
  void retain(payload_handle data) { ++at(data).holders; }
  void release(payload_handle data);
  std::vector<word_t>& words(payload_handle data) { return at(data).words; }
  const std::vector<word_t>& words(payload_handle data) const {
    return buffers_[static_cast<std::size_t>(data)].words;
  }
  /// Bytes of the message that came into it, or that a handler put there.
  std::uint32_t& bytes(payload_handle data) { return at(data).bytes; }

  std::size_t words_each() const { return words_; }
  std::size_t in_use() const { return buffers_.size() - free_.size(); }
  std::size_t free() const { return free_.size(); }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(buffers_, free_);
    if constexpr (Archive::is_loading::value) check();
  }

 private:
  struct buffer {
    std::vector<word_t> words;
    std::uint32_t bytes = 0;
    std::uint32_t holders = 0;

    TRIBUTARY_STATE(words, bytes, holders);
  };

  buffer& at(payload_handle data) { return buffers_[static_cast<std::size_t>(data)]; }
  /// Throws `input_error` for a state of other buffers, or in which a free one is held.
  void check() const;

  std::size_t words_;
  std::size_t count_;
  std::vector<buffer> buffers_;
  std::vector<std::uint16_t> free_;  ///< the next one last
};

}  // namespace tributary
