// SPDX-License-Identifier: Apache-2.0
#include "shared_memory.h"

#include <cstddef>

#include <tributary/memory/operation.h>
#include <tributary/nic/aliases.h>

namespace riscv {
namespace {

/// The library's name for an atomic, and the bank of its aliases.
struct translation {
  tributary::operation operation;
  unsigned bank;
};

/// By the order of `atomic_kind`.
constexpr translation translations[] = {
    {tributary::operation::swap, TRIBUTARY_ALIAS_BANK_SWAP},
    {tributary::operation::fetch_add, TRIBUTARY_ALIAS_BANK_FETCH_ADD},
    {tributary::operation::fetch_xor, TRIBUTARY_ALIAS_BANK_FETCH_XOR},
    {tributary::operation::fetch_and, TRIBUTARY_ALIAS_BANK_FETCH_AND},
    {tributary::operation::fetch_or, TRIBUTARY_ALIAS_BANK_FETCH_OR},
    {tributary::operation::fetch_min, TRIBUTARY_ALIAS_BANK_FETCH_MIN},
    {tributary::operation::fetch_max, TRIBUTARY_ALIAS_BANK_FETCH_MAX},
    {tributary::operation::fetch_min_unsigned, TRIBUTARY_ALIAS_BANK_FETCH_MIN_UNSIGNED},
    {tributary::operation::fetch_max_unsigned, TRIBUTARY_ALIAS_BANK_FETCH_MAX_UNSIGNED},
    {tributary::operation::compare_and_swap, TRIBUTARY_ALIAS_BANK_COMPARE_AND_SWAP},
};

const translation& translation_of(atomic_kind kind) {
  return translations[static_cast<std::size_t>(kind)];
}

bool compares(const atomic& access) { return access.kind == atomic_kind::compare_and_swap; }

tributary::word_function function_of(const atomic& access) {
  const tributary::operation operation = translation_of(access.kind).operation;
  if (compares(access)) return tributary::function_of(operation, access.expected, access.operand);
  return tributary::function_of(operation, access.operand);
}

}  // namespace

void shared_memory::synchronise() {
  if (ahead_ != sc_core::SC_ZERO_TIME) sc_core::wait(ahead_);
  ahead_ = sc_core::SC_ZERO_TIME;
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
  tlm::tlm_generic_payload& payload = pool_.acquire_fetch_op(address, function_of(access));
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
  const bool ready = store(aliases_.base + TRIBUTARY_ALIAS_REGISTER_OPERAND, 8, access.operand) &&
                     (!compares(access) ||
                      store(aliases_.base + TRIBUTARY_ALIAS_REGISTER_COMPARE, 8, access.expected));
  if (!ready) return std::nullopt;
  const std::uint64_t bank = translation_of(access.kind).bank;
  return load(aliases_.base + bank * aliases_.size + (address - aliases_.target), 8);
}
// [end]

}  // namespace riscv
