// SPDX-License-Identifier: Apache-2.0
// The hart's view of memory behind a TLM-2.0 socket.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include <tributary/nic/alias_map.h>
#include <tributary/systemc/payload_pool.h>

#include "blocking_initiator.h"
#include "memory_port.h"

namespace riscv {

/// How an atomic leaves the hart.
enum class atomic_style : std::uint8_t {
  extension,  ///< a payload with the extension fetch_op
  alias       ///< a load from an alias of the doubleword, after stores to the operand registers
};

/// Turns the accesses of one hart into payloads and waits for each. For use by a thread process.
class shared_memory final : public memory_port {
 public:
  /// `port` must outlive it. An instruction takes `cycle`. `aliases` is the window of the network's
  /// port, for `alias` only.
  shared_memory(blocking_initiator& port, const sc_core::sc_time& cycle, atomic_style style,
                const tributary::alias_config& aliases)
      : port_(port), cycle_(cycle), style_(style), aliases_(aliases) {}

  /// The hart's time runs ahead of the kernel's by its instructions; this, as every access, brings
  /// them together.
  void synchronise();

  /// Atomics asked for, stores to operand registers not counted.
  std::uint64_t atomics() const { return atomics_; }

  std::optional<std::uint64_t> load(std::uint64_t address, unsigned size) override;
  bool store(std::uint64_t address, unsigned size, std::uint64_t value) override;
  std::optional<std::uint64_t> perform(std::uint64_t address, const atomic& access) override;
  void pass_instruction() override;

 private:
  bool transport(tlm::tlm_generic_payload& payload);
  std::optional<std::uint64_t> perform_by_extension(std::uint64_t address, const atomic& access);
  std::optional<std::uint64_t> perform_by_alias(std::uint64_t address, const atomic& access);

  blocking_initiator& port_;
  sc_core::sc_time cycle_;
  atomic_style style_;
  tributary::alias_config aliases_;
  tributary::payload_pool pool_;
  std::array<unsigned char, 8> bytes_{};  // of the access under way
  sc_core::sc_time ahead_;
  std::uint64_t atomics_ = 0;
};

}  // namespace riscv
