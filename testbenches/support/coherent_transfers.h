// SPDX-License-Identifier: Apache-2.0
// Coherent nodes that copy: a coherent machine with block transfers.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tributary/algorithms/fbcopy.h>
#include <tributary/protocols/block_transfer/block_transfer.h>
#include <tributary/protocols/kernel_calls.h>
#include <tributary/protocols/uncached.h>
#include <tributary/sim/error.h>

#include "coherent_machine.h"
#include "handler_statistics.h"
#include "late_messages.h"
#include "node_processor.h"

namespace tributary::testing {

/// The same, and how it copies.
struct coherent_transfers_config : coherent_config {
  block_transfer_config transfer;
  block_transfer_costs transfer_costs;
  kernel_calls_config kernel;

  explicit coherent_transfers_config(std::uint32_t nodes) : coherent_config(nodes) {
    machine.network.topology = topology_kind::point_to_point;
  }
};

/// Coherence, uncached accesses and block transfers of a node, which look at its directory, and its
/// kernel's commands. Handlers are as late as those of coherence.
inline std::vector<std::unique_ptr<protocol>> with_transfers(
    node_id here, std::unique_ptr<coherence_protocol> coherence,
    const coherent_transfers_config& config) {
  block_transfer_config transfer = config.transfer;
  transfer.user_bytes = config.machine.node.protocol_storage();
  line_states& lines = coherence->lines();
  auto kernel = std::make_unique<late_handlers<kernel_calls>>(
      config.delays_of(here, 19U), handler_watch(), config.kernel, kernel_call_costs{},
      software_tlb_costs{});
  std::vector<std::unique_ptr<protocol>> all;
  all.push_back(std::move(coherence));
  all.push_back(std::make_unique<uncached_protocol>(uncached_costs{}));
  all.push_back(std::make_unique<late_handlers<block_transfer_protocol>>(
      config.delays_of(here, 20U), handler_watch(), transfer, config.transfer_costs,
      pp_ownership_costs{}, lines, kernel.get()));
  all.push_back(std::move(kernel));
  return all;
}

/// The machine, whose processors' caches and commands a test speaks for.
class coherent_transfers {
 public:
  static constexpr std::uint64_t flag_offset = 0x1000;

  explicit coherent_transfers(const coherent_transfers_config& config)
      : machine(config,
                [&config, here = 0U](std::unique_ptr<coherence_protocol> coherence) mutable {
                  return with_transfers(node_id{here++}, std::move(coherence), config);
                }),
        page_bytes_(config.transfer.page_bytes) {}

  std::uint64_t address(std::uint32_t node, std::uint64_t offset) const {
    return machine.address(node, offset);
  }
  magic_machine& nodes() { return machine.machine; }

  /// Words of memory that tell their places.
  void fill_memory(std::uint32_t node, std::uint64_t offset, std::uint64_t bytes) {
    for (std::uint64_t at = offset; at < offset + bytes; at += word_bytes) {
      nodes().node(node).memory().write(at, at << 20 | node);
    }
  }
  /// What caches or memory have of words, at rest.
  std::vector<word_t> newest_words(std::uint32_t node, std::uint64_t offset,
                                   std::uint64_t bytes) const {
    std::vector<word_t> words;
    for (std::uint64_t at = offset; at < offset + bytes; at += word_bytes) {
      words.push_back(machine.newest(address(node, at)));
    }
    return words;
  }
  /// The source's processor asks for a copy; runs until it is complete and all is at rest. The
  /// words must be there by the time when the flag, at the source's node, is incremented.
  void copy(std::uint32_t from, std::uint64_t source, std::uint32_t to, std::uint64_t destination,
            std::uint64_t bytes) {
    copy(from, source, to, destination, bytes, address(from, flag_offset));
  }
  /// The same with a flag anywhere.
  void copy(std::uint32_t from, std::uint64_t source, std::uint32_t to, std::uint64_t destination,
            std::uint64_t bytes, std::uint64_t flag) {
    constexpr std::uint64_t patience = 2'000'000;
    const word_t before = machine.newest(flag);
    node_processor port(nodes(), from);
    const magic_node_config& node = nodes().config().node;
    const fbcopy_outcome outcome = fbcopy(
        port, physical_mapping(node.addresses, node_id{from}, page_bytes_, node.memory.line()),
        address(from, source), address(to, destination), bytes, flag);
    if (outcome.result != block_transfer_result::accepted) throw error("a copy is refused");
    const auto done = [&] { return machine.newest(flag) == before + 1 && nodes().idle(); };
    nodes().run_until(nodes().now() + patience, done);
    if (!done()) throw error("a copy does not end");
  }

  /// Invocations of a handler and their cycles, on all nodes.
  std::uint64_t runs(const std::string& handler) { return handler_total(nodes(), handler); }
  std::uint64_t total(const std::string& handler) { return handler_total(nodes(), handler, "sum"); }

  /// Transfers that a node was asked for and has not completed.
  word_t transfers_under_way(std::uint32_t node) {
    const magic_node& at = nodes().node(node);
    return static_cast<const block_transfer_protocol&>(at.protocols().at(2))
        .transfers_under_way(at.memory());
  }

  /// Operations of a node that hold changes of translations off.
  word_t held_off(std::uint32_t node) {
    const magic_node& at = nodes().node(node);
    return static_cast<const kernel_calls&>(at.protocols().at(3)).held().operations(at.memory());
  }

  /// What nodes have not given back; empty if they have all.
  std::string left() {
    std::string found;
    for (std::uint32_t i = 0; i < nodes().size(); ++i) {
      const magic_node& node = nodes().node(i);
      const auto& transfers = static_cast<const block_transfer_protocol&>(node.protocols().at(2));
      if (node.buffers().in_use() != 0) found += " data buffers of " + std::to_string(i);
      if (machine.unexpected(i) != 0) found += " write-backs of " + std::to_string(i);
      if (transfers.transfers_under_way(node.memory()) +
              transfers.state_records_in_use(node.memory()) +
              transfers.receive_records_in_use(node.memory()) !=
          0) {
        found += " records of " + std::to_string(i);
      }
    }
    return found;
  }

  coherent_machine machine;

 private:
  std::uint64_t page_bytes_;
};

}  // namespace tributary::testing
