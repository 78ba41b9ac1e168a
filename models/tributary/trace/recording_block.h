// SPDX-License-Identifier: Apache-2.0
// A block of an event recording, as it is written.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <tributary/trace/event.h>
#include <tributary/trace/recording_format.h>

namespace tributary::recording {

/// Collects events and lays them out in columns of bytes. zstd compresses these in a fifth of the
/// time that it needs for records of all fields, and to half the size.
class block_writer {
 public:
  /// For a machine of so many tracks.
  explicit block_writer(std::size_t tracks);

  bool empty() const { return size_ == 0; }
  /// Whether it must be taken before another event is added.
  bool full() const { return size_ == block_events || shapes_.size() == no_shape; }

  /// `kind`: its number in the file. `onward`: where the identity goes, null for kinds that do not
  /// say so. `subject`: the number of what it is about, null for none.
  void add(const trace_event& event, std::uint8_t kind, const track_id* onward,
           const std::uint64_t* subject);
  /// The bytes of the block; begins another.
  const std::string& take();

 private:
  using column = std::array<std::uint8_t, block_events>;
  /// An event of an identity, for the next to refer to.
  struct seen {
    std::uint64_t identity = 0;
    std::uint64_t number = 0;  // from 1, over all blocks
    std::uint64_t address = 0;
    std::uint64_t value = 0;
    std::uint64_t details = 0;
  };

  /// Where to put what follows, and which numbers are there.
  struct numbers {
    std::uint8_t* end;
    std::uint8_t follow = 0;

    void put(std::uint64_t number);
    void put_if(bool is_there, follows which, std::uint64_t number) {
      if (!is_there) return;
      follow |= which;
      put(number);
    }
  };

  std::uint8_t* begin_numbers();
  std::uint8_t number_of(shape own);

  std::size_t track_bytes_;
  std::vector<seen> seen_;  // by a hash of the identity

  std::uint64_t written_ = 0;  // events in the blocks before
  std::size_t size_ = 0;
  std::size_t onwards_ = 0;
  std::uint32_t track_ = 0;  // of the last event
  cycle_t cycle_ = 0;        // the same
  std::vector<shape> shapes_;
  std::vector<std::uint8_t> shape_numbers_;  // by kind and what follows; `no_shape` for none yet
  column event_shapes_{};
  column steps_{};
  std::array<column, 2> back_{};
  std::array<column, 4> onward_{};
  std::vector<std::uint8_t> numbers_;
  std::size_t numbers_end_ = 0;
  std::string bytes_;
};

}  // namespace tributary::recording
