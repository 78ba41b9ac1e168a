// SPDX-License-Identifier: Apache-2.0
// What software does at the registers of a message interface.
#pragma once

#include <cstdint>
#include <functional>

#include <tributary/nic/interface_message.h>
#include <tributary/nic/interface_registers.h>
#include <tributary/nic/message_interface_config.h>
#include <tributary/processor/program.h>
#include <tributary/sim/bit_field.h>

namespace tributary {

/// A message with its body's place in the own memory.
struct outgoing_message {
  interface_header header;
  std::uint64_t from = 0;        ///< offset of the body; without meaning if it is `value`
  std::int32_t from_stride = 0;  ///< of a strided write: bytes from one of its items to the next
  bool has_value = false;        ///< the body is one word, `value`
  word_t value = 0;
};

/// Writes and takes messages, word by word, and keeps translations. All by loads and stores of a
/// program, so it takes the time that they take. With `sticky_header` it writes a header and a
/// counter only if they differ from those of its message before; nothing else may write them then.
class interface_driver {
 public:
  /// `registers` and `memory`: byte addresses of the interface and of what the program has of its
  /// node's memory, where virtual addresses are offsets; `place`: where that is in the memory as
  /// the interface sees it, at the beginning of a page.
  interface_driver(program_context& context, const message_interface_config& config,
                   std::uint64_t registers, std::uint64_t memory, std::uint64_t place)
      : context_(context), config_(config), registers_(registers), memory_(memory), place_(place) {}

  const message_interface_config& config() const { return config_; }
  program_context& context() const { return context_; }

  word_t load(std::uint64_t offset) { return context_.load(memory_ + offset); }
  void store(std::uint64_t offset, word_t value) { context_.store(memory_ + offset, value); }
  /// A word of which only so many bytes count, from the lowest on: 4 or 8.
  void store(std::uint64_t offset, word_t value, std::uint32_t bytes);

  word_t read(std::uint64_t at) { return context_.load(registers_ + at); }
  void write(std::uint64_t at, word_t value) { context_.store(registers_ + at, value); }

  /// Whether the channel takes a message, as `status` says.
  static bool has_room(word_t status, interface_channel channel);
  /// Writes a message; its channel must have room.
  void compose(const outgoing_message& message);
  /// The same of more than a packet, by DMA; waits until that is free.
  void compose_by_dma(const outgoing_message& message);

  /// The control words of the oldest message that was received.
  interface_header take_header();
  word_t take_word() { return read(interface_registers::receive_data); }
  /// Its body goes to memory, by DMA if there is any and it pays.
  void take_body(const interface_header& header);

  /// Serves one fault if there is one.
  /// Throws `simulation_error` for a page that the node does not have.
  void serve_fault(std::uint64_t memory_bytes);
  /// Counts at this node.
  void count(const counter_command& command);

 private:
  /// The control words but for where the answer to a read goes, and strides.
  void begin(const interface_header& header);
  void begin_like_before(const interface_header& header);
  void await_dma(const bit_field& at_work);
  /// As DMA wants it: without engines nothing translates.
  std::uint64_t dma_address(std::uint64_t offset) const {
    return config_.has_engines() ? offset : place_ + offset;
  }

  program_context& context_;
  message_interface_config config_;
  std::uint64_t registers_;
  std::uint64_t memory_;
  std::uint64_t place_;
  std::uint32_t next_entry_ = 0;
  // What the interface keeps.
  bool keeps_header_ = false;
  word_t kept_header_ = 0;
  word_t kept_counter_ = 0;
};

}  // namespace tributary
