// SPDX-License-Identifier: Apache-2.0
// A node with MAGIC as a module with TLM-2.0 sockets.
#pragma once

#include <memory>
#include <vector>

#include <tributary/magic/magic_node.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/statistics.h>
#include <tributary/systemc/any_width.h>
#include <tributary/systemc/controller_node_module.h>
#include <tributary/systemc/processor_target.h>
#include <tributary/systemc/systemc.h>

namespace tributary {

/// Where a node is.
using magic_node_place = network_node_place;

/// A `magic_node` between a processor and a network. Its units are no modules: they hold references
/// to each other, so none could be replaced; a node is what platforms compose.
///
/// `processor`: uncached loads and stores of a doubleword at a multiple of 8, by nb_transport or
/// b_transport, in the addresses of the processor interface. BEGIN_REQ is seen in the first cycle
/// strictly after it is effective; END_REQ comes in the cycle in which the interface takes the
/// access, BEGIN_RESP in the cycle in which it is complete. b_transport waits as long, and returns
/// with no delay. Refused are other commands (command error), lengths, widths and alignments (burst
/// error), byte enables, and addresses that no window or node has (address error). There are no
/// direct accesses; debug accesses reach the normal address space of this node, in any length.
/// If no socket is bound, something else may be the processor by the node's processor interface.
///
/// What the node throws is reported as `messages::simulation`; the node is of no further use then.
class magic_node_module final : public controller_node_module {
 public:
  /// A place that the machine does not have, and a configuration that the node refuses, are
  /// reported as `messages::configuration`.
  magic_node_module(const sc_core::sc_module_name& name, const magic_node_config& config,
                    const magic_node_place& place,
                    std::vector<std::unique_ptr<protocol>> protocols);
  ~magic_node_module() override;

  magic_node& core() { return *core_; }
  const magic_node& core() const { return *core_; }

  using processor_socket = any_width_target_socket<sc_core::SC_ZERO_OR_MORE_BOUND>;
  processor_socket processor{"processor"};

  /// Whether nothing is under way or deferred in it.
  bool idle() const;

  void reset_statistics();
  void report(statistics_group& group) const;

  const char* kind() const override { return "tributary::magic_node_module"; }

 private:
  friend class processor_target;

  cycle_t next_wakeup() const override { return core_->next_wakeup(); }
  void advance_to(cycle_t last) override { core_->advance_to(last); }
  void end_of_elaboration() override;
  void resume_sockets() override { processor_target_.resume(); }

  std::unique_ptr<magic_node> core_;
  processor_target processor_target_;
  cycle_t measured_from_ = 0;
};

}  // namespace tributary
