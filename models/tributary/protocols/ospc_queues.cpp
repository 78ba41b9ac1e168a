// SPDX-License-Identifier: Apache-2.0
#include <tributary/protocols/ospc_queues.h>

#include <tributary/sim/parameters.h>

namespace tributary {

void ospc_config::bind(parameter_set& parameters) {
  parameters.add(
      "depth", depth, {1, 1024}, "records",
      "Calls of the operating system that each of the two queues holds (not published).");
}

std::uint64_t ospc_queues::storage_bytes(line_size line) const {
  return (2 + ospc_priorities * std::uint64_t{config_.depth}) * line.bytes();
}

void ospc_queues::place(std::uint64_t address, line_size line) {
  base_ = address;
  line_ = line;
}

std::uint64_t ospc_queues::counter(ospc_priority priority) const {
  return base_ + 2 * word_bytes * static_cast<std::uint64_t>(priority);
}

ospc_queues::bounds ospc_queues::bounds_of(handler_context& context, ospc_priority priority) const {
  return {context.load(counter(priority)), context.load(counter(priority) + word_bytes)};
}

std::uint64_t ospc_queues::record(ospc_priority priority, word_t number) const {
  const std::uint64_t place =
      static_cast<std::uint64_t>(priority) * config_.depth + number % config_.depth;
  return base_ + (2 + place) * line_.bytes();
}

bool ospc_queues::is_posted(handler_context& context, ospc_priority priority, const bounds& all,
                            const ospc_record& call) const {
  for (word_t i = all.first; i != all.end; ++i) {
    const std::uint64_t at = record(priority, i);
    bool same = context.load(at) == call.type;
    for (std::size_t n = 0; n < call.arguments.size(); ++n) {
      same = same && context.load(at + (1 + n) * word_bytes) == call.arguments[n];
    }
    if (same) return true;
  }
  return false;
}

bool ospc_queues::post(handler_context& context, ospc_priority priority,
                       const ospc_record& call) const {
  const bounds all = bounds_of(context, priority);
  if (is_posted(context, priority, all, call)) return true;
  if (all.end - all.first == config_.depth) return false;
  const std::uint64_t at = record(priority, all.end);
  context.store(at, call.type);
  for (std::size_t n = 0; n < call.arguments.size(); ++n) {
    context.store(at + (1 + n) * word_bytes, call.arguments[n]);
  }
  context.store(counter(priority) + word_bytes, all.end + 1);
  if (all.end == all.first) context.interrupt(static_cast<std::uint64_t>(priority));
  return true;
}

word_t ospc_queues::word(handler_context& context, ospc_priority priority,
                         std::uint64_t place) const {
  const bounds all = bounds_of(context, priority);
  if (all.end == all.first || place >= line_.words()) return 0;
  return context.load(record(priority, all.first) + place * word_bytes);
}

std::uint64_t ospc_queues::first_line(handler_context& context, ospc_priority priority) const {
  const bounds all = bounds_of(context, priority);
  return all.end == all.first ? no_record() : record(priority, all.first);
}

void ospc_queues::acknowledge(handler_context& context, ospc_priority priority) const {
  const bounds all = bounds_of(context, priority);
  if (all.end != all.first) context.store(counter(priority), all.first + 1);
}

word_t ospc_queues::waiting(const word_memory& memory, ospc_priority priority) const {
  return memory.read(counter(priority) + word_bytes) - memory.read(counter(priority));
}

}  // namespace tributary
