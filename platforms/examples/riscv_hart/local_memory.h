// SPDX-License-Identifier: Apache-2.0
// Memory that belongs to one hart: its code, stack and private data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "memory_port.h"

namespace riscv {

/// `size` bytes from address `base` on, zero at first. No other hart sees it, so an atomic on it
/// is a load and a store.
class local_memory final : public memory_port {
 public:
  local_memory(std::uint64_t base, std::size_t size) : base_(base), bytes_(size) {}

  std::uint64_t base() const { return base_; }
  std::size_t size() const { return bytes_.size(); }

  /// Whether all of `count` bytes from `address` on are here.
  bool contains(std::uint64_t address, std::uint64_t count) const {
    const std::uint64_t offset = address - base_;
    return offset <= bytes_.size() && count <= bytes_.size() - offset;
  }

  /// Copies `content` to `address`. Returns false, and copies nothing, if it does not fit.
  bool write(std::uint64_t address, const std::vector<std::uint8_t>& content);

  std::optional<std::uint64_t> load(std::uint64_t address, unsigned size) override;
  bool store(std::uint64_t address, unsigned size, std::uint64_t value) override;
  std::optional<std::uint64_t> perform(std::uint64_t address, const atomic& access) override;

 private:
  std::uint64_t base_;
  std::vector<std::uint8_t> bytes_;
};

}  // namespace riscv
