// SPDX-License-Identifier: Apache-2.0
// FLASH's rows by what they are measured on.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <flash/flash_machine.h>
#include <support/unit_trace.h>
#include <tributary/magic/node_events.h>
#include <tributary/sim/observer.h>

#include "family.h"

namespace tributary::validation {

/// Where a family is measured: its design, with its series and settings.
point place_of(const family& claim);
/// The statistic there.
planned_row statistic(const family& claim, const std::string& path);
/// The sum of statistics there.
planned_row sum_of_means(const family& claim, const std::vector<std::string>& paths);

/// Applications on such locks.
std::vector<planned_row> flash_application_checks(const claims& flash);
/// Reductions and active messages.
std::vector<planned_row> flash_extension_checks(const claims& flash);
/// Barriers that the controllers keep: S.V of the synchronization specification.
std::vector<planned_row> flash_barrier_checks(const claims& flash);
/// Barriers that need nothing of the controllers, on the same nodes.
std::vector<planned_row> flash_conventional_barrier_checks(const claims& flash);
/// Locks by load-linked and store-conditional, and MCS locks, on the same nodes.
std::vector<planned_row> flash_conventional_lock_checks(const claims& flash);
/// Locks that the controllers keep.
std::vector<planned_row> flash_lock_checks(const claims& flash);
/// Stochastic contention for all three locks.
std::vector<planned_row> flash_stochastic_lock_checks(const claims& flash);
/// Memory, network and data buffers by themselves.
std::vector<planned_row> flash_block_checks(const claims& flash);
/// Calls of the operating system.
std::vector<planned_row> flash_call_checks(const claims& flash);
/// Coherent reads, and loads whose line is invalidated before it comes.
std::vector<planned_row> flash_coherence_checks(const claims& flash);
/// Block transfers of lines that caches have.
std::vector<planned_row> flash_coherent_copies(const claims& flash);
/// Lines that caches have dirty: interventions, handlers, races with write-backs.
std::vector<planned_row> flash_dirty_lines(const claims& flash);
/// Fetch-and-op by handlers of the word's home.
std::vector<planned_row> flash_fetch_op_checks(const claims& flash);
/// Translations, and what changes them during a command or a copy.
std::vector<planned_row> flash_kernel_checks(const claims& flash);
/// Table 5.2, and what copies by the processor leave in its caches.
std::vector<planned_row> flash_processor_copies(const claims& flash);
/// V47: queues of requests that are full everywhere.
std::vector<planned_row> flash_flood(const claims& flash);
/// Block transfers that no run file has: pending lines, odd pages, few buffers.
std::vector<planned_row> flash_transfer_checks(const claims& flash);

/// A row that a run file cannot describe; `keys` are the members of the family that do.
planned_row measured_on_blocks(const family& claim, const std::vector<std::string>& keys,
                               const std::function<double()>& number);
/// A row for each of the family's "processors", whose published values are its "values".
std::vector<planned_row> measured_by_processors(
    const family& claim, const std::vector<std::string>& keys,
    const std::function<double(std::uint32_t processors)>& number);

/// All events of the nodes, as they become known.
class node_event_list final : public observer<trace_event> {
 public:
  /// The catalog of the nodes must be there as long as events come.
  explicit node_event_list(const trace_catalog& catalog) : catalog_(&catalog) {}

  void on_event(const trace_event& event) override {
    events_.emplace_back(testing::node_of(*catalog_, event), event);
  }

  /// Those of a kind on a node, in their order.
  std::vector<trace_event> of(node_id node, const event_kind& kind) const;

 private:
  const trace_catalog* catalog_;
  std::vector<std::pair<std::uint32_t, trace_event>> events_;  // with their nodes
};

/// A machine of run files on its way to the end of its workload, with all its events.
class watched_run {
 public:
  /// `presets`: the platform's folder of them.
  watched_run(const std::string& presets, const point& where);

  const flash_machine& machine() const { return *machine_; }
  const node_event_list& events() const { return *events_; }
  /// Invocations on `node` of a handler by its full name.
  std::vector<trace_event> invocations(node_id node, const std::string& handler) const;
  double statistic(const std::string& path) const { return machine_->statistics().find(path); }

 private:
  std::unique_ptr<flash_machine> machine_;
  std::optional<node_event_list> events_;
};

/// A number out of the machine and the events of the family's point, with more settings.
planned_row watched(const claims& flash, const family& claim,
                    const std::function<double(const watched_run&)>& number,
                    const std::vector<std::string>& sets = {});
/// The mean distance between the beginnings of receive handlers on node 1, without the first and
/// last chunk.
double receive_interval(const watched_run& run);

}  // namespace tributary::validation
