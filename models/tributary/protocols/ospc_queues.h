// SPDX-License-Identifier: Apache-2.0
// What handlers ask of the operating system: records that interrupt the processor.
#pragma once

#include <array>
#include <cstdint>

#include <tributary/controller/handler_context.h>
#include <tributary/memory/line.h>
#include <tributary/memory/word_memory.h>

namespace tributary {

class parameter_set;

/// Configuration of the queues.
struct ospc_config {
  std::uint32_t depth = 16;  ///< records of each queue
  void bind(parameter_set& parameters);
};

/// The two queues, by their priority; the processor's interrupt line has the same number, and the
/// lower line comes first.
enum class ospc_priority : std::uint8_t { high, low };
/// How many priorities there are.
inline constexpr std::size_t ospc_priorities = 2;

/// A call: a type, not 0, and what the type gives a meaning.
struct ospc_record {
  static constexpr std::size_t most_arguments = 3;
  word_t type = 0;
  std::array<word_t, most_arguments> arguments{};
};

/// Circular queues of operating system procedure calls in protocol memory, a line a record (FLASH
/// 4.1.3). The processor is interrupted when a queue is no longer empty. It reads the first record,
/// as often as it likes, and acknowledges it, until there is none.
class ospc_queues {
 public:
  explicit ospc_queues(const ospc_config& config) : config_(config) {}

  std::uint64_t storage_bytes(line_size line) const;
  /// They begin at `address`, at a line's start, of the node's memory.
  void place(std::uint64_t address, line_size line);

  /// Appends a call, unless the same one waits. False if the queue is full.
  bool post(handler_context& context, ospc_priority priority, const ospc_record& call) const;
  /// A doubleword of the first record: the type, which is 0 if there is none, then its arguments.
  word_t word(handler_context& context, ospc_priority priority, std::uint64_t place) const;
  /// The line of memory with the first record; one of zeros if there is none.
  std::uint64_t first_line(handler_context& context, ospc_priority priority) const;
  /// The first record has been served.
  void acknowledge(handler_context& context, ospc_priority priority) const;

  /// Records that wait, for tests and debuggers.
  word_t waiting(const word_memory& memory, ospc_priority priority) const;

 private:
  struct bounds {
    word_t first;  ///< records that were served
    word_t end;    ///< records that were posted
  };
  std::uint64_t counter(ospc_priority priority) const;
  bounds bounds_of(handler_context& context, ospc_priority priority) const;
  std::uint64_t record(ospc_priority priority, word_t number) const;
  /// A line that nothing is written to.
  std::uint64_t no_record() const { return base_ + line_.bytes(); }
  bool is_posted(handler_context& context, ospc_priority priority, const bounds& all,
                 const ospc_record& call) const;

  ospc_config config_;
  line_size line_;
  std::uint64_t base_ = 0;
};

}  // namespace tributary
