// SPDX-License-Identifier: Apache-2.0
#include "hart_module.h"

namespace riscv {

hart_module::hart_module(const sc_core::sc_module_name& name, const hart_config& config,
                         const elf_program& program, std::uint64_t id, std::uint64_t harts)
    : sc_module(name),
      shared_port("shared_port", config.transport),
      shared_(shared_port, config.cycle, config.atomics, config.aliases),
      hart_(program, config.local, shared_, id, harts) {
  SC_THREAD(run);
  set_stack_size(hart::stack_bytes);
}

void hart_module::run() {
  hart_.run();
  shared_.synchronise();
  stopped_at_ = sc_core::sc_time_stamp();
  stopped_.notify();
}

}  // namespace riscv
