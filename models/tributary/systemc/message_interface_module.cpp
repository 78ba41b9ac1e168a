// SPDX-License-Identifier: Apache-2.0
#include <tributary/systemc/message_interface_module.h>

#include <fmt/format.h>

#include <tributary/sim/error.h>
#include <tributary/systemc/messages.h>

namespace tributary {

void message_interface_module_config::validate() const {
  interface.validate();
  if (memory_bytes != 0 && memory_bytes % interface.page_bytes == 0 &&
      memory_address % word_bytes == 0) {
    return;
  }
  throw configuration_error(
      {"memory_bytes", "", fmt::format("{} bytes from {:#x} on", memory_bytes, memory_address),
       fmt::format("a multiple of interface.page_bytes = {}, from a multiple of 8 on",
                   interface.page_bytes),
       "round both"});
}

message_interface_module::message_interface_module(const sc_core::sc_module_name& name,
                                                   const message_interface_module_config& config,
                                                   const network_node_place& place)
    : carrying_node_module(name, place),
      interrupts("interrupts", interface_registers::interrupt_lines_used),
      config_(config),
      engine_(*this),
      core_(make_or_report(*this, messages::configuration,
                           [&] {
                             config.validate();
                             return std::make_unique<message_interface>(
                                 config.interface, place.here, place.nodes, clock_, port(), pool(),
                                 engine_, config.memory_bytes);
                           })),
      target_(*this),
      register_time_(static_cast<double>(config.interface.register_cycles) * clock_period()) {
  deliver_to(core_->endpoint());
  registers.bind(target_);
  memory.bind(engine_);
  SC_METHOD(drive_interrupts);
  sensitive << interrupts_change_;
}

message_interface_module::~message_interface_module() = default;

void message_interface_module::end_of_elaboration() {
  network_node_module::end_of_elaboration();
  if (registers.get_base_port().size() != 0) target_.serve(*registers.operator->(), again());
}

void message_interface_module::resume_sockets() {
  target_.resume();
  engine_.resume();
}

void message_interface_module::advance_to(cycle_t last) {
  clock_.advance_to(last);
  show_interrupts();
}

bool message_interface_module::perform(const access& asked, word_t& value) {
  const cycle_t before = next_wakeup();
  const cycle_t cycle = now();
  try {
    if (clock_.now() < cycle) clock_.advance_to(cycle);
    value = core_->perform(asked, cycle);
  } catch (const error& problem) {
    report_failure(problem.what());
    return false;
  }
  show_interrupts();
  if (next_wakeup() < before) look();
  return true;
}

void message_interface_module::word_moves(memory_user user, cycle_t at) {
  core_->moved(user, at);
  look();
}

void message_interface_module::memory_failed(const std::string& problem) const {
  report_failure(problem.c_str());
}

void message_interface_module::show_interrupts() {
  if (core_->interrupt_levels() != shown_) interrupts_change_.notify(sc_core::SC_ZERO_TIME);
}

void message_interface_module::drive_interrupts() {
  shown_ = core_->interrupt_levels();
  for (std::size_t i = 0; i < interrupts.size(); ++i) {
    if (interrupts[i].size() != 0) interrupts[i]->write((shown_ >> i & 1) != 0);
  }
}

bool message_interface_module::idle() const {
  return core_->idle() && lanes_idle() && target_.idle() && engine_.idle();
}

void message_interface_module::reset_statistics() {
  measured_from_ = now();
  core_->reset_statistics();
}

void message_interface_module::report(statistics_group& group) const {
  core_->report(group, now() - measured_from_);
}

}  // namespace tributary
