// SPDX-License-Identifier: Apache-2.0
#include <tributary/nic/interface_message.h>

#include <fmt/format.h>

#include <tributary/sim/state_archive.h>
#include <tributary/trace/catalog.h>

namespace tributary {

std::uint64_t place_of_word(const interface_header& header, std::uint32_t word,
                            std::int32_t stride) {
  if (!header.strided) return std::uint64_t{word} * word_bytes;
  const std::uint32_t words = header.size / header.count / static_cast<std::uint32_t>(word_bytes);
  // Modulo 2^64: a stride may be negative.
  return word / words * static_cast<std::uint64_t>(std::int64_t{stride}) +
         std::uint64_t{word % words} * word_bytes;
}

bool has_whole_items(const interface_header& header) {
  return header.count > 1 && header.size != 0 && header.size % (header.count * word_bytes) == 0;
}

bool has_whole_strides(const interface_header& header) {
  constexpr auto word = static_cast<std::int32_t>(word_bytes);
  const bool reads = header.type == communication_message::read;
  return header.stride % word == 0 && (!reads || header.answer_stride % word == 0);
}

std::string to_string(const interface_message& message) {
  const interface_header& header = message.header;
  return fmt::format("{} {} of {} bytes from node {} to {}",
                     names_of_messages()[static_cast<std::size_t>(header.type)],
                     to_string(header.identity), header.size, index(header.source),
                     header.everyone ? std::string("all nodes")
                                     : fmt::format("node {}", index(header.destination)));
}

std::string interface_pool::save() const {
  return save_state(static_cast<const cargo_pool<interface_message>&>(*this));
}

void interface_pool::restore(const std::string& state) {
  restore_state(state, static_cast<cargo_pool<interface_message>&>(*this));
}

}  // namespace tributary
