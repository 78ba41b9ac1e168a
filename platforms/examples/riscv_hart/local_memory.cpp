// SPDX-License-Identifier: Apache-2.0
#include "local_memory.h"

#include <algorithm>

namespace riscv {

bool local_memory::write(std::uint64_t address, const std::vector<std::uint8_t>& content) {
  if (!contains(address, content.size())) return false;
  std::copy(content.begin(), content.end(),
            bytes_.begin() + static_cast<std::ptrdiff_t>(address - base_));
  return true;
}

std::optional<std::uint64_t> local_memory::load(std::uint64_t address, unsigned size) {
  if (!contains(address, size)) return std::nullopt;
  std::uint64_t value = 0;
  for (unsigned byte = size; byte-- > 0;) value = value << 8 | bytes_[address - base_ + byte];
  return value;
}

bool local_memory::store(std::uint64_t address, unsigned size, std::uint64_t value) {
  if (!contains(address, size)) return false;
  for (unsigned byte = 0; byte < size; ++byte) {
    bytes_[address - base_ + byte] = static_cast<std::uint8_t>(value >> (8 * byte));
  }
  return true;
}

std::optional<std::uint64_t> local_memory::perform(std::uint64_t address, const atomic& access) {
  const std::optional<std::uint64_t> old = load(address, 8);
  if (old) store(address, 8, tributary::apply(access.function(), *old));
  return old;
}

}  // namespace riscv
