// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/data_parallel_programs/data_parallel_program.h>

#include <utility>

#include <fmt/format.h>

#include <tributary/algorithms/data_parallel_programs/kernel.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

namespace tributary {
namespace {

using data_parallel_programs::kernel;

std::unique_ptr<kernel> make_kernel(const data_parallel_program& choice, std::uint32_t nodes) {
  switch (choice.name) {
    case data_parallel_kind::jacobi:
      return make_jacobi(choice.jacobi, nodes);
    case data_parallel_kind::gauss:
      return make_gauss(choice.gauss, nodes);
    case data_parallel_kind::matrix:
      return make_matrix(choice.matrix, nodes);
    case data_parallel_kind::shallow:
      return make_shallow(choice.shallow, nodes);
    case data_parallel_kind::halo2d:
      return make_halo2d(choice.halo2d, nodes);
    case data_parallel_kind::rowcast:
      return make_rowcast(choice.rowcast, nodes);
    case data_parallel_kind::colcast:
      return make_colcast(choice.colcast, nodes);
    case data_parallel_kind::ring1d:
      return make_ring1d(choice.ring1d, nodes);
    case data_parallel_kind::colshift:
      return make_colshift(choice.colshift, nodes);
    case data_parallel_kind::evsim:
      return make_evsim(choice.evsim, nodes);
    case data_parallel_kind::halo3d:
      return make_halo3d(choice.halo3d, nodes);
    case data_parallel_kind::gradient:
      return make_gradient(choice.gradient, nodes);
    case data_parallel_kind::sparse_gather:
      return make_sparse_gather(choice.sparse_gather, nodes);
    case data_parallel_kind::latency:
      return make_latency(choice.latency, nodes);
  }
  throw error("no such program");
}

class program_on_run_time final : public program {
 public:
  program_on_run_time(std::unique_ptr<kernel> what, data_parallel_maker make)
      : what_(std::move(what)), make_(std::move(make)) {}

  void run(program_context& context) override {
    const std::unique_ptr<data_parallel> here = make_(context);
    if (here->data_bytes() < what_->data_bytes()) {
      throw simulation_error(
          fmt::format("the program needs {} bytes of data on each node, and has "
                      "{}; choose a smaller one, or larger memories",
                      what_->data_bytes(), here->data_bytes()));
    }
    const cycle_t begin = context.now();
    what_->run(*here);
    context.sample("time", context.now() - begin);
  }

 private:
  std::unique_ptr<kernel> what_;
  data_parallel_maker make_;
};

}  // namespace

void data_parallel_program::bind(parameter_set& parameters) {
  parameters.add_choice("name", name,
                        {{"jacobi", data_parallel_kind::jacobi},
                         {"gauss", data_parallel_kind::gauss},
                         {"matrix", data_parallel_kind::matrix},
                         {"shallow", data_parallel_kind::shallow},
                         {"halo2d", data_parallel_kind::halo2d},
                         {"rowcast", data_parallel_kind::rowcast},
                         {"colcast", data_parallel_kind::colcast},
                         {"ring1d", data_parallel_kind::ring1d},
                         {"colshift", data_parallel_kind::colshift},
                         {"evsim", data_parallel_kind::evsim},
                         {"halo3d", data_parallel_kind::halo3d},
                         {"gradient", data_parallel_kind::gradient},
                         {"sparse_gather", data_parallel_kind::sparse_gather},
                         {"latency", data_parallel_kind::latency}},
                        "Program that every node runs.");
  parameters.add_group("jacobi", jacobi, "A grid that relaxes, by gets of a word.");
  parameters.add_group("gauss", gauss,
                       "Elimination in a matrix, by reductions and broadcasts of rows.");
  parameters.add_group("matrix", matrix, "The product of two matrices, by broadcasts of columns.");
  parameters.add_group("shallow", shallow,
                       "Waves of shallow water, by sends of columns and gets of a word.");
  parameters.add_group("halo2d", halo2d, "Communication of jacobi alone.");
  parameters.add_group("rowcast", rowcast, "Communication of gauss alone.");
  parameters.add_group("colcast", colcast, "Communication of matrix alone.");
  parameters.add_group("ring1d", ring1d, "Gets of 8 and 16 bytes from both neighbours.");
  parameters.add_group("colshift", colshift, "Communication of shallow alone.");
  parameters.add_group("evsim", evsim, "Random combining sends, reductions and barriers.");
  parameters.add_group("halo3d", halo3d, "Faces of blocks of a grid in three dimensions.");
  parameters.add_group("gradient", gradient, "The sum of vectors of all nodes, on all nodes.");
  parameters.add_group("sparse_gather", sparse_gather,
                       "Rows of random nodes, as a mixture of experts needs them.");
  parameters.add_group("latency", latency, "Primitives one by one, and how long they take.");
}

std::uint64_t data_parallel_bytes(const data_parallel_program& choice, std::uint32_t nodes) {
  return make_kernel(choice, nodes)->data_bytes();
}

std::unique_ptr<program> make_data_parallel_program(const data_parallel_program& choice,
                                                    std::uint32_t nodes, data_parallel_maker make) {
  return std::make_unique<program_on_run_time>(make_kernel(choice, nodes), std::move(make));
}

}  // namespace tributary
