// SPDX-License-Identifier: Apache-2.0
// Which program runs on the data-parallel run-time: the same choice on every machine.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include <tributary/algorithms/data_parallel.h>
#include <tributary/algorithms/data_parallel_programs/colcast.h>
#include <tributary/algorithms/data_parallel_programs/colshift.h>
#include <tributary/algorithms/data_parallel_programs/evsim.h>
#include <tributary/algorithms/data_parallel_programs/gauss.h>
#include <tributary/algorithms/data_parallel_programs/gradient.h>
#include <tributary/algorithms/data_parallel_programs/halo2d.h>
#include <tributary/algorithms/data_parallel_programs/halo3d.h>
#include <tributary/algorithms/data_parallel_programs/jacobi.h>
#include <tributary/algorithms/data_parallel_programs/latency.h>
#include <tributary/algorithms/data_parallel_programs/matrix.h>
#include <tributary/algorithms/data_parallel_programs/ring1d.h>
#include <tributary/algorithms/data_parallel_programs/rowcast.h>
#include <tributary/algorithms/data_parallel_programs/shallow.h>
#include <tributary/algorithms/data_parallel_programs/sparse_gather.h>
#include <tributary/processor/program.h>

namespace tributary {

class parameter_set;

/// The programs, and the generators, that a run file can name.
enum class data_parallel_kind : std::uint8_t {
  jacobi,
  gauss,
  matrix,
  shallow,
  halo2d,
  rowcast,
  colcast,
  ring1d,
  colshift,
  evsim,
  halo3d,
  gradient,
  sparse_gather,
  latency
};

/// Which one runs, and the configuration of each.
struct data_parallel_program {
  data_parallel_kind name = data_parallel_kind::jacobi;
  data_parallel_programs::jacobi_config jacobi;
  data_parallel_programs::gauss_config gauss;
  data_parallel_programs::matrix_config matrix;
  data_parallel_programs::shallow_config shallow;
  data_parallel_programs::halo2d_config halo2d;
  data_parallel_programs::rowcast_config rowcast;
  data_parallel_programs::colcast_config colcast;
  data_parallel_programs::ring1d_config ring1d;
  data_parallel_programs::colshift_config colshift;
  data_parallel_programs::evsim_config evsim;
  data_parallel_programs::halo3d_config halo3d;
  data_parallel_programs::gradient_config gradient;
  data_parallel_programs::sparse_gather_config sparse_gather;
  data_parallel_programs::latency_config latency;

  void bind(parameter_set& parameters);
};

/// Makes a node's side of the run-time, of the machine that its program runs on.
using data_parallel_maker = std::function<std::unique_ptr<data_parallel>(program_context&)>;

/// Bytes of data that the program needs on each of so many nodes. Throws `configuration_error` for
/// what these cannot run; keys are named from the members above on: "jacobi.side".
std::uint64_t data_parallel_bytes(const data_parallel_program& choice, std::uint32_t nodes);

/// The program that `choice` names, for so many nodes with one process each. Every process gets the
/// run-time that `make` makes for its context. The sample `time` is that of the program on a node.
///
/// Throws `configuration_error` as above; when it runs, `simulation_error` if the data of the
/// program are wrong, or if a node has too few bytes for them.
std::unique_ptr<program> make_data_parallel_program(const data_parallel_program& choice,
                                                    std::uint32_t nodes, data_parallel_maker make);

}  // namespace tributary
