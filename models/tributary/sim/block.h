// SPDX-License-Identifier: Apache-2.0
// A unit of a node or a machine, and the list of units of which one is made.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tributary/sim/statistics.h>

namespace tributary {

class trace_scope;  // trace/catalog.h

/// A unit: what a node asks of each of its parts alike. How parts call each other is their own
/// affair; docs/models/block.md shows how to add one.
class block {
 public:
  /// Of its statistics and in checkpoints: lower case, digits and underscores.
  virtual const char* name() const = 0;

  /// Whether nothing is under way in it or deferred.
  virtual bool idle() const { return true; }

  virtual void reset_statistics() = 0;
  /// Adds its statistics to a group of its own. `cycles`: since the statistics were reset.
  virtual void report(statistics_group& into, std::uint64_t cycles) const = 0;

  /// Adds its tracks at that place of a machine's, and reports its events there from here on:
  /// nowhere if the scope has no recorder.
  virtual void trace(const trace_scope&) {}

  /// All that changes in it, statistics included, as bytes; between two cycles.
  virtual std::string save() const = 0;
  /// Becomes what another block of the same configuration was when it was saved. Throws
  /// `input_error` for bytes that end early, go on, or are of another configuration; the block is
  /// of no further use then. Who stores bytes guards them against damage (`seal_checkpoint`).
  virtual void restore(const std::string& state) = 0;

 protected:
  block() = default;
  block(const block&) = default;
  block& operator=(const block&) = default;
  ~block() = default;
};

/// The units of a node or a machine, in the order of their statistics.
class block_list {
 public:
  block_list() = default;
  /// Throws as `add` does.
  explicit block_list(const std::vector<block*>& blocks);

  /// At the end; the block must outlive the list. Throws `error` for a name that another one has.
  void add(block& added);

  bool idle() const;
  void reset_statistics();
  /// Each block, in the order of the list.
  void trace(const trace_scope& scope) const;
  /// Each block in a group of its name.
  void report(statistics_group& into, std::uint64_t cycles) const;

  /// The state of every block with its name, and back. `restore` throws `input_error` for a state
  /// of other blocks, and names the block whose part does not fit.
  std::string save() const;
  void restore(const std::string& state);

 private:
  std::vector<block*> blocks_;
};

}  // namespace tributary
