// SPDX-License-Identifier: Apache-2.0
#include "hart_module.h"

namespace riscv {
namespace {

local_memory loaded_memory(const hart_config& config, const elf_program& program) {
  local_memory memory(config.local_base, config.local_size);
  load(program, memory);
  return memory;
}

}  // namespace

hart_module::hart_module(const sc_core::sc_module_name& name, const hart_config& config,
                         const elf_program& program, std::uint64_t id, std::uint64_t harts)
    : sc_module(name),
      shared_port("shared_port", config.transport),
      cycle_(config.cycle),
      shared_(shared_port, config.atomics, config.aliases),
      hart_(loaded_memory(config, program), shared_, program.entry, id, harts) {
  SC_THREAD(run);
}

void hart_module::run() {
  // Also a program that never leaves its local memory must let the others run.
  const sc_core::sc_time furthest = 1000 * cycle_;
  while (hart_.step()) {
    shared_.run_ahead(cycle_);
    if (shared_.ahead() >= furthest) shared_.synchronise();
  }
  shared_.synchronise();
  stopped_at_ = sc_core::sc_time_stamp();
  stopped_.notify();
}

}  // namespace riscv
