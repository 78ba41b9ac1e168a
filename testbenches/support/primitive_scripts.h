// SPDX-License-Identifier: Apache-2.0
// Random programs of a data-parallel run-time's primitives, and what they mean one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <tributary/algorithms/data_parallel.h>
#include <tributary/sim/random_stream.h>

namespace tributary::testing {

/// What a node does in a phase, or what all do.
struct primitive {
  enum class kind : std::uint8_t { write, read, get, send, combining_send, broadcast, reduce };
  kind does = kind::read;
  std::uint32_t node = 0;  ///< who does it; of all: the owner
  node_data there;
  std::uint64_t here = 0;
  std::uint32_t bytes = 8;
  word_t value = 0;
  combining_operation operation = combining_operation::sum;
};

inline constexpr std::uint64_t data_words = 64;
inline constexpr std::uint64_t cast_words = 64;  // behind them, where broadcasts land

/// Phases, each of which ends with a barrier; in one a word is read by any, or changed by one way.
using script = std::vector<std::vector<primitive>>;

class script_writer {
 public:
  script_writer(std::uint64_t seed, std::uint32_t nodes) : draws_(seed, 7U, 5U), nodes_(nodes) {}

  script write(std::size_t phases) {
    script made(phases);
    for (auto& phase : made) {
      begin_phase();
      const std::uint64_t count = draws_.below(24);
      for (std::uint64_t i = 0; i < count; ++i) add(phase);
    }
    return made;
  }

 private:
  using kind = primitive::kind;

  void begin_phase() {
    changes_.assign(nodes_, std::vector<bool>(data_words));
    taken_.assign(nodes_, std::vector<bool>(data_words));
    cast_ = 0;
    for (auto& node : changes_) {
      for (std::size_t i = 0; i < data_words; ++i) node[i] = draws_.below(2) == 1;
    }
    // The last word of each node is where sends meet.
    for (auto& node : taken_) node[data_words - 1] = true;
    for (auto& node : changes_) node[data_words - 1] = true;
  }
  std::uint32_t any_node() { return static_cast<std::uint32_t>(draws_.below(nodes_)); }
  /// So many words in a row of a node that change, and by nothing else, or that none changes.
  bool find(std::uint32_t node, std::uint64_t words, bool changes, std::uint64_t& at) {
    const std::uint64_t first = draws_.below(data_words);
    for (std::uint64_t i = 0; i < data_words; ++i) {
      at = (first + i) % data_words;
      bool fits = at + words <= data_words;
      for (std::uint64_t w = at; fits && w < at + words; ++w) {
        fits = changes_[node][w] == changes && !taken_[node][w];
      }
      if (!fits) continue;
      for (std::uint64_t w = at; changes && w < at + words; ++w) taken_[node][w] = true;
      at *= word_bytes;
      return true;
    }
    return false;
  }
  void add(std::vector<primitive>& phase) {
    primitive made;
    made.does = static_cast<kind>(draws_.below(7));
    made.node = any_node();
    made.value = draws_.below(1000);
    const std::uint64_t words = 1 + draws_.below(4);
    made.bytes = draws_.below(4) == 0 ? 4 : static_cast<std::uint32_t>(8 * words);
    const std::uint64_t length = made.bytes == 4 ? 1 : words;
    made.there.node = node_id{any_node()};
    const std::uint32_t other = index(made.there.node);
    bool found = true;
    switch (made.does) {
      case kind::write:
        made.bytes = 8;
        found = find(made.node, 1, true, made.here);
        break;
      case kind::read:
        found = find(made.node, 1, false, made.here);
        break;
      case kind::get:
        found = find(other, length, false, made.there.offset) &&
                find(made.node, length, true, made.here);
        break;
      case kind::send:
        found = find(made.node, length, false, made.here) &&
                find(other, length, true, made.there.offset);
        break;
      case kind::combining_send:
        made.bytes = 8;
        made.there.offset = (data_words - 1) * word_bytes;
        break;
      case kind::broadcast:
        found = cast_ + length <= cast_words;
        made.here = (data_words + cast_) * word_bytes;
        cast_ += length;
        break;
      case kind::reduce:
        made.bytes = draws_.below(2) == 0 ? 4 : 8;
        made.operation =
            draws_.below(2) == 0 ? combining_operation::sum : combining_operation::maximum;
        break;
    }
    if (found) phase.push_back(made);
  }

