// SPDX-License-Identifier: Apache-2.0
// FLASH's rows by what they are measured on.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <flash/flash_machine.h>
#include <tributary/magic/node_event.h>
#include <tributary/sim/observer.h>

#include "family.h"

namespace tributary::validation {

/// Memory, network and data buffers by themselves.
std::vector<planned_row> flash_block_checks(const claims& flash);
/// V47: queues of requests that are full everywhere.
std::vector<planned_row> flash_flood(const claims& flash);
/// Block transfers that run files have not: pending lines, odd pages, few buffers.
std::vector<planned_row> flash_transfer_checks(const claims& flash);

/// A row that a run file cannot describe; `keys` are the members of the family that do.
planned_row measured_on_blocks(const family& claim, const std::vector<std::string>& keys,
                               const std::function<double()>& number);

/// All events of the nodes, as they become known.
class event_list final : public observer<node_event> {
 public:
  void on_event(const node_event& event) override { events_.push_back(event); }

  const std::vector<node_event>& all() const { return events_; }
  /// Those of a kind on a node, in their order.
  std::vector<node_event> of(node_id node, node_event_kind kind) const;

 private:
  std::vector<node_event> events_;
};

/// A machine of run files on its way to the end of its workload, with all its events.
class watched_run {
 public:
  /// `presets`: the platform's folder of them.
  watched_run(const std::string& presets, const point& where);

  const flash_machine& machine() const { return *machine_; }
  const event_list& events() const { return events_; }
  /// Invocations on `node` of a handler by its full name.
  std::vector<node_event> invocations(node_id node, const std::string& handler) const;
  double statistic(const std::string& path) const { return machine_->statistics().find(path); }

 private:
  event_list events_;
  std::unique_ptr<flash_machine> machine_;
};

}  // namespace tributary::validation
