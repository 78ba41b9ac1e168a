// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/fbcopy.h>

#include <algorithm>
#include <initializer_list>

#include <tributary/controller/message.h>

namespace tributary {
namespace {

using command = block_transfer_command;
using result = block_transfer_result;

/// A copy by loads and stores; bytes of a word that are not copied stay.
class processor_copy {
 public:
  processor_copy(uncached_port& port, std::uint64_t source, std::uint64_t destination)
      : port_(port), source_(source), destination_(destination) {}

  /// Bytes [from, to) of the buffers.
  void operator()(std::uint64_t from, std::uint64_t to) {
    if (from == to) return;
    std::uint64_t at = from;
    while (at < to) {
      const std::uint64_t first = (destination_ + at) % word_bytes;
      const std::uint64_t count = std::min(word_bytes - first, to - at);
      copy_word(at, first, count);
      at += count;
    }
    // Stores are posted; a load of the last one's word comes back when all are in memory.
    port_.load(aligned(destination_ + to - 1));
  }

 private:
  static std::uint64_t aligned(std::uint64_t address) { return address - address % word_bytes; }
  static word_t mask(std::uint64_t bytes) {
    return bytes == word_bytes ? ~word_t{0} : (word_t{1} << 8 * bytes) - 1;
  }

  void copy_word(std::uint64_t at, std::uint64_t first, std::uint64_t count) {
    word_t value = bytes_of_source(at, count) << 8 * first;
    const std::uint64_t address = aligned(destination_ + at);
    if (count != word_bytes) {
      value |= port_.load(address) & ~(mask(count) << 8 * first);
    }
    port_.store(address, value);
  }

  /// `count` bytes from `at` on, the least significant first.
  word_t bytes_of_source(std::uint64_t at, std::uint64_t count) {
    const std::uint64_t address = source_ + at;
    const std::uint64_t skipped = address % word_bytes;
    word_t value = word_at(aligned(address)) >> 8 * skipped;
    if (skipped + count > word_bytes) {
      value |= word_at(aligned(address) + word_bytes) << 8 * (word_bytes - skipped);
    }
    return value & mask(count);
  }

  word_t word_at(std::uint64_t address) {
    if (!is_loaded_ || loaded_at_ != address) {
      loaded_ = port_.load(address);
      loaded_at_ = address;
      is_loaded_ = true;
    }
    return loaded_;
  }

  uncached_port& port_;
  std::uint64_t source_;
  std::uint64_t destination_;
  word_t loaded_ = 0;
  std::uint64_t loaded_at_ = 0;
  bool is_loaded_ = false;
};

/// The command sequence, once. Addresses are arguments of the shadow mapping, whose data nobody
/// reads.
class request {
 public:
  request(uncached_port& port, const fbcopy_mapping& mapping) : port_(port), mapping_(mapping) {}

  result transfer(std::uint64_t source, std::uint64_t destination, std::uint64_t length,
                  std::uint64_t flag) {
    port_.store(mapping_.commands + command::length, length);
    if (mapping_.translated) return name_all({source, destination, flag});
    name(source);
    name(destination);
    name(flag);
    name_further_pages(source, length);
    name_further_pages(destination, length);
    return commit();
  }

  result increment(std::uint64_t flag) {
    port_.store(mapping_.commands + command::length, 0);
    if (mapping_.translated) return name_all({flag});
    name(flag);
    return commit();
  }

 private:
  result commit() { return ended(command::commit); }
  result ended(std::uint64_t behind) {
    return static_cast<result>(port_.load(mapping_.commands + behind));
  }
  result name_all(std::initializer_list<std::uint64_t> addresses) {
    std::uint64_t at = command::length;
    for (const std::uint64_t each : addresses) {
      at += word_bytes;
      port_.store(mapping_.commands + at, each);
    }
    return ended(command::commit_virtual);
  }
  void name(std::uint64_t address) { port_.store(address + mapping_.shadow_distance, 0); }

  void name_further_pages(std::uint64_t first, std::uint64_t length) {
    const std::uint64_t page = mapping_.page_bytes;
    for (std::uint64_t at = first - first % page + page; at < first + length; at += page) name(at);
  }

  uncached_port& port_;
  const fbcopy_mapping& mapping_;
};

bool is_for_processor(result found) {
  return found == result::same_node || found == result::bad_length;
}

/// Repeats a request as long as it may be accepted later.
template <class Request>
result ask_until_final(uncached_port& port, const fbcopy_mapping& mapping, fbcopy_outcome& outcome,
                       const Request& ask) {
  for (;;) {
    const result found = ask(request(port, mapping));
    if (!may_be_asked_again(found)) return found;
    ++outcome.refusals;
    port.delay(mapping.retry_delay);
  }
}

}  // namespace

fbcopy_mapping physical_mapping(const address_layout& addresses, node_id here,
                                std::uint64_t page_bytes, line_size line) {
  fbcopy_mapping mapping;
  mapping.shadow_distance = addresses.address_of(node_id{0}, command::shadow_space, 0);
  mapping.commands = addresses.address_of(here, command::space, 0);
  mapping.page_bytes = page_bytes;
  mapping.line = line;
  return mapping;
}

fbcopy_outcome fbcopy(uncached_port& port, const fbcopy_mapping& mapping, std::uint64_t source,
                      std::uint64_t destination, std::uint64_t length, std::uint64_t flag) {
  fbcopy_outcome outcome;
  processor_copy copy(port, source, destination);
  // Whole lines of the destination are [head, tail).
  const std::uint64_t head = std::min(length, mapping.line.next_start(destination) - destination);
  const std::uint64_t tail = head + mapping.line.start(length - head);
  if (tail != head && (source - destination) % word_bytes == 0) {
    copy(0, head);
    copy(tail, length);
    outcome.copied_by_processor = length - (tail - head);
    outcome.result = ask_until_final(port, mapping, outcome, [&](request ask) {
      return ask.transfer(source + head, destination + head, tail - head, flag);
    });
    if (!is_for_processor(outcome.result)) return outcome;
    copy(head, tail);
  } else {
    copy(0, length);
  }
  outcome.copied_by_processor = length;
  const result counted =
      ask_until_final(port, mapping, outcome, [&](request ask) { return ask.increment(flag); });
  if (counted != result::accepted) outcome.result = counted;
  return outcome;
}

void fbcopy_wait(uncached_port& port, std::uint64_t flag, word_t value, std::uint64_t interval) {
  while (port.load(flag) < value) port.delay(interval);
}

}  // namespace tributary
