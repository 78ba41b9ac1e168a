// SPDX-License-Identifier: Apache-2.0
// Random messages of all kinds between message interfaces, as their processors write and serve
// them.
#pragma once

#include <cstdint>

#include <tributary/nic/interface_registers.h>
#include <tributary/nic/message_interface_config.h>
#include <tributary/sim/random_stream.h>

#include <support/register_processor.h>

namespace tributary::testing {

/// What a node does. No word of memory is written by two nodes, and none that is read is written,
/// so memory at the end does not depend on time.
///
/// Virtual pages: one for each node that writes there, then one that answers come to, one that is
/// read, and one that has no translation until it is missed. Each lies one page further in memory.
class register_talk {
 public:
  static constexpr std::uint64_t page = 4096;
  static constexpr std::uint32_t most_nodes = 4;
  static constexpr std::uint64_t answers = most_nodes * page;
  static constexpr std::uint64_t source = answers + page;
  static constexpr std::uint64_t missed = source + page;
  static constexpr std::uint64_t memory_bytes = 16 * page;
  /// Where a virtual address is in memory.
  static constexpr std::uint64_t place_of(std::uint64_t address) { return address + page; }

  register_talk(register_processor& processor, const message_interface_config& config,
                std::uint32_t here, std::uint32_t nodes, std::uint32_t messages,
                std::uint64_t seed = 1)
      : processor_(processor),
        config_(config),
        here_(here),
        nodes_(nodes),
        messages_(messages),
        random_(seed, here, 11U),
        pauses_(seed, here, 12U) {}

  void run() {
    for (std::uint64_t i = 0; config_.has_engines() && i < missed / page; ++i) map(i);
    processor_.write(interface_registers::interrupt_enable, 0xf);
    for (std::uint32_t i = 0; i < messages_; ++i) {
      await_room();
      if (config_.dma && below(4) == 0) {
        send_by_dma();
      } else {
        send(below(4));
      }
    }
    // Others may still send.
    for (std::uint32_t quiet = 0; quiet < 100; quiet = serve() ? 0 : quiet + 1) {
      processor_.delay(50);
    }
  }

 private:
  using type = communication_message;

  void map(std::uint64_t virtual_page) {
    namespace fills = interface_registers::fill_fields;
    processor_.write(interface_registers::translation_page, virtual_page);
    const word_t fill = fills::entry.put(fills::page.put(0, virtual_page + 1), virtual_page);
    processor_.write(interface_registers::translation_fill, fills::valid.put(fill, 1));
  }

  void await_room() {
    namespace fields = interface_registers::status_fields;
    for (;;) {
      serve();
      const word_t status = processor_.read(interface_registers::status);
      if (fields::request_room.in(status) != 0 && fields::dma_sends.in(status) == 0) return;
      processor_.delay(1 + static_cast<std::uint32_t>(pauses_.below(30)));
    }
  }

  interface_header header_for(type of) {
    interface_header header;
    header.type = of;
    header.destination = node_id{(here_ + 1 + below(nodes_ - 1)) % nodes_};
    header.size = 4 * below(config_.packet_bytes / 4 + 1);
    header.tag = static_cast<std::uint8_t>(below(256));
    return header;
  }
  /// Of this node's page at another, or of the one that is missed.
  std::uint64_t written(std::uint32_t bytes) {
    const bool misses = config_.has_engines() && below(8) == 0;
    const std::uint64_t room = misses ? page / most_nodes : page;
    const std::uint64_t first = misses ? missed + here_ * room : here_ * page;
    return first + 8 * below(static_cast<std::uint32_t>((room - bytes - 8) / 8));
  }

  void write_header(const interface_header& header) {
    processor_.write(interface_registers::send_header,
                     interface_registers::header_word(header, header.destination));
    processor_.write(interface_registers::send_address, header.address);
  }

  void send(std::uint32_t kind) {
    constexpr type types[] = {type::write, type::read, type::tagged, type::write};
    interface_header header = header_for(types[kind]);
    const bool counts = kind == 3;
    if (counts) header.size = 0;
    header.look_at_once = kind == 2 && below(2) == 0;
    header.everyone = kind == 0 && config_.broadcast && below(4) == 0;
    if (kind < 2 && config_.has_engines() && !header.everyone) {
      header.acknowledge = header.type == type::write;
      header.has_local = true;
      header.local = static_cast<std::uint8_t>(below(config_.counters));
    }
    if (header.type == type::read) {
      header.address = source + 8 * below(64);
      write_header(header);
      processor_.write(interface_registers::send_answer_to, answers + 64 * (sent_++ % 64));
      return;
    }
    header.address = written(header.size);
    write_header(header);
    if (header.type == type::write && config_.has_engines()) {
      const auto number = static_cast<std::uint8_t>(below(config_.counters));
      processor_.write(interface_registers::send_counter,
                       interface_registers::counter_word({counts, true, number, 2}));
    }
    for (std::uint32_t i = 0; i < body_words(header.size); ++i) {
      processor_.write(interface_registers::send_data, random_.next_u64());
    }
  }

  void send_by_dma() {
    interface_header header = header_for(type::write);
    header.size = 4 + 4 * below(50);
    header.address = written(header.size);
    write_header(header);
    if (config_.has_engines()) processor_.write(interface_registers::send_counter, 0);
    const std::uint64_t from = source + 8 * below(64);
    processor_.write(interface_registers::dma_address,
                     config_.has_engines() ? from : place_of(from));
    processor_.write(interface_registers::dma_send, header.size);
  }

  /// What waits for the processor; whether there was anything.
  bool serve() {
    namespace fields = interface_registers::status_fields;
    const word_t status = processor_.read(interface_registers::status);
    const word_t causes = processor_.read(interface_registers::interrupt_cause);
    if (causes != 0) processor_.write(interface_registers::interrupt_cause, causes);
    if (fields::faults.in(status) != 0) {
      const word_t fault = processor_.read(interface_registers::fault);
      map(interface_registers::fault_fields::page.in(fault));
      processor_.write(interface_registers::translation_retry, fields::faults.in(status));
    }
    if (fields::zeroed.in(status) != 0) {
      processor_.write(interface_registers::zeroed, processor_.read(interface_registers::zeroed));
    }
    if (fields::receive_words.in(status) != 0) take();
    return causes != 0 || fields::faults.in(status) != 0 || fields::zeroed.in(status) != 0 ||
           fields::receive_words.in(status) != 0;
  }

  void take() {
    const interface_header header =
        interface_registers::header_from(processor_.read(interface_registers::receive_header));
    const std::uint64_t address = processor_.read(interface_registers::receive_header);
    if (header.type == type::read) {
      processor_.read(interface_registers::receive_header);
      return;
    }
    if (header.type == type::write && config_.dma && header.size != 0) {
      processor_.write(interface_registers::dma_address, place_of(address));
      processor_.write(interface_registers::dma_receive, header.size);
      while (interface_registers::status_fields::dma_stores.in(
                 processor_.read(interface_registers::status)) != 0) {
        processor_.delay(5);
      }
      return;
    }
    for (std::uint32_t i = 0; i < body_words(header.size); ++i) {
      processor_.read(interface_registers::receive_data);
    }
  }

  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_.below(n)); }

  register_processor& processor_;
  message_interface_config config_;
  std::uint32_t here_;
  std::uint32_t nodes_;
  std::uint32_t messages_;
  random_stream random_;
  random_stream pauses_;  // how many are drawn depends on time
  std::uint32_t sent_ = 0;
};

}  // namespace tributary::testing
