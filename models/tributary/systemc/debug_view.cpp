// SPDX-License-Identifier: Apache-2.0
#include <tributary/systemc/debug_view.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace tributary {

unsigned debug_view::transfer(tlm::tlm_generic_payload& payload, alias_registers& registers) {
  if (!payload.is_read() && !payload.is_write()) return 0;
  const std::uint64_t address = payload.get_address();
  const std::size_t length = payload.get_data_length();
  std::size_t done = 0;
  while (done < length) {
    const std::size_t moved = piece(payload.is_write(), registers, address + done,
                                    payload.get_data_ptr() + done, length - done);
    if (moved == 0) break;
    done += moved;
  }
  return static_cast<unsigned>(done);
}

std::size_t debug_view::piece(bool write_it, alias_registers& registers, std::uint64_t address,
                              unsigned char* data, std::size_t length) {
  if (aliases_.contains(address)) {
    const alias_debug_range range = aliases_.debug_range(address, length);
    if (range.registers) {
      return write_it ? aliases_.debug_write(registers, range.address, data, range.length)
                      : aliases_.debug_read(registers, range.address, data, range.length);
    }
    address = range.address;
    length = range.length;
  }
  const address_region* const region = addresses_.region_of(address);
  if (region == nullptr) return 0;
  length = std::min(length, region->base + region->size - address);
  return write_it ? write(address, data, length) : read(address, data, length);
}

std::size_t debug_view::read(std::uint64_t address, unsigned char* data, std::size_t length) {
  const std::uint64_t first = address / word_bytes * word_bytes;
  std::vector<word_t> words((address - first + length + word_bytes - 1) / word_bytes);
  std::size_t known = 0;  // bytes from `first` on
  for (std::size_t i = 0; i < words.size() && known == i * word_bytes; ++i) {
    const std::uint64_t word = first + i * word_bytes;
    known += memory_.debug_read(addresses_.module_of(word), word,
                                reinterpret_cast<unsigned char*>(&words[i]), word_bytes);
  }
  if (waiting_ != nullptr) {
    waiting_->for_each_waiting([&](const packet& request) {
      const std::uint64_t place = (request.address() - first) / word_bytes;
      if (place < words.size()) words[place] = apply(request.function(), words[place]);
    });
  }
  const std::size_t skipped = address - first;
  const std::size_t done = std::min(length, known - std::min(known, skipped));
  std::memcpy(data, reinterpret_cast<const unsigned char*>(words.data()) + skipped, done);
  return done;
}

std::size_t debug_view::write(std::uint64_t address, const unsigned char* data,
                              std::size_t length) {
  std::size_t done = 0;
  while (done < length) {
    const std::uint64_t at = address + done;
    const std::size_t in_word = std::min<std::size_t>(word_bytes - at % word_bytes, length - done);
    const std::size_t written =
        memory_.debug_write(addresses_.module_of(at), at, data + done, in_word);
    done += written;
    if (written < in_word) break;
  }
  return done;
}

}  // namespace tributary
