// SPDX-License-Identifier: Apache-2.0
#include "riscv_machine.h"

#include <algorithm>

namespace riscv {
namespace {

tributary::alias_config window() {
  tributary::alias_config aliases;
  aliases.enabled = true;
  aliases.base = alias_base;
  aliases.size = shared_size;
  aliases.target = shared_base;
  return aliases;
}

std::string complaint_of(const hart_module& module) {
  const hart& hart = module.core();
  const std::string name = module.name();
  if (hart.running()) return name + " still runs at pc " + std::to_string(hart.pc());
  if (hart.trapped()) return name + ": " + to_string(*hart.trapped());
  if (*hart.exit_status() == 0) return "";
  return name + ": exit status " + std::to_string(*hart.exit_status());
}

template <class Number>
std::uint64_t sum_over(const std::vector<std::unique_ptr<hart_module>>& harts, Number&& number) {
  std::uint64_t sum = 0;
  for (const auto& each : harts) sum += number(*each);
  return sum;
}

}  // namespace

tributary::combining_network_config network_config(std::uint32_t harts) {
  tributary::address_region shared;
  shared.name = "shared";
  shared.base = shared_base;
  shared.size = shared_size;

  tributary::combining_network_config config;
  config.network.processing_elements = harts;
  config.network.switches.type = tributary::queue_type::a;  // both inputs write one queue
  config.network.switches.coupled = true;                   // whose head may still combine
  // The pace of the memory modules: what it holds up waits in the network, and combines there.
  config.memory_interface.interval = tributary::memory_config().interval;
  config.addresses.regions = {shared};
  config.aliases = window();
  return config;
}

riscv_machine::riscv_machine(const sc_core::sc_module_name& name, std::uint32_t harts,
                             hart_config hart, const elf_program& program)
    : sc_module(name), network_("network", network_config(harts)) {
  network_.clock.bind(clock_);
  hart.cycle = cycle_;
  hart.aliases = window();
  for (std::uint32_t i = 0; i < harts; ++i) {
    const std::string number = std::to_string(i);
    harts_.push_back(
        std::make_unique<hart_module>(("hart" + number).c_str(), hart, program, i, harts));
    harts_[i]->shared_port.initiator_socket.bind(network_.target_sockets[i]);
    memories_.push_back(std::make_unique<tributary::memory_module>(("memory" + number).c_str()));
    memories_[i]->clock.bind(clock_);
    network_.initiator_sockets[i].bind(memories_[i]->target_socket);
  }
}

bool riscv_machine::stopped() const {
  return std::none_of(harts_.begin(), harts_.end(),
                      [](const auto& each) { return each->core().running(); });
}

bool riscv_machine::run(std::uint64_t cycles) {
  constexpr std::uint64_t slice = 1000;
  for (std::uint64_t done = 0; done < cycles && !stopped(); done += slice) {
    sc_core::sc_start(static_cast<double>(slice) * cycle_);
  }
  return stopped();
}

std::vector<std::string> riscv_machine::complaints() const {
  std::vector<std::string> all;
  for (const auto& each : harts_) {
    const std::string complaint = complaint_of(*each);
    if (!complaint.empty()) all.push_back(complaint);
  }
  return all;
}

std::uint64_t riscv_machine::combined() const {
  const tributary::statistics_tree statistics = network_.statistics();
  double sum = 0;
  for (unsigned stage = 0; stage < network_.network().stages(); ++stage) {
    sum += statistics.find("network.stage." + std::to_string(stage) + ".combined");
  }
  return static_cast<std::uint64_t>(sum);
}

std::uint64_t riscv_machine::instructions() const {
  return sum_over(harts_, [](const hart_module& each) { return each.core().retired(); });
}

std::uint64_t riscv_machine::atomics() const {
  return sum_over(harts_, [](const hart_module& each) { return each.shared().atomics(); });
}

std::uint64_t riscv_machine::cycles() const {
  sc_core::sc_time last;
  for (const auto& each : harts_) last = std::max(last, each->stopped_at());
  return last.value() / cycle_.value();
}

std::uint64_t riscv_machine::word(std::uint64_t address) {
  std::uint64_t content = 0;
  tlm::tlm_generic_payload payload;
  payload.set_command(tlm::TLM_READ_COMMAND);
  payload.set_address(address);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(&content));
  payload.set_data_length(sizeof(content));
  payload.set_streaming_width(sizeof(content));
  harts_.front()->shared_port.initiator_socket->transport_dbg(payload);
  return content;
}

}  // namespace riscv
