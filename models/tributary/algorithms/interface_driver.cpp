// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/interface_driver.h>

#include <fmt/format.h>

#include <tributary/sim/error.h>

namespace tributary {

namespace registers = interface_registers;

namespace {

/// Smaller bodies are moved word by word, which takes fewer words than a command of DMA.
constexpr std::uint32_t least_dma_bytes = 2 * word_bytes;

/// Cycles between two looks at whether DMA is at work.
constexpr std::uint64_t dma_poll_cycles = 16;

}  // namespace

void interface_driver::store(std::uint64_t offset, word_t value, std::uint32_t bytes) {
  if (bytes >= word_bytes) {
    store(offset, value);
  } else {
    constexpr std::uint8_t lower_half = 0x0f;
    context_.store_bytes(memory_ + offset, value, lower_half);
  }
}

bool interface_driver::has_room(word_t status, interface_channel channel) {
  namespace fields = registers::status_fields;
  return (channel == interface_channel::request ? fields::request_room : fields::reply_room)
             .in(status) != 0;
}

void interface_driver::begin(const interface_header& header) {
  if (config_.sticky_header) {
    begin_like_before(header);
    return;
  }
  write(registers::send_header, registers::header_word(header, header.destination));
  write(registers::send_address, header.address);
  if (config_.has_engines() && header.type == communication_message::write) {
    write(registers::send_counter, registers::counter_word(header.remote));
  }
}

void interface_driver::begin_like_before(const interface_header& header) {
  namespace fields = registers::target_fields;
  word_t kept = registers::header_word(header, header.destination);
  word_t target = header.address;
  if (config_.header_template && !header.everyone && header.address <= fields::address.limit()) {
    kept = registers::header_fields::is_template.put(registers::header_word(header, node_id{}), 1);
    target = fields::node.put(target, index(header.destination));
  }
  if (!keeps_header_ || kept != kept_header_) write(registers::kept_header, kept);
  keeps_header_ = true;
  kept_header_ = kept;
  if (config_.has_engines() && header.type == communication_message::write) {
    const word_t counter = registers::counter_word(header.remote);
    if (counter != kept_counter_) write(registers::kept_counter, counter);
    kept_counter_ = counter;
  }
  write(registers::send_like, target);
}

void interface_driver::compose(const outgoing_message& message) {
  const interface_header& header = message.header;
  begin(header);
  if (header.type == communication_message::read) {
    write(registers::send_answer_to, header.answer_to);
    if (header.strided) write(registers::send_strides, registers::stride_word(header));
    return;
  }
  if (header.strided) write(registers::send_strides, registers::stride_word(header));
  if (message.has_value) {
    write(registers::send_data, message.value);
    return;
  }
  for (std::uint32_t i = 0; i < body_words(header.size); ++i) {
    write(registers::send_data, load(message.from + place_of_word(header, i, message.from_stride)));
  }
}

void interface_driver::await_dma(const bit_field& at_work) {
  while (at_work.in(read(registers::status)) != 0) {
    context_.delay(dma_poll_cycles);
  }
}

void interface_driver::compose_by_dma(const outgoing_message& message) {
  await_dma(registers::status_fields::dma_sends);
  begin(message.header);
  write(registers::dma_address, dma_address(message.from));
  write(registers::dma_send, message.header.size);
}

interface_header interface_driver::take_header() {
  const word_t first = read(registers::receive_header);
  interface_header header = registers::header_from(first);
  header.source = header.destination;  // the node of a message that has come is its source
  header.address = read(registers::receive_header);
  if (header.type == communication_message::read) {
    header.answer_to = read(registers::receive_header);
  }
  if (header.strided) registers::set_strides(header, read(registers::receive_header));
  return header;
}

void interface_driver::take_body(const interface_header& header) {
  if (config_.dma && header.size > least_dma_bytes && !header.strided) {
    write(registers::dma_address, dma_address(header.address));
    write(registers::dma_receive, header.size);
    await_dma(registers::status_fields::dma_stores);
    return;
  }
  for (std::uint32_t i = 0; i < body_words(header.size); ++i) {
    const auto left = static_cast<std::uint32_t>(header.size - i * word_bytes);
    store(header.address + place_of_word(header, i), take_word(), left);
  }
}

void interface_driver::serve_fault(std::uint64_t memory_bytes) {
  namespace faults = registers::fault_fields;
  namespace fills = registers::fill_fields;
  const word_t fault = read(registers::fault);
  if (faults::is_there.in(fault) == 0) return;
  const std::uint64_t page = faults::page.in(fault);
  if ((page + 1) * config_.page_bytes > memory_bytes) {
    throw simulation_error(fmt::format(
        "node {}, cycle {}: a message or DMA asks for page {:#x}, and the node's data "
        "have pages 0 to {:#x}; software has no translation for it",
        index(context_.node()), context_.now(), page, memory_bytes / config_.page_bytes - 1));
  }
  write(registers::translation_page, page);
  word_t fill = fills::page.put(0, page + place_ / config_.page_bytes);
  fill = fills::entry.put(fill, next_entry_);
  write(registers::translation_fill, fills::valid.put(fill, 1));
  next_entry_ = (next_entry_ + 1) % config_.translations;
  write(registers::translation_retry, std::uint64_t{1} << faults::source.in(fault));
}

void interface_driver::count(const counter_command& command) {
  write(registers::counter_command, registers::counter_word(command));
}

}  // namespace tributary
