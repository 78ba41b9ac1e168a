// SPDX-License-Identifier: Apache-2.0
// Parameters that programs on the data-parallel run-time share, and what they may be.
#pragma once

#include <cstdint>
#include <string>

namespace tributary {
class parameter_set;
}

namespace tributary::data_parallel_programs {

/// Adds the parameter `name`: cycles that a processor computes, "to change a point".
void bind_cycles(parameter_set& parameters, const std::string& name, std::uint64_t& value,
                 const std::string& what_for);
/// Adds the parameter `system`, which names the data that a program begins with.
void bind_system(parameter_set& parameters, std::uint64_t& value, const std::string& what);
/// Adds the parameter `aggregated`, of a program that gets the edges of blocks.
void bind_aggregated(parameter_set& parameters, bool& value);
/// Adds the parameter `reduce_bytes`, of a reduction.
void bind_reduce_bytes(parameter_set& parameters, std::uint32_t& value);
/// Throws `configuration_error` unless it is 4 or 8.
void check_reduce_bytes(const std::string& part, std::uint32_t value);

/// Throws `configuration_error` about that key unless `value` is a multiple of `of`, which `what`
/// names: "the rows of blocks".
void require_multiple(const std::string& key, std::uint64_t value, std::uint64_t of,
                      const std::string& what);
/// Throws `configuration_error` about that key unless `value` divides `of`, "the nodes".
void require_divisor(const std::string& key, std::uint64_t value, std::uint64_t of,
                     const std::string& what);
/// Throws `configuration_error` about that key for fewer nodes than the program needs.
void require_nodes(const std::string& key, std::uint32_t nodes, std::uint32_t at_least);

}  // namespace tributary::data_parallel_programs