  random_stream draws_;
  std::uint32_t nodes_;
  std::vector<std::vector<bool>> changes_;  // in this phase, by node and word
  std::vector<std::vector<bool>> taken_;    // by what changes it
  std::uint64_t cast_ = 0;
};

/// What a node contributes to a reduction: in whole words also in the upper half, which must not be
/// seen in a later one of 4 bytes.
inline word_t contribution(const primitive& each, std::uint32_t node) {
  const word_t upper = each.bytes == 4 ? 0 : word_t{(node * 3 + each.node) % 5} << 34;
  return upper + each.value + 7 * ((node + each.node) % 5);
}

/// What the nodes have and have seen.
struct outcome {
  std::vector<std::vector<word_t>> data;
  std::vector<std::vector<word_t>> seen;

  explicit outcome(std::uint32_t nodes)
      : data(nodes, std::vector<word_t>(data_words + cast_words)), seen(nodes) {}
};

inline void move_item(word_t& to, word_t from, std::uint32_t bytes) {
  to = bytes == 4 ? (to & ~byte_mask(0x0f)) | (from & byte_mask(0x0f)) : from;
}

/// One primitive after the other. No order of those of a phase makes a difference.
inline outcome meant(const script& phases, std::uint32_t nodes) {
  using kind = primitive::kind;
  outcome all(nodes);
  for (const auto& phase : phases) {
    for (const primitive& each : phase) {
      auto& own = all.data[each.node];
      auto& others = all.data[index(each.there.node)];
      const std::uint64_t here = each.here / word_bytes;
      const std::uint64_t there = each.there.offset / word_bytes;
      const std::uint64_t words = (each.bytes + 7) / word_bytes;
      switch (each.does) {
        case kind::write:
          own[here] = each.value;
          break;
        case kind::read:
          all.seen[each.node].push_back(own[here]);
          break;
        case kind::get:
          for (std::uint64_t i = 0; i < words; ++i)
            move_item(own[here + i], others[there + i], each.bytes);
          break;
        case kind::send:
          for (std::uint64_t i = 0; i < words; ++i)
            move_item(others[there + i], own[here + i], each.bytes);
          break;
        case kind::combining_send:
          others[there] += each.value;
          break;
        case kind::broadcast:
          for (std::uint64_t i = 0; i < words; ++i) own[here + i] = each.value + i;
          for (auto& node : all.data) {
            for (std::uint64_t i = 0; i < words; ++i)
              move_item(node[here + i], own[here + i], each.bytes);
          }
          for (std::uint32_t n = 0; n < nodes; ++n) all.seen[n].push_back(all.data[n][here]);
          break;
        case kind::reduce: {
          word_t result = contribution(each, 0);
          for (std::uint32_t n = 1; n < nodes; ++n) {
            result = combined(each.operation, result, contribution(each, n));
          }
          for (auto& seen : all.seen) seen.push_back(result);
          break;
        }
      }
    }
  }
  return all;
}

inline void run_primitive(const primitive& each, data_parallel& all, std::vector<word_t>& seen) {
  using kind = primitive::kind;
  const bool own = index(all.node()) == each.node;
  if (each.does == kind::reduce) {
    seen.push_back(all.reduce(contribution(each, index(all.node())), each.operation, each.bytes));
    return;
  }
  if (each.does == kind::broadcast) {
    for (std::uint64_t i = 0; own && i < (each.bytes + 7) / word_bytes; ++i) {
      all.write(each.here + i * word_bytes, each.value + i);
    }
    all.broadcast(node_id{each.node}, each.here, each.bytes);
    seen.push_back(all.read(each.here));
    return;
  }
  if (!own) return;
  switch (each.does) {
    case kind::write:
      all.write(each.here, each.value);
      break;
    case kind::read:
      seen.push_back(all.read(each.here));
      break;
    case kind::get:
      all.get(each.there, each.here, each.bytes);
      break;
    case kind::send:
      all.send(each.there, each.here, each.bytes);
      break;
    default:
      all.combining_send(each.there, each.value, combining_operation::sum, each.bytes);
      break;
  }
}

}  // namespace tributary::testing
