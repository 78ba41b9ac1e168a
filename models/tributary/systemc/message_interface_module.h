// SPDX-License-Identifier: Apache-2.0
// A message interface as a module with TLM-2.0 sockets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <tributary/memory/port.h>
#include <tributary/nic/interface_message.h>
#include <tributary/nic/message_interface.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/statistics.h>
#include <tributary/systemc/any_width.h>
#include <tributary/systemc/carrying_node_module.h>
#include <tributary/systemc/engine_initiator.h>
#include <tributary/systemc/message_extension.h>
#include <tributary/systemc/register_target.h>
#include <tributary/systemc/systemc.h>

namespace tributary {

using interface_message_extension = message_extension<interface_message>;

/// Configuration of an interface and of the memory that it reaches.
struct message_interface_module_config {
  message_interface_config interface;
  /// Of the node's memory, in whole pages, and where it begins at the socket `memory`.
  std::uint64_t memory_bytes = std::uint64_t{1} << 22;
  std::uint64_t memory_address = 0;

  /// Throws `configuration_error` for combinations that could not work.
  void validate() const;
};

/// A `message_interface` between a processor, a memory and a network, with the sockets of the
/// network of its base.
///
/// - `registers`: words of the register map from address 0 on, see `register_target`. No DMI.
/// - `memory`: what the engines and DMA read and write, see `engine_initiator`. Addresses are those
///   of the memory, behind the translations.
/// - `interrupts`: by `interrupt_line`; 1 while the cause is there and its line is on. Those that
///   are not used may stay unbound. A line changes in the cycle of its cause, so that who looks at
///   it at edges sees it one cycle later, as a processor in the plain loop does.
///
/// What the interface throws is reported as `messages::simulation`; it is of no further use then.
class message_interface_module final
    : public carrying_node_module<interface_pool, interface_message_extension> {
 public:
  /// A place that the machine does not have, and a configuration that the interface refuses, are
  /// reported as `messages::configuration`.
  message_interface_module(const sc_core::sc_module_name& name,
                           const message_interface_module_config& config,
                           const network_node_place& place);
  ~message_interface_module() override;

  message_interface& core() { return *core_; }
  const message_interface& core() const { return *core_; }

  /// An output that may stay unbound.
  using interrupt_output =
      sc_core::sc_port<sc_core::sc_signal_inout_if<bool>, 1, sc_core::SC_ZERO_OR_MORE_BOUND>;

  any_width_target_socket<sc_core::SC_ZERO_OR_MORE_BOUND> registers{"registers"};
  any_width_initiator_socket<> memory{"memory"};
  sc_core::sc_vector<interrupt_output> interrupts;

  /// Whether nothing is under way in it, and the receive buffer is empty.
  bool idle() const;

  void reset_statistics();
  void report(statistics_group& group) const;

  const char* kind() const override { return "tributary::message_interface_module"; }

 private:
  TRIBUTARY_HAS_PROCESS(message_interface_module);
  friend class engine_initiator;
  friend class register_target;

  cycle_t next_wakeup() const override { return clock_.next_wakeup(); }
  void advance_to(cycle_t last) override;
  void end_of_elaboration() override;
  void resume_sockets() override;

  // For `register_target`.
  /// Does an access now; false if the interface refused it, which is reported.
  bool perform(const access& asked, word_t& value);

  // For `engine_initiator`.
  std::uint64_t address_of(std::uint64_t offset) const { return config_.memory_address + offset; }
  void word_moves(memory_user user, cycle_t at);
  void memory_failed(const std::string& problem) const;
  void resume_soon() { again().notify(sc_core::SC_ZERO_TIME); }

  void show_interrupts();
  void drive_interrupts();

  message_interface_module_config config_;
  agenda clock_;
  engine_initiator engine_;
  std::unique_ptr<message_interface> core_;
  register_target target_;
  sc_core::sc_time register_time_;
  std::uint8_t shown_ = 0;  // on the lines, a bit each
  sc_core::sc_event interrupts_change_;
  cycle_t measured_from_ = 0;
};

}  // namespace tributary
