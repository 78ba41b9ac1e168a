// SPDX-License-Identifier: Apache-2.0
// Machines of each architecture of shared memory, with a program on each node.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <tributary/nic/remote_memory_port.h>
#include <tributary/protocols/ideal_caches/home_coherence.h>
#include <tributary/protocols/ideal_caches/ring_coherence.h>

#include <support/attached_programs.h>

namespace tributary::testing {

enum class shared_memory : std::uint8_t { remote, ring, home };

/// What a test may choose of one.
struct shared_memory_choice {
  shared_memory kind = shared_memory::remote;
  std::uint32_t nodes = 2;
  ideal_cache_config caches;
  remote_memory_config remote;
  message_network_config network = two_lanes();
};

class shared_memory_machine {
 public:
  shared_memory_machine(shared_memory_choice choice, const attached_programs::body& run,
                        std::uint64_t seed = 1)
      : choice_(prepared(choice)),
        programs(
            choice_.network, choice_.nodes, choice_.remote.memory_bytes, messages(),
            [this](const attachment_place& place) { return make(place); }, run, seed) {}

  static shared_memory_choice prepared(shared_memory_choice choice) {
    if (choice.kind == shared_memory::ring) choice.network.topology = topology_kind::ring;
    if (choice.kind == shared_memory::home) choice.network.lanes = 3;
    choice.caches.memory_bytes = choice.remote.memory_bytes;
    return choice;
  }

  /// What is wrong with the caches of an idle machine; empty for nothing: every line has one owner,
  /// an exclusive one is the only one, and all copies are the same.
  std::string audit() const;

 private:
  cargo_store& messages() {
    if (choice_.kind == shared_memory::remote) return remote_;
    return coherent_;
  }
  std::unique_ptr<network_attachment> make(const attachment_place& place) {
    const address_layout layout;
    switch (choice_.kind) {
      case shared_memory::ring:
        return std::make_unique<ring_coherence>(choice_.caches, layout, place, coherent_);
      case shared_memory::home:
        return std::make_unique<home_coherence>(choice_.caches, layout, place, coherent_);
      case shared_memory::remote:
        break;
    }
    return std::make_unique<remote_memory_port>(choice_.remote, layout, place, remote_);
  }

  shared_memory_choice choice_;
  remote_message_pool remote_;
  coherence_message_pool coherent_;

 public:
  attached_programs programs;
};

inline std::string shared_memory_machine::audit() const {
  std::map<std::uint64_t, int> lines;
  for (const coherent_node* each : coherent_.nodes()) {
    for (const std::uint64_t line : each->known_lines()) lines[line] = 0;
  }
  for (const auto& [line, unused] : lines) {
    const std::string where = "line " + std::to_string(line) + ": ";
    std::vector<const coherent_node*> holders;
    std::size_t owners = 0;
    bool exclusive = false;
    for (const coherent_node* each : coherent_.nodes()) {
      const line_holding holds = each->holding(line);
      if (holds == line_holding::none) continue;
      holders.push_back(each);
      if (holds != line_holding::shared) ++owners;
      if (holds == line_holding::exclusive) exclusive = true;
    }
    if (owners != 1) return where + std::to_string(owners) + " owners";
    if (exclusive && holders.size() != 1) return where + "exclusive, and there are copies";
    for (const coherent_node* each : holders) {
      for (std::uint64_t at = line; at < line + choice_.caches.line_bytes; at += word_bytes) {
        if (each->word_in_cache(at) == holders[0]->word_in_cache(at)) continue;
        return where + "copies differ at " + std::to_string(at);
      }
    }
  }
  return "";
}

}  // namespace tributary::testing
