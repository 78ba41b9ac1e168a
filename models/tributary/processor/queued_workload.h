// SPDX-License-Identifier: Apache-2.0
// Workloads whose requests wait while a port takes no more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <tributary/memory/port.h>
#include <tributary/processor/processing_elements.h>
#include <tributary/processor/workload.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/fifo.h>
#include <tributary/sim/state.h>

namespace tributary {

/// A first-in-first-out queue of each element in front of a port. Empty for ever where the port
/// queues by itself, as network interfaces do.
class source_queues {
 public:
  /// `posted`: stores are offered as posted ones.
  source_queues(std::size_t elements, bool posted) : queues_(elements), posted_(posted) {}

  void offer(std::size_t element, access request, cycle_t now, memory_port& port) {
    request.posted = posted_ && request.function.kind == form::constant;
    if (queues_[element].empty() && port.can_take(element)) {
      port.offer(element, request, now);
    } else {
      queues_[element].push(request);
      ++waiting_;
    }
  }

  /// The port has room for the element.
  void room(std::size_t element, cycle_t now, memory_port& port) {
    fifo<access>& queue = queues_[element];
    while (!queue.empty() && port.can_take(element)) {
      port.offer(element, queue.front(), now);
      queue.pop();
      --waiting_;
    }
  }

  std::size_t waiting(std::size_t element) const { return queues_[element].size(); }
  bool empty() const { return waiting_ == 0; }

  TRIBUTARY_STATE(queues_, waiting_);

 private:
  std::vector<fifo<access>> queues_;
  std::uint64_t waiting_ = 0;
  bool posted_;
};

/// A workload that asks at one port, with such queues in front of it.
class queued_workload : public workload {
 public:
  void join(element_clock& clock, memory_port& port) override {
    clock_ = &clock;
    port_ = &port;
  }
  void room(std::size_t element, cycle_t now) override { queues_.room(element, now, *port_); }
  bool finished() const override { return stopped_ && queues_.empty(); }
  void stop() override { stopped_ = true; }

 protected:
  queued_workload(std::size_t elements, bool posted) : queues_(elements, posted) {}

  /// Of one element, to the port or into its queue.
  void offer(std::size_t element, access request, cycle_t now) {
    queues_.offer(element, request, now, *port_);
  }

  source_queues queues_;
  element_clock* clock_ = nullptr;  // once it has joined
  memory_port* port_ = nullptr;     // of the current cycle, or once it has joined
  bool stopped_ = false;
};

}  // namespace tributary
