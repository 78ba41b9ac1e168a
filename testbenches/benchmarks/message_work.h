// SPDX-License-Identifier: Apache-2.0
// Nodes that send words to their neighbours: over language-oriented interfaces, and as messages of
// which only the network knows.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <tributary/controller/attached_machine.h>
#include <tributary/controller/node_loop.h>
#include <tributary/network/message_network.h>
#include <tributary/nic/interface_message.h>

namespace tributary::benchmarks {

/// The network of both: two lanes, all nodes next to each other.
message_network_config message_work_network();

/// Each processor writes remotely, one message after the other: it looks for room, and writes three
/// control words and the body. All engines store what comes.
class interface_messages {
 public:
  interface_messages(std::uint32_t nodes, std::uint32_t bytes);
  ~interface_messages();
  interface_messages(const interface_messages&) = delete;
  interface_messages& operator=(const interface_messages&) = delete;

  /// Until so many messages more have been written.
  void step(std::uint64_t messages);
  std::uint64_t written() const;
  /// A word of a node's memory, as all bodies have it.
  word_t received(std::uint32_t node) const;

 private:
  class writer;

  interface_pool messages_;
  attached_machine machine_;
  std::vector<std::unique_ptr<writer>> writers_;
};

/// Each node sends a message when the link is free of the one before, and takes what comes at once.
class bare_messages {
 public:
  bare_messages(std::uint32_t nodes, std::uint32_t bytes);
  ~bare_messages();
  bare_messages(const bare_messages&) = delete;
  bare_messages& operator=(const bare_messages&) = delete;

  /// Until so many messages more have arrived.
  void step(std::uint64_t messages);
  std::uint64_t arrived() const;

 private:
  class node;

  interface_pool messages_;
  node_loop loop_;
  std::vector<std::unique_ptr<node>> nodes_;
};

}  // namespace tributary::benchmarks
