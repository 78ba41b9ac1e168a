// SPDX-License-Identifier: Apache-2.0
#include <tributary/systemc/payload_words.h>

#include <algorithm>
#include <cstring>

#include <tributary/systemc/payload_checks.h>

namespace tributary {
namespace {

/// Whether each word with a byte in [address, address + length) is in a region.
bool mapped(const address_map& map, std::uint64_t address, std::uint64_t length) {
  const address_region* region = map.region_of(address);
  while (region != nullptr) {
    const std::uint64_t rest = region->base + region->size - address;
    if (rest >= length) return true;
    address += rest;
    length -= rest;
    region = map.region_of(address);
  }
  return false;
}

/// The bytes from `first` on of a word in which all is zero but `size` bytes of `data`.
word_t word_with(const unsigned char* data, std::size_t first, std::size_t size) {
  word_t word = 0;
  std::memcpy(reinterpret_cast<unsigned char*>(&word) + first, data, size);
  return word;
}

}  // namespace

tlm::tlm_response_status payload_words::open(tlm::tlm_generic_payload& payload,
                                             const address_map& map, const alias_map& aliases,
                                             alias_registers& registers) {
  payload_ = &payload;
  map_ = &map;
  address_ = payload.get_address();
  count_ = 0;
  words_per_beat_ = 1;
  kind_ = kind::nothing;
  function_ = {};
  extension_ = payload.get_extension<fetch_op>();
  if (extension_ != nullptr) return open_fetch();
  if (payload.is_read() || payload.is_write()) {
    const tlm::tlm_response_status refused = check_attributes();
    if (refused != tlm::TLM_OK_RESPONSE) return refused;
    return aliases.contains(address_) ? open_alias(aliases, registers) : open_access();
  }
  if (payload.get_command() != tlm::TLM_IGNORE_COMMAND) return tlm::TLM_COMMAND_ERROR_RESPONSE;
  const bool known = map.region_of(address_) != nullptr || aliases.contains(address_);
  return known ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE;
}

tlm::tlm_response_status payload_words::check_attributes() const {
  if (payload_->get_data_length() == 0) return tlm::TLM_BURST_ERROR_RESPONSE;
  if (payload_->get_data_ptr() == nullptr) return tlm::TLM_GENERIC_ERROR_RESPONSE;
  const unsigned char* const enables = payload_->get_byte_enable_ptr();
  if (enables == nullptr) return tlm::TLM_OK_RESPONSE;
  const unsigned length = payload_->get_byte_enable_length();
  const bool usable = length != 0 && std::all_of(enables, enables + length, [](unsigned char e) {
                        return e == TLM_BYTE_ENABLED || e == TLM_BYTE_DISABLED;
                      });
  return usable ? tlm::TLM_OK_RESPONSE : tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
}

tlm::tlm_response_status payload_words::open_access() {
  length_ = payload_->get_data_length();
  beat_ = streaming_width_of(*payload_);
  if (!mapped(*map_, address_, beat_)) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  const std::uint64_t touched = address_ % word_bytes + beat_;
  words_per_beat_ = static_cast<std::uint32_t>((touched + word_bytes - 1) / word_bytes);
  count_ = (std::size_t{length_} + beat_ - 1) / beat_ * words_per_beat_;
  if (payload_->is_write()) {
    kind_ = kind::write;
  } else {
    const bool word = length_ == word_bytes && count_ == 1 && !payload_->get_byte_enable_ptr();
    kind_ = word ? kind::word_read : kind::read;
  }
  return tlm::TLM_OK_RESPONSE;
}

tlm::tlm_response_status payload_words::open_fetch() {
  const tlm::tlm_response_status refused = fetch_op_status(*payload_);
  if (refused != tlm::TLM_OK_RESPONSE) return refused;
  if (map_->region_of(address_) == nullptr) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  function_ = extension_->function();
  kind_ = kind::fetch;
  count_ = 1;
  return tlm::TLM_OK_RESPONSE;
}

tlm::tlm_response_status payload_words::open_alias(const alias_map& aliases,
                                                   alias_registers& registers) {
  if (payload_->get_byte_enable_ptr() != nullptr) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  const std::size_t length = payload_->get_data_length();
  if (length != word_bytes || streaming_width_of(*payload_) < word_bytes) {
    return tlm::TLM_BURST_ERROR_RESPONSE;
  }
  const bool write = payload_->is_write();
  const word_t data = write ? word_with(payload_->get_data_ptr(), 0, word_bytes) : 0;
  const alias_result result = aliases.access(registers, {address_, length, write, data});
  switch (result.outcome) {
    case alias_outcome::request:
      if (map_->region_of(result.address) == nullptr) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
      address_ = result.address;
      function_ = result.function;
      kind_ = write ? kind::alias_store : kind::alias_load;
      count_ = 1;
      return tlm::TLM_OK_RESPONSE;
    case alias_outcome::register_read:
      std::memcpy(payload_->get_data_ptr(), &result.value, word_bytes);
      return tlm::TLM_OK_RESPONSE;
    case alias_outcome::register_written:
      return tlm::TLM_OK_RESPONSE;
    case alias_outcome::burst_error:
      return tlm::TLM_BURST_ERROR_RESPONSE;
    case alias_outcome::command_error:
      return tlm::TLM_COMMAND_ERROR_RESPONSE;
    case alias_outcome::outside:
    case alias_outcome::address_error:
      break;
  }
  return tlm::TLM_ADDRESS_ERROR_RESPONSE;
}

payload_answers::piece payload_answers::piece_of(std::size_t place) const {
  const std::size_t beat = place / words_per_beat_;
  const std::uint64_t word =
      address_ / word_bytes * word_bytes + place % words_per_beat_ * word_bytes;
  const std::uint64_t first = std::max(address_, word);
  const std::uint64_t end = std::min(address_ + beat_, word + word_bytes);
  const std::uint64_t in_data = beat * beat_ + (first - address_);
  // The last beat may end early.
  const std::size_t left = length_ - std::min<std::size_t>(length_, in_data);
  return {word, first - word, in_data, std::min<std::size_t>(end - first, left)};
}

word_t payload_answers::enabled_mask(const piece& bytes) const {
  constexpr unsigned char all[word_bytes] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
  const unsigned char* const enables = payload_->get_byte_enable_ptr();
  if (enables == nullptr) return word_with(all, bytes.in_word, bytes.size);
  unsigned char mask[word_bytes] = {};
  for (std::size_t i = 0; i < bytes.size; ++i) {
    mask[i] = enables[(bytes.in_data + i) % payload_->get_byte_enable_length()];
  }
  return word_with(mask, bytes.in_word, bytes.size);
}

word_function payload_words::write_function(const piece& bytes, word_t mask) const {
  const word_t data =
      word_with(payload_->get_data_ptr() + bytes.in_data, bytes.in_word, bytes.size);
  const bool store = mask == ~word_t{0} && map_->region_of(bytes.word_address)->combinable;
  if (store) return {form::constant, data, 0};
  return {form::merge, data & mask, mask};
}

bool payload_words::request(std::size_t place, access& asked) const {
  if (kind_ != kind::read && kind_ != kind::write) {
    asked.address = address_;
    asked.function = function_;
    return true;
  }
  const piece bytes = piece_of(place);
  const word_t mask = enabled_mask(bytes);
  asked.address = bytes.word_address;
  asked.function = kind_ == kind::write ? write_function(bytes, mask) : word_function{};
  return mask != 0;
}

void payload_answers::answer(std::size_t place, word_t word) const {
  switch (kind_) {
    case kind::fetch:
      extension_->answer(word);
      [[fallthrough]];
    case kind::word_read:
    case kind::alias_load:
      std::memcpy(payload_->get_data_ptr(), &word, word_bytes);
      return;
    case kind::read:
      answer_bytes(place, word);
      return;
    case kind::nothing:
    case kind::write:
    case kind::alias_store:
      return;
  }
}

void payload_answers::answer_bytes(std::size_t place, word_t word) const {
  const piece bytes = piece_of(place);
  const word_t mask = enabled_mask(bytes);
  const auto* const from = reinterpret_cast<const unsigned char*>(&word);
  const auto* const enabled = reinterpret_cast<const unsigned char*>(&mask);
  unsigned char* const data = payload_->get_data_ptr();
  for (std::size_t i = 0; i < bytes.size; ++i) {
    const std::size_t at = bytes.in_word + i;
    if (enabled[at] != 0) data[bytes.in_data + i] = from[at];
  }
}

}  // namespace tributary
