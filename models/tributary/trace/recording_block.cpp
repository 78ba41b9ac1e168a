// SPDX-License-Identifier: Apache-2.0
#include <tributary/trace/recording_block.h>

#include <tributary/sim/packed_bytes.h>

namespace tributary::recording {
namespace {

constexpr unsigned seen_bits = 12;
constexpr unsigned word_bits = 64;
constexpr std::uint64_t spread = 0x9e3779b97f4a7c15;  // 2^64 over the golden ratio

constexpr std::size_t kinds = 256;
constexpr std::size_t follow_sets = 256;

/// More than the numbers of an event can be: its identity, and all that may follow.
constexpr std::size_t most_number_bytes = 9 * 10;

}  // namespace

block_writer::block_writer(std::size_t tracks)
    : track_bytes_(track_bytes(tracks)),
      seen_(std::size_t{1} << seen_bits),
      shape_numbers_(kinds * follow_sets, no_shape),
      numbers_(most_number_bytes) {}

/// Seven bits a byte, the lowest first; the eighth says that more follow.
inline void block_writer::numbers::put(std::uint64_t number) {
  constexpr std::uint64_t more = 0x80;
  for (; number >= more; number >>= 7) *end++ = static_cast<std::uint8_t>(number | more);
  *end++ = static_cast<std::uint8_t>(number);
}

void block_writer::add(const trace_event& event, std::uint8_t kind, const track_id* onward,
                       const std::uint64_t* subject) {
  numbers behind{begin_numbers()};
  const std::size_t at = size_;
  const std::uint64_t number = written_ + at + 1;
  const std::uint64_t identity = event.identity.bits();
  seen& last = seen_[identity * spread >> (word_bits - seen_bits)];
  std::uint64_t distance = number - last.number;
  if (last.number <= written_ || last.identity != identity) {
    last = {};
    distance = 0;
    behind.put(identity);
  }
  back_[0][at] = static_cast<std::uint8_t>(distance);
  back_[1][at] = static_cast<std::uint8_t>(distance >> 8);

  const auto track = static_cast<std::uint32_t>(event.track);
  const std::uint32_t step = track - track_;
  steps_[at] = static_cast<std::uint8_t>(step);
  behind.put_if(step > 255, follows::track, folded(std::uint64_t{track} - track_));
  track_ = track;
  behind.put_if(event.address != last.address, follows::address, event.address);
  behind.put_if(event.value != last.value, follows::value, event.value);
  behind.put_if(event.details != last.details, follows::details, event.details);
  behind.put_if(!event.parent.none(), follows::parent, event.parent.bits());
  behind.put_if(event.cycle != cycle_, follows::cycle, folded(event.cycle - cycle_));
  behind.put_if(event.last != event.cycle, follows::last, folded(event.last - event.cycle));
  if (subject != nullptr) behind.put_if(true, follows::subject, *subject);
  cycle_ = event.cycle;
  last = {identity, number, event.address, event.value, event.details};
  event_shapes_[at] = number_of({kind, behind.follow});
  if (onward != nullptr) {
    const std::uint32_t further = static_cast<std::uint32_t>(*onward) - track;
    for (std::size_t i = 0; i < track_bytes_; ++i) {
      onward_[i][onwards_] = static_cast<std::uint8_t>(further >> (8 * i));
    }
    ++onwards_;
  }
  numbers_end_ = static_cast<std::size_t>(behind.end - numbers_.data());
  ++size_;
}

std::uint8_t* block_writer::begin_numbers() {
  if (numbers_end_ + most_number_bytes > numbers_.size()) numbers_.resize(2 * numbers_.size());
  return numbers_.data() + numbers_end_;
}

std::uint8_t block_writer::number_of(shape own) {
  std::uint8_t& number = shape_numbers_[own.kind * follow_sets + own.follow];
  if (number == no_shape) {
    number = static_cast<std::uint8_t>(shapes_.size());
    shapes_.push_back(own);
  }
  return number;
}

const std::string& block_writer::take() {
  byte_writer head;
  head.number(static_cast<std::uint32_t>(size_));
  head.number(static_cast<std::uint32_t>(onwards_));
  head.number(static_cast<std::uint8_t>(shapes_.size()));
  for (const shape& each : shapes_) {
    head.number(each.kind);
    head.number(each.follow);
    shape_numbers_[each.kind * follow_sets + each.follow] = no_shape;
  }
  bytes_ = head.bytes();
  const auto append = [this](const std::uint8_t* first, std::size_t count) {
    bytes_.append(reinterpret_cast<const char*>(first), count);
  };
  append(event_shapes_.data(), size_);
  append(steps_.data(), size_);
  for (const column& each : back_) append(each.data(), size_);
  for (std::size_t i = 0; i < track_bytes_; ++i) append(onward_[i].data(), onwards_);
  append(numbers_.data(), numbers_end_);
  written_ += size_;
  size_ = onwards_ = numbers_end_ = 0;
  shapes_.clear();
  track_ = 0;
  cycle_ = 0;
  return bytes_;
}

}  // namespace tributary::recording
