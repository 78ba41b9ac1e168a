// SPDX-License-Identifier: Apache-2.0
// All that a small coherent machine keeps between two handlers, as a value: it can be copied,
// and packed into few bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <tributary/memory/line_port.h>
#include <tributary/memory/operation.h>

#include "state_packing.h"

namespace tributary::testing {

inline constexpr std::size_t most_explored_nodes = 4;
inline constexpr std::size_t most_explored_lines = 2;
inline constexpr std::size_t explored_lanes = 2;
inline constexpr std::size_t most_directory_words = 48;

/// What is told apart of a line's words: whether the last write to the line is in them. So the
/// states are finitely many.
enum class copy_of_line : std::uint8_t { none, stale, latest };

/// A message in the network, or of a processor on its way to the handlers.
struct explored_message {
  std::uint8_t type = 0;
  std::uint8_t aux = 0;
  std::uint8_t line = 0;
  copy_of_line data = copy_of_line::none;
};

/// A handler in the software queue.
struct explored_deferred {
  std::uint8_t run = 0;     ///< its number among all handlers
  std::uint8_t record = 0;  ///< by its place in the directory's words
  std::uint8_t aux = 0;
  std::uint8_t line = 0;
};

/// What is on its way from the handlers to the cache.
struct explored_delivery {
  enum class kind : std::uint8_t { shared, exclusive, upgraded, refused, invalidate };
  kind what = kind::refused;
  std::uint8_t line = 0;
  copy_of_line data = copy_of_line::none;
};

/// A cache's line, and what the cache has asked for about it.
struct explored_line {
  line_state state = line_state::invalid;
  copy_of_line data = copy_of_line::none;
  bool awaited = false;      ///< the cache has no answer
  bool outstanding = false;  ///< the handlers have not answered
  bool invalidated = false;  ///< since it was asked for, while it is outstanding
  line_want want = line_want::shared;
};

struct explored_node_state {
  std::array<word_t, most_directory_words> words{};  ///< of its directory, and of lines it owns
  copy_of_line kept = copy_of_line::none;            ///< the line that its protocol processor owns
  std::array<explored_line, most_explored_lines> cache{};
  std::uint8_t incomplete = 0;  ///< writes that were granted while others had the line
  short_queue<explored_message, 4> processor;
  short_queue<explored_delivery, 6> deliveries;
  short_queue<explored_deferred, 4> deferred;
};

using explored_channel = short_queue<explored_message, 6>;

struct explored_state {
  std::array<explored_node_state, most_explored_nodes> nodes{};
  std::array<copy_of_line, most_explored_lines> memory{};
  /// By source, destination and lane.
  std::array<std::array<std::array<explored_channel, explored_lanes>, most_explored_nodes>,
             most_explored_nodes>
      channels{};
};

/// How much of a state a machine uses.
struct explored_size {
  std::size_t nodes;
  std::size_t lines;
  std::size_t words;  ///< of a directory
  std::array<bool, most_explored_nodes> has_directory;
  bool owns;  ///< whether protocol processors own lines
};

template <class Archive, class Message>
void visit_message(Archive& archive, Message& message) {
  archive(message.type);
  archive(message.aux);
  archive(message.line);
  archive(message.data);
}

template <class Archive, class Queue>
void visit_messages(Archive& archive, Queue& queue) {
  archive.size(queue);
  for (std::size_t i = 0; i < queue.size(); ++i) visit_message(archive, queue[i]);
}

template <class Archive, class Queue>
void visit_deferred(Archive& archive, Queue& queue) {
  archive.size(queue);
  for (std::size_t i = 0; i < queue.size(); ++i) {
    archive(queue[i].run);
    archive(queue[i].record);
    archive(queue[i].aux);
    archive(queue[i].line);
  }
}

template <class Archive, class Queue>
void visit_deliveries(Archive& archive, Queue& queue) {
  archive.size(queue);
  for (std::size_t i = 0; i < queue.size(); ++i) {
    archive(queue[i].what);
    archive(queue[i].line);
    archive(queue[i].data);
  }
}

template <class Archive, class Line>
void visit_line(Archive& archive, Line& line) {
  archive(line.state);
  archive(line.data);
  archive(line.awaited);
  archive(line.outstanding);
  archive(line.invalidated);
  archive(line.want);
}

/// Packs or unpacks a state.
template <class Archive, class State>
void visit_state(Archive& archive, State& state, const explored_size& size) {
  for (std::size_t i = 0; i < size.lines; ++i) archive(state.memory[i]);
  for (std::size_t i = 0; i < size.nodes; ++i) {
    auto& node = state.nodes[i];
    for (std::size_t j = 0; j < size.words && size.has_directory[i]; ++j) {
      archive.word(node.words[j]);
    }
    for (std::size_t j = 0; j < size.lines; ++j) visit_line(archive, node.cache[j]);
    if (size.owns) archive(node.kept);
    archive(node.incomplete);
    visit_messages(archive, node.processor);
    visit_deliveries(archive, node.deliveries);
    visit_deferred(archive, node.deferred);
    for (std::size_t j = 0; j < size.nodes; ++j) {
      if (i == j) continue;
      for (auto& lane : state.channels[i][j]) visit_messages(archive, lane);
    }
  }
}

}  // namespace tributary::testing
