// SPDX-License-Identifier: Apache-2.0
#include "shared_memory.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <tributary/nic/aliases.h>

namespace riscv {
namespace {

/// The bank of aliases in which a load performs the operation with the operands of the registers.
std::uint64_t bank_of(tributary::operation wanted) {
  constexpr std::pair<tributary::operation, std::uint64_t> banks[] = {
#define TRIBUTARY_ALIAS(name, bank, performed, e, f) {tributary::operation::performed, bank},
#include <tributary/nic/alias_operations.def>
  };
  return std::find_if(std::begin(banks), std::end(banks),
                      [&](const auto& each) { return each.first == wanted; })
      ->second;
}

}  // namespace

void shared_memory::synchronise() {
  if (ahead_ != sc_core::SC_ZERO_TIME) sc_core::wait(ahead_);
  ahead_ = sc_core::SC_ZERO_TIME;
}

void shared_memory::pass_instruction() {
  // Also a program that never leaves its local memory must let the others run.
  const sc_core::sc_time furthest = 1000 * cycle_;
  ahead_ += cycle_;
  if (ahead_ >= furthest) synchronise();
}

bool shared_memory::transport(tlm::tlm_generic_payload& payload) {
  port_.transport(payload, ahead_);
  ahead_ = sc_core::SC_ZERO_TIME;
  return payload.is_response_ok();
}

std::optional<std::uint64_t> shared_memory::load(std::uint64_t address, unsigned size) {
  tlm::tlm_generic_payload& payload =
      pool_.acquire(tlm::TLM_READ_COMMAND, address, bytes_.data(), size);
  std::optional<std::uint64_t> value;
  if (transport(payload)) {
    value = 0;
    for (unsigned byte = size; byte-- > 0;) *value = *value << 8 | bytes_[byte];
  }
  payload.release();
  return value;
}

bool shared_memory::store(std::uint64_t address, unsigned size, std::uint64_t value) {
  for (unsigned byte = 0; byte < size; ++byte) {
    bytes_[byte] = static_cast<unsigned char>(value >> (8 * byte));
  }
  tlm::tlm_generic_payload& payload =
      pool_.acquire(tlm::TLM_WRITE_COMMAND, address, bytes_.data(), size);
  const bool stored = transport(payload);
  payload.release();
  return stored;
}

std::optional<std::uint64_t> shared_memory::perform(std::uint64_t address, const atomic& access) {
  ++atomics_;
  if (style_ == atomic_style::alias) return perform_by_alias(address, access);
  return perform_by_extension(address, access);
}

// [by_extension]
std::optional<std::uint64_t> shared_memory::perform_by_extension(std::uint64_t address,
                                                                 const atomic& access) {
  tlm::tlm_generic_payload& payload = pool_.acquire_fetch_op(address, access.function());
  std::optional<std::uint64_t> old;
  // A target that knows no such extension may answer OK and have done nothing.
  if (transport(payload) && payload.get_extension<tributary::fetch_op>()->performed()) {
    old = payload.get_extension<tributary::fetch_op>()->result();
  }
  payload.release();
  return old;
}
// [end]

// [by_alias]
std::optional<std::uint64_t> shared_memory::perform_by_alias(std::uint64_t address,
                                                             const atomic& access) {
  const bool compares = access.operation == tributary::operation::compare_and_swap;
  const std::uint64_t operand = compares ? access.f : access.e;
  const bool ready =
      store(aliases_.base + TRIBUTARY_ALIAS_REGISTER_OPERAND, 8, operand) &&
      (!compares || store(aliases_.base + TRIBUTARY_ALIAS_REGISTER_COMPARE, 8, access.e));
  if (!ready) return std::nullopt;
  return load(
      aliases_.base + bank_of(access.operation) * aliases_.size + (address - aliases_.target), 8);
}
// [end]

}  // namespace riscv
