// SPDX-License-Identifier: Apache-2.0
// A mutant's verilated class, Vmutant, as a shared object. Compiled for each mutant, with
// MUTANT_PARAMETERS, assignments to the parameters that it was verilated with.
#include "mutant_model.h"

#include <stdexcept>
#include <type_traits>

#include <tributary/rtl/verilated_switch.h>

#include "Vmutant.h"

namespace tributary::testing {
namespace {

struct mutant_design {
  using model = Vmutant;
  static constexpr switch_parameters parameters = [] {
    switch_parameters p;
    MUTANT_PARAMETERS
    return p;
  }();
};

template <class Model, class = void>
struct has_selection : std::false_type {};
template <class Model>
struct has_selection<Model, std::void_t<decltype(Model::mutant_i)>> : std::true_type {};

/// Sets the input that chooses among mutations, where the model has it.
template <class Model>
void select(Model& model, unsigned selected) {
  if constexpr (has_selection<Model>::value) {
    model.mutant_i = static_cast<std::decay_t<decltype(model.mutant_i)>>(selected);
  } else if (selected != 0) {
    throw std::invalid_argument("this RTL has one fault: select 0");
  }
}

std::unique_ptr<switch_implementation> make(unsigned route_bit, int seed, unsigned selected) {
  verilated_options options;
  options.seed = seed;
  auto mutant = std::make_unique<verilated_switch<mutant_design>>(route_bit, options);
  select(mutant->rtl(), selected);
  mutant->reset();
  return mutant;
}

}  // namespace
}  // namespace tributary::testing

extern "C" const tributary::testing::mutant_model* tributary_mutant_model() {
  using namespace tributary::testing;
  static constexpr mutant_model model{mutant_design::parameters, make};
  return &model;
}
