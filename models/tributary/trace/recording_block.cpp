// SPDX-License-Identifier: Apache-2.0
#include <tributary/trace/recording_block.h>

#include <tributary/sim/packed_bytes.h>

namespace tributary::recording {
namespace {

constexpr unsigned seen_bits = 12;
constexpr unsigned word_bits = 64;
constexpr std::uint64_t spread = 0x9e3779b97f4a7c15;  // 2^64 over the golden ratio

/// More than the numbers of an event can be.
constexpr std::size_t most_number_bytes = 7 * 10;

template <class Columns>
void split(std::uint32_t number, std::size_t bytes, Columns& columns, std::size_t at) {
  for (std::size_t i = 0; i < bytes; ++i) {
    columns[i][at] = static_cast<std::uint8_t>(number >> (8 * i));
  }
}

}  // namespace

block_writer::block_writer(std::size_t tracks)
    : track_bytes_(track_bytes(tracks)),
      seen_(std::size_t{1} << seen_bits),
      numbers_(most_number_bytes) {}

void block_writer::add(const trace_event& event, std::uint8_t kind, std::optional<track_id> onward,
                       std::optional<std::uint64_t> subject) {
  if (numbers_end_ + most_number_bytes > numbers_.size()) numbers_.resize(2 * numbers_.size());
  kinds_[size_] = kind;
  follow_[size_] = 0;
  const auto track = static_cast<std::uint32_t>(event.track);
  split(track - track_, track_bytes_, tracks_, size_);
  track_ = track;
  if (onward) {
    split(static_cast<std::uint32_t>(*onward) - track, track_bytes_, onward_, onwards_++);
  }
  seen& last = before(event);
  put_if(event.address != last.address, follows::address, event.address);
  put_if(event.value != last.value, follows::value, event.value);
  put_if(event.details != last.details, follows::details, event.details);
  put_if(!event.parent.none(), follows::parent, event.parent.bits());
  put_if(event.cycle != cycle_, follows::cycle, folded(event.cycle - cycle_));
  put_if(event.last != event.cycle, follows::last, folded(event.last - event.cycle));
  put_if(subject.has_value(), follows::subject, subject.value_or(0));
  cycle_ = event.cycle;
  last = {event.identity.bits(), written_ + ++size_, event.address, event.value, event.details};
}

/// The last event of the identity in the block, or one of which nothing is known, with the distance
/// in its columns.
block_writer::seen& block_writer::before(const trace_event& event) {
  const std::uint64_t identity = event.identity.bits();
  seen& last = seen_[identity * spread >> (word_bits - seen_bits)];
  std::uint64_t distance = 0;
  if (last.number > written_ && last.identity == identity) {
    distance = written_ + size_ + 1 - last.number;
  } else {
    last = {};
    put(identity);
  }
  split(static_cast<std::uint32_t>(distance), back_.size(), back_, size_);
  return last;
}

/// Seven bits a byte, the lowest first; the eighth says that more follow.
void block_writer::put(std::uint64_t number) {
  constexpr std::uint64_t more = 0x80;
  for (; number >= more; number >>= 7) {
    numbers_[numbers_end_++] = static_cast<std::uint8_t>(number | more);
  }
  numbers_[numbers_end_++] = static_cast<std::uint8_t>(number);
}

const std::string& block_writer::take() {
  byte_writer head;
  head.number(static_cast<std::uint32_t>(size_));
  head.number(static_cast<std::uint32_t>(onwards_));
  bytes_ = head.bytes();
  const auto append = [this](const std::uint8_t* first, std::size_t count) {
    bytes_.append(reinterpret_cast<const char*>(first), count);
  };
  append(kinds_.data(), size_);
  append(follow_.data(), size_);
  for (const column& each : back_) append(each.data(), size_);
  for (std::size_t i = 0; i < track_bytes_; ++i) append(tracks_[i].data(), size_);
  for (std::size_t i = 0; i < track_bytes_; ++i) append(onward_[i].data(), onwards_);
  append(numbers_.data(), numbers_end_);
  written_ += size_;
  size_ = onwards_ = numbers_end_ = 0;
  track_ = 0;
  cycle_ = 0;
  return bytes_;
}

}  // namespace tributary::recording
