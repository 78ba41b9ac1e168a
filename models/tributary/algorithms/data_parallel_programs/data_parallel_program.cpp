// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/data_parallel_programs/data_parallel_program.h>

#include <utility>

#include <fmt/format.h>

#include <tributary/algorithms/data_parallel_programs/kernel.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

namespace tributary {
namespace {

using namespace data_parallel_programs;

std::unique_ptr<kernel> make_kernel(const data_parallel_program& choice, std::uint32_t nodes) {
  switch (choice.name) {
    case data_parallel_kind::jacobi:
      return make_jacobi(choice.jacobi, nodes);
    case data_parallel_kind::matrix:
      return make_matrix(choice.matrix, nodes);
    case data_parallel_kind::halo2d:
      return make_halo2d(choice.halo2d, nodes);
    case data_parallel_kind::colcast:
      return make_colcast(choice.colcast, nodes);
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
                         {"matrix", data_parallel_kind::matrix},
                         {"halo2d", data_parallel_kind::halo2d},
                         {"colcast", data_parallel_kind::colcast}},
                        "Program that every node runs.");
  parameters.add_group("jacobi", jacobi, "A grid that relaxes, by gets of a word.");
  parameters.add_group("matrix", matrix, "The product of two matrices, by broadcasts of columns.");
  parameters.add_group("halo2d", halo2d, "Communication of jacobi alone.");
  parameters.add_group("colcast", colcast, "Communication of matrix alone.");
}

std::uint64_t data_parallel_bytes(const data_parallel_program& choice, std::uint32_t nodes) {
  return make_kernel(choice, nodes)->data_bytes();
}

std::unique_ptr<program> make_data_parallel_program(const data_parallel_program& choice,
                                                    std::uint32_t nodes, data_parallel_maker make) {
  return std::make_unique<program_on_run_time>(make_kernel(choice, nodes), std::move(make));
}

}  // namespace tributary
