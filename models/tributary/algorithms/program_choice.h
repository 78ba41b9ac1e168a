// SPDX-License-Identifier: Apache-2.0
// The programs that come with the library, by name.
#pragma once

#include <cstdint>
#include <memory>

#include <tributary/algorithms/readers_writers.h>
#include <tributary/algorithms/shared_counter.h>
#include <tributary/algorithms/supersteps.h>
#include <tributary/memory/address_map.h>
#include <tributary/processor/program.h>
#include <tributary/processor/program_workload.h>

namespace tributary {

/// The programs that a run file can name.
enum class program_kind : std::uint8_t { supersteps, readers_writers, shared_counter };

/// How programs run, which one does, and the configuration of each.
struct program_choice {
  program_config run;
  program_kind name = program_kind::supersteps;
  supersteps_config supersteps;
  readers_writers_config readers_writers;
  shared_counter_config shared_counter;

  void bind(parameter_set& parameters);
};

/// The program that `choice` names, for a machine with the modules of `map` and as many elements.
std::unique_ptr<program> make_program(const program_choice& choice, const address_map& map);

}  // namespace tributary
