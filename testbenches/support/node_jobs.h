// SPDX-License-Identifier: Apache-2.0
// Programs on the processors of nodes, as a test asks for them one after the other.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include <tributary/magic/magic_machine.h>
#include <tributary/processor/node_programs.h>
#include <tributary/sim/error.h>

namespace tributary::testing {

/// A processor with caches: an access a cycle.
inline processing_element_config cached_element() {
  processing_element_config config;
  config.turnaround = 1;
  config.start_window = 1;
  return config;
}

/// Takes the processors of a machine, from its first cycle on.
class node_jobs {
 public:
  using job = std::function<void(program_context&)>;

  /// `machine` must outlive it.
  explicit node_jobs(magic_machine& machine)
      : machine_(machine),
        programs_(machine.config(), make_program([this](program_context& own) { serve(own); }),
                  cached_element()) {
    programs_.elements().add_all(machine);
  }

  /// Begins a job on a node whose last one has ended.
  void begin(std::uint32_t node, job what) { jobs_.at(node) = std::move(what); }
  bool busy(std::uint32_t node) const { return jobs_.at(node) != nullptr; }

  /// Runs a job to its end, and until nothing is under way in the machine. Returns the cycles of
  /// the nodes that the job took.
  double run(std::uint32_t node, job what) {
    constexpr std::uint64_t patience = 20'000'000;
    cycle_t first = 0;
    cycle_t last = 0;
    begin(node, [&, what = std::move(what)](program_context& own) {
      first = own.now();
      what(own);
      last = own.now();
    });
    const auto done = [&] { return !busy(node) && machine_.idle(); };
    machine_.run_until(machine_.now() + patience, done);
    if (!done()) throw error("a job does not end");
    return static_cast<double>(last - first) /
           static_cast<double>(machine_.config().node.caches.clock_ratio);
  }

 private:
  void serve(program_context& own) {
    constexpr std::uint64_t glance = 256;
    job& next = jobs_.at(own.rank());
    while (true) {
      own.outside(glance,
                  [&] { return next == nullptr ? std::nullopt : std::optional<word_t>(1); });
      next(own);
      next = nullptr;
    }
  }

  magic_machine& machine_;
  std::vector<job> jobs_ = std::vector<job>(machine_.size());
  node_programs programs_;
};

}  // namespace tributary::testing
