// SPDX-License-Identifier: Apache-2.0
// What handlers ask of the operating system: records that interrupt the processor.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <tributary/memory/line.h>
#include <tributary/memory/operation.h>

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
  template <class Node>
  bool post(Node& node, ospc_priority priority, const ospc_record& call) const {
    if (is_posted(node, priority, call)) return true;
    return append(node, priority, call.type, call.arguments.size(),
                  [&call](std::size_t n) { return call.arguments[n]; });
  }
  /// Appends a call with so many arguments, of which `argument` gives each, whatever waits. False
  /// if the queue is full.
  template <class Node, class Argument>
  bool append(Node& node, ospc_priority priority, word_t type, std::size_t arguments,
              Argument&& argument) const {
    const bounds all = bounds_of(node, priority);
    if (all.end - all.first == config_.depth) return false;
    const std::uint64_t at = record(priority, all.end);
    node.store(at, type);
    for (std::size_t n = 0; n < arguments; ++n) {
      node.store(at + (1 + n) * word_bytes, argument(n));
    }
    node.store(counter(priority) + word_bytes, all.end + 1);
    if (all.end == all.first) node.interrupt(static_cast<std::uint64_t>(priority));
    return true;
  }
  /// A doubleword of the first record: the type, which is 0 if there is none, then its arguments.
  template <class Node>
  word_t word(Node& node, ospc_priority priority, std::uint64_t place) const {
    const bounds all = bounds_of(node, priority);
    if (all.end == all.first || place >= line_.words()) return 0;
    return node.load(record(priority, all.first) + place * word_bytes);
  }
  /// The line of memory with the first record; one of zeros if there is none.
  template <class Node>
  std::uint64_t first_line(Node& node, ospc_priority priority) const {
    const bounds all = bounds_of(node, priority);
    return all.end == all.first ? no_record() : record(priority, all.first);
  }
  /// The first record has been served.
  template <class Node>
  void acknowledge(Node& node, ospc_priority priority) const {
    const bounds all = bounds_of(node, priority);
    if (all.end != all.first) node.store(counter(priority), all.first + 1);
  }

  /// Records that wait, for tests and debuggers.
  template <class Memory>
  word_t waiting(const Memory& memory, ospc_priority priority) const {
    return memory.read(counter(priority) + word_bytes) - memory.read(counter(priority));
  }

 private:
  struct bounds {
    word_t first;  ///< records that were served
    word_t end;    ///< records that were posted
  };
  std::uint64_t counter(ospc_priority priority) const {
    return base_ + 2 * word_bytes * static_cast<std::uint64_t>(priority);
  }
  template <class Node>
  bounds bounds_of(Node& node, ospc_priority priority) const {
    return {node.load(counter(priority)), node.load(counter(priority) + word_bytes)};
  }
  std::uint64_t record(ospc_priority priority, word_t number) const {
    const std::uint64_t place =
        static_cast<std::uint64_t>(priority) * config_.depth + number % config_.depth;
    return base_ + (2 + place) * line_.bytes();
  }
  /// A line that nothing is written to.
  std::uint64_t no_record() const { return base_ + line_.bytes(); }
  template <class Node>
  bool is_posted(Node& node, ospc_priority priority, const ospc_record& call) const {
    const bounds all = bounds_of(node, priority);
    for (word_t i = all.first; i != all.end; ++i) {
      const std::uint64_t at = record(priority, i);
      bool same = node.load(at) == call.type;
      for (std::size_t n = 0; n < call.arguments.size(); ++n) {
        same = same && node.load(at + (1 + n) * word_bytes) == call.arguments[n];
      }
      if (same) return true;
    }
    return false;
  }

  ospc_config config_;
  line_size line_;
  std::uint64_t base_ = 0;
};

}  // namespace tributary
