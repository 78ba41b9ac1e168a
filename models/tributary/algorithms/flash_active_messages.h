// SPDX-License-Identifier: Apache-2.0
// Active messages between the processors and controllers of FLASH nodes (FLASH 7.1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <vector>

#include <tributary/controller/address_layout.h>
#include <tributary/memory/line.h>
#include <tributary/processor/program.h>
#include <tributary/protocols/active_messages/active_commands.h>
#include <tributary/protocols/kernel_calls.h>

namespace tributary {

/// The nodes' active messages, as programs name them.
struct flash_active_place {
  address_layout addresses;
  line_size line;           ///< of the nodes' memories
  std::uint32_t nodes = 1;  ///< of the machine
  std::uint64_t words = 0;  ///< of a node that functions of its controller change
  bool by_line = false;     ///< whether the processor's caches get a record as a line
  /// Cycles of the processor from its interrupt vector to the first handler: state that is saved,
  /// and the dispatch (FLASH 7.1.1: hundreds without a vector that is reserved for it). 200 of
  /// 400 MHz are 100 of an R10000's 200 MHz.
  std::uint64_t start_up = 200;
};

/// A message that has come to a processor.
struct active_message {
  node_id source{};
  std::vector<word_t> arguments;
};

/// One processor's end. Messages of one sender to one destination may pass each other after one of
/// them was refused.
class flash_active_messages {
 public:
  using handler = std::function<void(program_context&, const active_message&)>;

  /// Serves the interrupts of the high queue of calls from here on, in `delay` and `spin`.
  flash_active_messages(program_context& context, const flash_active_place& place);
  flash_active_messages(const flash_active_messages&) = delete;
  flash_active_messages& operator=(const flash_active_messages&) = delete;

  /// What serves messages to a handler of this number, 0 to 65535. It may send, and then waits for
  /// room without being interrupted; two processors whose handlers do so may wait for each other.
  void serve(std::uint32_t number, handler with);

  /// Sends to a handler of a node's processor; returns when the message is under way. Throws
  /// `simulation_error` for a node or handler that cannot be, and for too many arguments.
  void send(node_id to, std::uint32_t number, std::initializer_list<word_t> arguments);
  /// To a function of a node's controller.
  void call(node_id at, std::uint32_t function, std::initializer_list<word_t> arguments);
  /// Waits until all messages of this node were accepted: a controller has run its function, and a
  /// processor will be interrupted.
  void fence();

  /// A word of this node, which functions of its controller change.
  word_t word(std::uint64_t i);
  void set_word(std::uint64_t i, word_t value);

 private:
  void submit(const active_header& header, std::initializer_list<word_t> arguments);
  bool try_submit(const active_header& header, std::initializer_list<word_t> arguments);
  void check(bool holds, const char* problem) const;
  void serve_all(program_context& context);
  word_t record(program_context& context, std::uint64_t i) const;
  std::uint64_t address(std::uint64_t offset) const {
    return active_message_command::address(place_.addresses, context_.node(), offset);
  }
  std::uint64_t kernel_address(std::uint64_t offset) const {
    return place_.addresses.address_of(context_.node(), kernel_command::space, offset);
  }

  program_context& context_;
  flash_active_place place_;
  std::map<std::uint32_t, handler> handlers_;
};

}  // namespace tributary
