// SPDX-License-Identifier: Apache-2.0
// Occupancies of handlers from a file.
#pragma once

#include <cstdint>
#include <string>

namespace tributary {

class parameter_set;

/// Binds the costs of handlers, which all have one range and unit.
class cost_binder {
 public:
  explicit cost_binder(parameter_set& parameters) : parameters_(parameters) {}
  void operator()(const char* name, std::uint64_t& cost, const char* description);

 private:
  parameter_set& parameters_;
};

/// Reads a whole cost table, a JSON object whose entries are the parameters of `costs`, which hold
/// the published values until then. Unlike a run file it leaves nothing at its default: an entry
/// that is unknown, missing, negative or no whole number throws `configuration_error` with file and
/// entry; a file that cannot be read or is no JSON throws `input_error`. Nothing has changed then.
void load_cost_table(parameter_set& costs, const std::string& path);

}  // namespace tributary
