// SPDX-License-Identifier: Apache-2.0
// The host's side of a host interface: accesses to its registers, doorbells and memory.
#include <fmt/format.h>

#include <tributary/nic/host_interface.h>
#include <tributary/nic/host_interface_wakes.h>
#include <tributary/sim/error.h>

namespace tributary {

namespace {

/// Whether an access writes a byte of that half of its doubleword.
bool writes_half(const access& request, unsigned half) {
  if (request.function.kind != form::merge) return true;
  return (request.function.b >> (32 * half) & 0xffffffff) != 0;
}

std::uint64_t offset_of(const access& request) { return request.address % host_registers::window; }

}  // namespace

void host_interface::check(std::size_t /*element*/, const access& request) const {
  const std::uint64_t offset = offset_of(request);
  const std::uint64_t pages_end = host_registers::doorbells + config_.queues * doorbell_page;
  const bool is_there =
      offset < pages_end ||
      (offset >= host_registers::memory && offset - host_registers::memory < config_.memory_bytes);
  const form kind = request.function.kind;
  const bool is_simple = kind == form::identity || kind == form::constant || kind == form::merge;
  if (is_there && offset % word_bytes == 0 && request.kind == access_kind::word && is_simple)
    return;
  throw simulation_error(fmt::format(
      "host interface of node {}: an access at offset {:#x} of its window (allowed: loads, stores "
      "and stores of bytes of doublewords; registers and doorbells up to {:#x}, memory from {:#x} "
      "to {:#x})",
      index(here_), offset, pages_end - word_bytes, host_registers::memory,
      host_registers::memory + config_.memory_bytes - word_bytes));
}

/// A register is of 4 bytes; all else moves as wide as the access is.
std::uint64_t host_interface::cycles_of(const access& request) const {
  const std::uint64_t offset = offset_of(request);
  if (request.function.kind == form::identity) {
    return offset < host_registers::doorbells ? config_.read_cycles : 2 * config_.read_cycles;
  }
  const std::uint64_t words = (writes_half(request, 0) ? 1 : 0) + (writes_half(request, 1) ? 1 : 0);
  return words * config_.write_cycles;
}

void host_interface::offer(std::size_t element, const access& request, cycle_t now) {
  check(element, request);
  if (!accesses_.empty()) fail(now, "an access comes while one is under way; ask can_take first");
  accesses_.push({request, element});
  const std::uint64_t cycles = cycles_of(request);
  if (request.function.kind == form::identity) {
    pio_reads_.add(cycles / config_.read_cycles);
  } else {
    pio_writes_.add(cycles / config_.write_cycles);
  }
  agenda_.wake(*this, now + (cycles == 0 ? 1 : cycles), host_interface_wakes::wake_access,
               wake_rank::processor);
}

void host_interface::finish_access(cycle_t now) {
  const open_access ended = accesses_.front();
  bool stalls = false;
  const word_t before = perform(ended.request, now, stalls);
  if (stalls) {
    if (!stalled_) ++stalled_posts_;
    stalled_ = true;
    return;
  }
  stalled_ = false;
  accesses_.pop();
  if (client_ == nullptr) return;
  client_->completed({pe_id{static_cast<std::uint32_t>(ended.element)}, ended.request.tag, before},
                     now);
  if (can_take(0)) client_->room(static_cast<std::size_t>(ended.element), now);
}

word_t host_interface::perform(const access& request, cycle_t now, bool& stalls) {
  const std::uint64_t offset = offset_of(request);
  const bool reads = request.function.kind == form::identity;
  if (offset >= host_registers::memory) {
    const std::uint64_t at = offset - host_registers::memory;
    const word_t before = memory_.read(at);
    if (!reads) memory_.write(at, apply(request.function, before));
    return before;
  }
  if (offset >= host_registers::doorbells) {
    if (reads) return memory_.read(config_.pages_at() + offset - host_registers::doorbells);
    write_page(offset - host_registers::doorbells, request, now, stalls);
    return 0;
  }
  if (reads) return read_registers(offset, now);
  const word_t written = apply(request.function, 0);
  for (unsigned half = 0; half < 2; ++half) {
    if (!writes_half(request, half)) continue;
    write_register(offset + 4 * half, static_cast<std::uint32_t>(written >> (32 * half)), now,
                   stalls);
  }
  return 0;
}

/// Registers that are not there read as 0.
word_t host_interface::read_registers(std::uint64_t offset, cycle_t now) const {
  switch (offset) {
    case host_registers::capabilities:
      return config_.queues | (std::uint64_t{config_.packet_bytes} / 8) << 16 |
             std::uint64_t{enabled_} << 32;
    case host_registers::status: {
      word_t value = transmitter_.free() ? 0 : host_registers::transmitting;
      if (refused_told_) value |= host_registers::refused_post;
      for (std::uint8_t lane = 0; lane < network_.lanes(); ++lane) {
        if (gate_.oldest(lane, now) != nullptr) value |= host_registers::receiving;
      }
      return value;
    }
    default:
      return 0;
  }
}

void host_interface::write_register(std::uint64_t offset, std::uint32_t value, cycle_t now,
                                    bool& stalls) {
  switch (offset) {
    case host_registers::control:
      enabled_ = (value & 1) != 0;
      look(now);
      return;
    case host_registers::central_queue:
      post(value >> host_registers::central_shift, central_doorbell,
           value & ((1U << host_registers::central_shift) - 1), now, stalls);
      return;
    case host_registers::queue_state:
      if (value >> 1 < config_.queues) doorbells_.activate(value >> 1, (value & 1) != 0);
      return;
    default:
      return;
  }
}

/// The page is memory; its two doorbells post what is written.
void host_interface::write_page(std::uint64_t offset, const access& request, cycle_t now,
                                bool& stalls) {
  const std::uint64_t place = offset % doorbell_page;
  const auto queue = static_cast<std::uint32_t>(offset / doorbell_page);
  if (place == send_doorbell || place == receive_doorbell) {
    if (config_.doorbells == doorbell_kind::per_queue) {
      post(queue, place, apply(request.function, 0), now, stalls);
    }
    return;
  }
  const std::uint64_t at = config_.pages_at() + offset;
  memory_.write(at, apply(request.function, memory_.read(at)));
}

/// A process may write to its page whatever it likes: what cannot be posted is dropped.
void host_interface::post(std::uint32_t queue, std::uint64_t place, std::uint64_t value,
                          cycle_t now, bool& stalls) {
  if (queue >= config_.queues || !doorbells_.is_active(queue)) {
    ++refused_posts_;
    refused_told_ = true;
    return;
  }
  if (!doorbells_.can_ring(queue)) {
    stalls = true;
    return;
  }
  ++posts_;
  doorbells_.ring({queue, place, value, now});
  look(now);
}

}  // namespace tributary
