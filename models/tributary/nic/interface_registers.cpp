// SPDX-License-Identifier: Apache-2.0
#include <tributary/nic/interface_registers.h>

#include <array>

namespace tributary::interface_registers {
namespace {

enum class access_right : std::uint8_t { read, write, both };

/// What software may do with a register, and what that is counted as.
struct register_entry {
  std::uint64_t offset;
  access_right right;
  register_part part;
};

/// Of all registers below the counters, by offset.
constexpr std::array<register_entry, 24> register_map{{
    {status, access_right::read, register_part::status},
    {send_header, access_right::write, register_part::send_header},
    {send_address, access_right::write, register_part::send_header},
    {send_counter, access_right::write, register_part::send_header},
    {send_answer_to, access_right::write, register_part::send_header},
    {send_data, access_right::write, register_part::send_body},
    {kept_header, access_right::write, register_part::send_header},
    {send_like, access_right::write, register_part::send_header},
    {receive_header, access_right::read, register_part::receive_header},
    {receive_data, access_right::read, register_part::receive_body},
    {dma_address, access_right::write, register_part::dma_command},
    {dma_send, access_right::write, register_part::dma_command},
    {dma_receive, access_right::write, register_part::dma_command},
    {interrupt_enable, access_right::both, register_part::control},
    {interrupt_cause, access_right::both, register_part::control},
    {fault, access_right::read, register_part::control},
    {translation_page, access_right::write, register_part::control},
    {translation_fill, access_right::write, register_part::control},
    {translation_retry, access_right::write, register_part::control},
    {translation_refuse, access_right::write, register_part::control},
    {counter_command, access_right::write, register_part::counter},
    {zeroed, access_right::both, register_part::counter},
    {kept_counter, access_right::write, register_part::send_header},
    {send_strides, access_right::write, register_part::send_header},
}};

/// A register is found by its offset alone.
constexpr bool is_dense() {
  for (std::size_t i = 0; i < register_map.size(); ++i) {
    if (register_map[i].offset != i * word_bytes) return false;
  }
  return true;
}
static_assert(is_dense(), "a register of the map is not at its place");

constexpr register_entry some_counter{local_counters, access_right::both, register_part::counter};

/// Null where there is no register.
const register_entry* entry_at(std::uint64_t offset) {
  if (offset % word_bytes != 0 || offset >= bytes) return nullptr;
  if (offset >= local_counters) return &some_counter;
  const std::uint64_t number = offset / word_bytes;
  return number < register_map.size() ? &register_map[number] : nullptr;
}

std::uint64_t words_of(std::int32_t stride) {
  return static_cast<std::uint16_t>(stride / static_cast<std::int32_t>(word_bytes));
}

/// Of a word count of 16 bits, as two's complement.
std::int32_t bytes_of(std::uint64_t words) {
  constexpr std::int32_t sign = 0x8000;
  return ((static_cast<std::int32_t>(words) ^ sign) - sign) * static_cast<std::int32_t>(word_bytes);
}

}  // namespace

bool is_readable(std::uint64_t offset) {
  const register_entry* const found = entry_at(offset);
  return found != nullptr && found->right != access_right::write;
}

bool is_writable(std::uint64_t offset) {
  const register_entry* const found = entry_at(offset);
  return found != nullptr && found->right != access_right::read;
}

register_part part_of(std::uint64_t offset) {
  const register_entry* const found = entry_at(offset);
  return found == nullptr ? register_part::control : found->part;
}

word_t header_word(const interface_header& header, node_id node) {
  word_t word = header_fields::node.put(0, index(node));
  word = header_fields::type.put(word, static_cast<std::uint64_t>(header.type));
  word = header_fields::reply.put(word, header.channel == interface_channel::reply ? 1 : 0);
  word = header_fields::everyone.put(word, header.everyone ? 1 : 0);
  word = header_fields::acknowledge.put(word, header.acknowledge ? 1 : 0);
  word = header_fields::look_at_once.put(word, header.look_at_once ? 1 : 0);
  word = header_fields::has_local.put(word, header.has_local ? 1 : 0);
  word = header_fields::local.put(word, header.local);
  word = header_fields::size.put(word, header.size);
  word = header_fields::purpose.put(word, static_cast<std::uint64_t>(header.purpose));
  word = header_fields::strided.put(word, header.strided ? 1 : 0);
  return header_fields::tag.put(word, header.tag);
}

word_t stride_word(const interface_header& header) {
  word_t word = stride_fields::count.put(0, header.count);
  word = stride_fields::stride.put(word, words_of(header.stride));
  return stride_fields::answer_stride.put(word, words_of(header.answer_stride));
}

void set_strides(interface_header& header, word_t word) {
  header.count = static_cast<std::uint32_t>(stride_fields::count.in(word));
  header.stride = bytes_of(stride_fields::stride.in(word));
  header.answer_stride = bytes_of(stride_fields::answer_stride.in(word));
}

interface_header header_from(word_t word) {
  interface_header header;
  header.destination = node_id{static_cast<std::uint32_t>(header_fields::node.in(word))};
  header.type = static_cast<communication_message>(header_fields::type.in(word));
  header.channel =
      header_fields::reply.in(word) != 0 ? interface_channel::reply : interface_channel::request;
  header.everyone = header_fields::everyone.in(word) != 0;
  header.acknowledge = header_fields::acknowledge.in(word) != 0;
  header.look_at_once = header_fields::look_at_once.in(word) != 0;
  header.has_local = header_fields::has_local.in(word) != 0;
  header.local = static_cast<std::uint8_t>(header_fields::local.in(word));
  header.size = static_cast<std::uint32_t>(header_fields::size.in(word));
  header.purpose = static_cast<communication_purpose>(header_fields::purpose.in(word));
  header.tag = static_cast<std::uint8_t>(header_fields::tag.in(word));
  header.strided = header_fields::strided.in(word) != 0;
  return header;
}

word_t counter_word(const tributary::counter_command& command) {
  word_t word = counter_fields::initial.put(0, command.initial);
  word = counter_fields::number.put(word, command.number);
  word = counter_fields::counts.put(word, command.counts ? 1 : 0);
  return counter_fields::interrupts.put(word, command.interrupts ? 1 : 0);
}

tributary::counter_command counter_from(word_t word) {
  tributary::counter_command command;
  command.initial = static_cast<std::uint16_t>(counter_fields::initial.in(word));
  command.number = static_cast<std::uint8_t>(counter_fields::number.in(word));
  command.counts = counter_fields::counts.in(word) != 0;
  command.interrupts = counter_fields::interrupts.in(word) != 0;
  return command;
}

}  // namespace tributary::interface_registers
