// SPDX-License-Identifier: Apache-2.0
// A FLASH machine that is kept busy, for either engine.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <tributary/magic/magic_machine.h>
#include <tributary/processor/node_programs.h>
#include <tributary/processor/program.h>
#include <tributary/protocols/line_states.h>

namespace tributary::benchmarks {

/// What the processors do for ever.
enum class node_traffic : std::uint8_t {
  copies,  ///< copy pages to the next node, one after the other, and poll the flag
  loads    ///< load a word of their own node: a handler with one access to memory each
};

class node_work {
 public:
  explicit node_work(std::uint32_t nodes, node_traffic traffic = node_traffic::copies);
  node_work(const node_work&) = delete;
  node_work& operator=(const node_work&) = delete;

  const magic_machine_config& machine() const { return config_; }
  std::vector<std::unique_ptr<protocol>> protocols();
  /// Gives the node its processor, which lives until the next `end`.
  void begin(magic_node& node);
  /// The nodes are about to go.
  void end() { programs_.reset(); }

 private:
  void run(program_context& context) const;
  void copy(program_context& context) const;

  node_traffic traffic_;
  magic_machine_config config_;
  uncached_lines lines_;
  std::optional<node_programs> programs_;
};

/// The machine in the plain loop.
class busy_nodes {
 public:
  explicit busy_nodes(std::uint32_t nodes, node_traffic traffic = node_traffic::copies);
  ~busy_nodes() { work_.end(); }
  busy_nodes(const busy_nodes&) = delete;
  busy_nodes& operator=(const busy_nodes&) = delete;

  void step(std::uint64_t cycles) { machine_.run_until(machine_.now() + cycles); }
  /// Handlers that all nodes have begun.
  std::uint64_t dispatches() const;

 private:
  node_work work_;
  magic_machine machine_;
};

}  // namespace tributary::benchmarks
