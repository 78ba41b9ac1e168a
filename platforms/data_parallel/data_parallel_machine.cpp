// SPDX-License-Identifier: Apache-2.0
#include "data_parallel_machine.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include <tributary/controller/attached_machine.h>
#include <tributary/controller/message_watchdog.h>
#include <tributary/sim/cycle.h>

#include "handler_account.h"

namespace tributary {
namespace {

/// Of processors that meet the network by themselves.
class attached_nodes final : public data_parallel_machine {
 public:
  explicit attached_nodes(const data_parallel_config& config)
      : parts_(config.parts()),
        machine_("data_parallel", config.network, config.nodes, *parts_.messages, parts_.make),
        watchdog_(machine_, config.run.patience) {}

  node_engine& engine() override { return machine_; }
  void join(node_elements& elements) override {
    for (std::uint32_t i = 0; i < machine_.size(); ++i) {
      attached_node& node = machine_.node(i);
      elements.add(i, node.clockwork(), node.attachment().port());
      elements.serve_interrupts(i, node.attachment());
    }
  }
  track_id track(std::uint32_t element) const override {
    return machine_.node(element).attachment().track();
  }
  void attach(communication_account& account, node_elements&) override {
    machine_.recorder().tallies().attach(account);
  }
  void detach(communication_account& account) override {
    machine_.recorder().tallies().detach(account);
  }
  void attach(round_trip_account& account) override { machine_.observers().attach(account); }
  void detach(round_trip_account& account) override { machine_.observers().detach(account); }
  bool is_stuck() const override { return !machine_.idle() && machine_.next_wakeup() == never; }
  cycle_t watch_at() const override { return watchdog_.due(); }
  void watch() override { watchdog_.look(); }

 private:
  architecture_parts parts_;
  attached_machine machine_;
  message_watchdog watchdog_;
};

/// Of processors that ask a protocol processor. `Machine` has `messages`.
template <class Machine>
class handler_nodes : public data_parallel_machine {
 public:
  using data_parallel_machine::attach;
  using data_parallel_machine::detach;

  template <class... Arguments>
  explicit handler_nodes(const address_layout& addresses, Arguments&&... arguments)
      : machine_(std::forward<Arguments>(arguments)...), addresses_(addresses) {}

  node_engine& engine() override { return machine_; }
  void attach(communication_account& account, node_elements& elements) override {
    elements_ = &elements;
    told_.emplace(addresses_, account);
    machine_.messages().observers().attach(*told_);
    elements.offers().attach(*told_);
  }
  void detach(communication_account&) override {
    if (!told_) return;
    machine_.messages().observers().detach(*told_);
    elements_->offers().detach(*told_);
    told_.reset();
  }

  void report_handlers(statistics_group& into) const override {
    std::uint64_t handled = 0;
    std::uint64_t busy = 0;
    for (std::size_t i = 0; i < machine_.size(); ++i) {
      handled += machine_.node(i).processing().dispatches();
      busy += machine_.node(i).processing().busy();
    }
    into.add(
        "handled", handled, "handlers",
        "That protocol processors ran, all together; on MAGIC also those of uncached accesses.");
    into.add("handling", busy, "cycles", "In which they ran these handlers, all together.");
  }

 protected:
  Machine machine_;

 private:
  address_layout addresses_;
  std::optional<handler_account> told_;
  node_elements* elements_ = nullptr;
};

class nodes_with_magic final : public handler_nodes<magic_machine> {
 public:
  explicit nodes_with_magic(const data_parallel_config& config)
      : handler_nodes(config.magic.node.addresses,
                      config.magic.machine(config.nodes, config.network),
                      config.magic.protocols(config.arity)) {}

  void join(node_elements& elements) override { elements.add_all(machine_); }
  track_id track(std::uint32_t element) const override {
    return machine_.node(element).track(element);
  }
};

class smp_machine_nodes final : public handler_nodes<smp_machine> {
 public:
  smp_machine_nodes(const data_parallel_config& config, std::uint64_t seed)
      : handler_nodes(config.smp.node.addresses, config.smp.machine(config.nodes, config.network),
                      config.smp.protocols(config.arity), seed) {}

  void join(node_elements& elements) override {
    for (std::uint32_t i = 0; i < machine_.size(); ++i) {
      smp_node& node = machine_.node(i);
      elements.add(i, node.clockwork(), node.port(0));
      elements.serve_own_interrupts(i, node, 0);
    }
  }
  track_id track(std::uint32_t element) const override { return machine_.node(element).track(0); }
  /// Interrupts by which a processor is drafted.
  void complete(communication_account& account) const override {
    namespace events = communication_events;
    trace_event event;
    event.kind = &events::interrupt;
    event.details =
        events::cause.put(static_cast<std::uint64_t>(interrupt_cause::synchronization)) |
        events::purpose.put(static_cast<std::uint64_t>(communication_purpose::computing));
    for (std::size_t i = 0; i < machine_.size(); ++i) {
      for (std::uint64_t n = machine_.node(i).role().interrupts(); n != 0; --n) {
        account.on_event(event);
      }
    }
  }
};

}  // namespace

std::unique_ptr<data_parallel_machine> make_data_parallel_machine(
    const data_parallel_config& config, std::uint64_t seed) {
  switch (config.architecture) {
    case communication_architecture::magic:
      return std::make_unique<nodes_with_magic>(config);
    case communication_architecture::smp:
      return std::make_unique<smp_machine_nodes>(config, seed);
    default:
      return std::make_unique<attached_nodes>(config);
  }
}

}  // namespace tributary
