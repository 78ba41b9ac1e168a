// SPDX-License-Identifier: Apache-2.0
// Which workload, and which program, a machine runs: the same choice on every machine.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <tributary/algorithms/all_reduce.h>
#include <tributary/algorithms/appbt.h>
#include <tributary/algorithms/application_process.h>
#include <tributary/algorithms/barnes.h>
#include <tributary/algorithms/coordination.h>
#include <tributary/algorithms/critical_sections.h>
#include <tributary/algorithms/em3d.h>
#include <tributary/algorithms/flash_barrier.h>
#include <tributary/algorithms/flash_lock.h>
#include <tributary/algorithms/flash_reduction.h>
#include <tributary/algorithms/gauss.h>
#include <tributary/algorithms/mpi_exchange.h>
#include <tributary/algorithms/ocean.h>
#include <tributary/algorithms/readers_writers.h>
#include <tributary/algorithms/shared_counter.h>
#include <tributary/algorithms/supersteps.h>
#include <tributary/algorithms/tomcatv.h>
#include <tributary/algorithms/water.h>
#include <tributary/memory/address_map.h>
#include <tributary/processor/open_loop.h>
#include <tributary/processor/processing_elements.h>
#include <tributary/processor/program.h>
#include <tributary/processor/program_workload.h>
#include <tributary/processor/trace_replay.h>
#include <tributary/processor/traffic.h>
#include <tributary/processor/workload.h>

namespace tributary {

/// The programs that a run file can name.
enum class program_kind : std::uint8_t {
  supersteps,
  critical_sections,
  readers_writers,
  shared_counter,
  coordination,
  mpi_exchange,
  all_reduce,
  water,
  barnes,
  ocean,
  em3d,
  gauss,
  tomcatv,
  appbt
};

/// How programs run, which one does, and the configuration of each.
struct program_choice {
  program_config run;
  program_kind name = program_kind::supersteps;
  supersteps_config supersteps;
  critical_sections_config critical_sections;
  readers_writers_config readers_writers;
  shared_counter_config shared_counter;
  coordination_config coordination;
  mpi_exchange_config mpi_exchange;
  water_config water;
  barnes_config barnes;
  ocean_config ocean;
  em3d_config em3d;
  gauss_config gauss;
  tomcatv_config tomcatv;
  appbt_config appbt;
  all_reduce_config all_reduce;
  /// Of a machine whose controllers copy. No parameter.
  std::optional<copying_nodes> nodes;
  /// Of a machine whose controllers keep barriers; the first of them. No parameter.
  std::optional<flash_barrier_place> barriers;
  /// Of a machine whose controllers keep locks; the first of them. No parameter.
  std::optional<flash_lock_place> locks;
  /// Of a machine whose processors have caches. No parameter.
  bool serves_pairs = false;
  /// Of a machine that wants to know who waits at a barrier (`kept_synchronization::rest`). No
  /// parameter.
  std::optional<std::uint64_t> rest = {};
  /// Of a machine whose controllers keep reductions; the first of them. No parameter.
  std::optional<flash_reduction_place> reductions;

  void bind(parameter_set& parameters);
};

/// The program that `choice` names, for a machine with the modules of `map` and as many elements.
std::unique_ptr<program> make_program(const program_choice& choice, const address_map& map);

/// What the processors of a machine do.
enum class workload_kind : std::uint8_t {
  closed_loop,
  open_loop,
  trace,
  program,
  own,      ///< a workload that only this machine has
  requests  ///< processors that compute and ask each other, on a machine that has such requests
};

/// Configuration of every workload; `kind` says which one runs.
struct workload_config {
  /// What run files call the machine's own workload; empty if it has none.
  std::string own;
  /// Whether the machine has requests between nodes in addition. No parameter.
  bool asks = false;
  workload_kind kind = workload_kind::closed_loop;
  traffic_config traffic;
  open_loop_config open_loop;
  trace_replay_config trace;
  program_choice program;

  /// Whether requests of an element to one word must stay in order (cycle contract, rule 3).
  bool has_program_order() const { return kind == workload_kind::program; }

  /// Whether the workload never finishes, on a machine with that map.
  bool endless(const address_map& map) const;

  void bind(parameter_set& parameters);
};

/// The workload that `config.kind` names, which is neither `own` nor `requests`, for as many
/// elements as `map` has modules; `map` must outlive it. `outstanding`: requests of an element in a
/// closed loop. Throws `configuration_error` for what the machine does not have, and `input_error`
/// for a trace that cannot be read.
std::unique_ptr<workload> make_workload(const workload_config& config,
                                        const processing_element_config& elements,
                                        std::uint32_t outstanding, const address_map& map,
                                        std::uint64_t seed);

}  // namespace tributary
