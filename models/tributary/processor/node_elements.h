// SPDX-License-Identifier: Apache-2.0
// A workload on the processors of nodes that keep their own time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <tributary/memory/port.h>
#include <tributary/processor/processing_elements.h>
#include <tributary/processor/spinner_parking.h>
#include <tributary/processor/workload.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/observer.h>

namespace tributary {

/// Joins the elements of a workload to nodes: each is woken in its processor's time, among what a
/// processor asks for, and asks where its node's processor does.
///
/// Programs that spin on a word in their cache are parked where `let_park` allows it, until the
/// line leaves or is written, or an interrupt comes. Each poll in between would find the word as it
/// was, the time of a hit and `turnaround` cycles after the one before.
class node_elements final : private element_clock, private memory_port, private spinner_parking {
 public:
  /// `work` must outlive it.
  explicit node_elements(workload& work);
  /// Lets go of the nodes, which must still be there.
  ~node_elements();
  node_elements(const node_elements&) = delete;
  node_elements& operator=(const node_elements&) = delete;

  /// Starts an element on a node. References must outlive the elements.
  void add(std::uint32_t element, agenda& time, processor_port& port);
  /// On a node, a `magic_node`: its processes, of which `program_workload::who_serves` finds the
  /// one that serves an interrupt.
  template <class Node>
  void add(Node& node) {
    const std::uint32_t processes = node.config().processes;
    const std::uint32_t first = index(node.here()) * processes;
    for (std::uint32_t i = 0; i < processes; ++i) {
      add(first + i, node.processor_time(), node.processor_accesses());
    }
    serve_interrupts(first, node.processor(),
                     node.caches() == nullptr ? 1 : node.config().caches.clock_ratio);
  }
  /// The interrupts of the processor interface of the element's node go to programs. The interface
  /// must outlive the elements; `ratio`: cycles of the element in one of the interface.
  template <class Interface>
  void serve_interrupts(std::uint32_t element, Interface& from, std::uint64_t ratio = 1) {
    place& served = *places_.at(element);
    served.ratio = ratio;
    served.let_go = [&from] { from.set_interrupt_client(nullptr); };
    from.set_interrupt_client(&served);
  }
  /// The element itself is interrupted by `from`, which must outlive the elements and has
  /// `set_interrupt_client(processor, client)`.
  template <class Node>
  void serve_own_interrupts(std::uint32_t element, Node& from, std::uint32_t processor) {
    place& served = *places_.at(element);
    served.is_interrupted_itself = true;
    served.let_go = [&from, processor] { from.set_interrupt_client(processor, nullptr); };
    from.set_interrupt_client(processor, &served);
  }
  /// On every node of a machine, as `magic_machine`.
  template <class Machine>
  void add_all(Machine& machine) {
    for (std::size_t i = 0; i < machine.size(); ++i) add(machine.node(i));
  }
  /// Told of every access that a port takes. None is parked while accesses are observed.
  observer_list<offered_request>& offers() { return offers_; }

  /// From here on elements may be parked whose turnaround that is and whose loads take `hit_cycles`
  /// in their caches, until `end_parking`. The nodes must be stepped by who asks them for their
  /// next wake-up in between, as the plain loop does.
  void let_park(std::uint64_t turnaround, std::uint64_t hit_cycles = 0);
  /// All go on, behind the cycles that the nodes have simulated.
  void end_parking();
  /// How often an element was parked.
  std::uint64_t times_parked() const { return times_parked_; }

 private:
  struct place final : timed_block, interrupt_client {
    place(node_elements& all, std::uint32_t number, agenda& clock, processor_port& offered)
        : owner(all), element(number), time(clock), port(offered) {}
    void wake(cycle_t now, std::uint64_t slot) override;
    const char* name() const override { return "processor"; }
    void interrupted(std::uint32_t line, cycle_t when) override;

    node_elements& owner;
    std::uint32_t element;
    agenda& time;
    processor_port& port;
    std::uint64_t ratio = 1;
    bool is_interrupted_itself = false;
    std::function<void()> let_go;      // of the source of its interrupts, if there is one
    local_spinner* spinner = nullptr;  // null: not parked
    access load;                       // that it repeats
    cycle_t since = 0;                 // of the first such load
  };

  // element_clock
  void wake_at(const pe_slot& wakeup, cycle_t when) override;
  // memory_port
  void check(std::size_t element, const access& request) const override;
  bool can_take(std::size_t element) const override;
  void offer(std::size_t element, const access& request, cycle_t now) override;
  std::size_t waiting(std::size_t element) const override;
  std::size_t outstanding(std::size_t element) const override;
  bool serves_pairs() const override;
  bool performs_operations(std::uint64_t address) const override;
  std::uint64_t incomplete_stores(std::size_t element) const override;
  // spinner_parking
  bool park(std::uint32_t element, local_spinner& owner, const access& load, word_t value,
            cycle_t now) override;
  void wake(std::uint32_t element, cycle_t now) override;
  void wake_all(cycle_t now) override;

  processor_port& port(std::size_t element) const { return places_.at(element)->port; }

  workload& work_;
  observer_list<offered_request> offers_;
  std::vector<std::unique_ptr<place>> places_;  // by element; null where none was added
  std::uint64_t turnaround_ = 0;                // of those that may be parked; 0: none may
  std::uint64_t hit_cycles_ = 0;                // of their loads
  std::uint64_t times_parked_ = 0;
};

}  // namespace tributary
