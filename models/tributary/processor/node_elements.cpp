// SPDX-License-Identifier: Apache-2.0
#include <tributary/processor/node_elements.h>

#include <utility>

namespace tributary {
namespace {

program_config run_by_hand() {
  program_config config;
  config.random_cycles = 0;
  config.replay_limit = 0;
  return config;
}

}  // namespace

node_elements::node_elements(workload& work) : work_(work) { work_.join(*this, *this); }

node_elements::~node_elements() {
  for (const std::unique_ptr<place>& each : places_) {
    if (each != nullptr) each->port.set_client(nullptr);
  }
}

void node_elements::add(std::uint32_t element, agenda& time, processor_interface& port) {
  if (places_.size() <= element) places_.resize(element + 1);
  places_[element] = std::make_unique<place>(*this, element, time, port);
  time.enroll(*places_[element]);
  port.set_client(&work_);
  work_.start(element);
}

void node_elements::place::wake(cycle_t now, std::uint64_t slot) {
  owner.work_.wake({element, static_cast<std::uint32_t>(slot)}, now);
}

void node_elements::wake_at(const pe_slot& wakeup, cycle_t when) {
  place& woken = *places_.at(wakeup.pe);
  woken.time.wake(woken, when, wakeup.slot, wake_rank::processor);
}

form_set node_elements::performs() const {
  form_set common = all_forms;
  for (const std::unique_ptr<place>& each : places_) {
    if (each != nullptr) common = static_cast<form_set>(common & each->port.performs());
  }
  return common;
}

void node_elements::check(std::size_t element, const access& asked) const {
  port(element).check(element, asked);
}
bool node_elements::can_take(std::size_t element) const { return port(element).can_take(element); }
void node_elements::offer(std::size_t element, const access& asked, cycle_t now) {
  port(element).offer(element, asked, now);
  if (!offers_.empty()) {
    offers_.notify({now, pe_id{static_cast<std::uint32_t>(element)}, asked});
  }
}
std::size_t node_elements::waiting(std::size_t element) const {
  return port(element).waiting(element);
}
std::size_t node_elements::outstanding(std::size_t element) const {
  return port(element).outstanding(element);
}

processing_element_config uncached_processor() {
  processing_element_config config;
  config.turnaround = 30;
  config.start_window = 1;
  config.posted_stores = true;
  return config;
}

node_programs::node_programs(const magic_machine_config& machine,
                             std::unique_ptr<program> own_program,
                             const processing_element_config& processor, std::uint64_t seed)
    : map_(machine.node.addresses.regions(machine.nodes, machine.node.protocol_storage(),
                                          machine.node.memory.line_bytes),
           machine.nodes),
      work_(run_by_hand(), std::move(own_program), processor, map_, seed),
      elements_(work_) {}

}  // namespace tributary
