// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/data_parallel_programs/program_parameters.h>

#include <fmt/format.h>

#include <tributary/algorithms/data_parallel_programs/node_variables.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

namespace tributary::data_parallel_programs {

void bind_cycles(parameter_set& parameters, const std::string& name, std::uint64_t& value,
                 const std::string& what_for) {
  parameters.add(name, value, interval<std::uint64_t>{0, 1000000000}, "cycles",
                 "That a processor computes " + what_for + ". No count depends on it.");
}

void bind_system(parameter_set& parameters, std::uint64_t& value, const std::string& what) {
  parameters.add("system", value, interval<std::uint64_t>{0, std::uint64_t{1} << 62U}, "",
                 "Names " + what + ", whatever the seed of a run.");
}

void require_multiple(const std::string& key, std::uint64_t value, std::uint64_t of,
                      const std::string& what) {
  if (of != 0 && value != 0 && value % of == 0) return;
  throw configuration_error({key, "",
                             fmt::format("{} is not a multiple of {}, {}", value, of, what),
                             fmt::format("multiples of {}", of), "choose one of them"});
}

void require_divisor(const std::string& key, std::uint64_t value, std::uint64_t of,
                     const std::string& what) {
  if (value != 0 && of % value == 0) return;
  throw configuration_error({key, "", fmt::format("{} does not divide {}, {}", value, of, what),
                             fmt::format("divisors of {}", of), "choose one of them"});
}

void require_nodes(const std::string& key, std::uint32_t nodes, std::uint32_t at_least) {
  if (nodes >= at_least) return;
  throw configuration_error(
      {key, "", fmt::format("{} needs at least {} nodes, and there are {}", key, at_least, nodes),
       fmt::format("at least {} nodes", at_least), "choose more nodes, or another program"});
}

void bind_aggregated(parameter_set& parameters, bool& value) {
  parameters.add("aggregated", value,
                 "A get for each edge of a neighbour instead of one for each of its points, as a "
                 "compiler aggregates them (Klaiber 6.5.5).");
}

void bind_reduce_bytes(parameter_set& parameters, std::uint32_t& value) {
  parameters.add("reduce_bytes", value, interval<std::uint32_t>{4, word_bytes}, "bytes",
                 "Of a contribution to a reduction: 4 or 8.");
}

void check_reduce_bytes(const std::string& part, std::uint32_t value) {
  require_multiple(part + ".reduce_bytes", value, 4, "the bytes of the smallest item");
}

}  // namespace tributary::data_parallel_programs
