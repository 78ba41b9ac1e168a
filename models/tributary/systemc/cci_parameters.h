// SPDX-License-Identifier: Apache-2.0
// Our parameters as those of Accellera's configuration library, CCI 1.0, for projects that have it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <tributary/sim/parameters.h>
#include <tributary/systemc/systemc.h>

// The preprocessor of SystemC has to be set before it.
#include <cci_configuration>

namespace tributary {

/// Each parameter of a configuration as a CCI parameter that does not change once it is made, by
/// its own name below the module that is being constructed: "soc.network.processing_elements". So
/// CCI's tools see the value, its range and its meaning. A value that the module's broker has been
/// given before (`set_preset_cci_value`) takes the place of the configuration's.
///
/// Make it between the configuration and what the configuration is for:
///
///     combining_network_config config;
///     cci_parameters parameters{config};
///     combining_network network{"network", config};
///
/// Booleans, integers and numbers have CCI's types bool, uint64 and double; choices and texts are
/// strings, and so are lists, as JSON. The project links CCI; this library does not.
class cci_parameters {
 public:
  /// `configuration` has a member `bind`, as all configurations of this library. Throws
  /// `configuration_error` for a preset value that is none of the parameter's; CCI reports one of
  /// another type.
  template <class Configuration>
  explicit cci_parameters(Configuration& configuration) {
    parameter_set set = parameter_set::of(configuration);
    for (const parameter_description& each : set.describe()) {
      // Of lists there are the elements as well, which the list's own parameter brings.
      if (each.name.find('[') == std::string::npos) declare(set, each);
    }
  }

  std::size_t size() const { return parameters_.size(); }

 private:
  void declare(parameter_set& set, const parameter_description& each) {
    const json_value now = set.value(each.name);
    if (each.type == "boolean") {
      add(set, each, now.as_boolean(), [](bool value) { return value ? "true" : "false"; });
    } else if (each.type == "integer") {
      add(set, each, now.as_unsigned(), [](std::uint64_t value) { return std::to_string(value); });
    } else if (each.type == "number") {
      add(set, each, now.as_number(), [](double value) { return cci::cci_value(value).to_json(); });
    } else {
      add(set, each, now.is_string() ? now.as_string() : now.to_text(),
          [](const std::string& value) { return value; });
    }
  }

  /// `text_of` gives a value as it is typed in a shell.
  template <class T, class TextOf>
  void add(parameter_set& set, const parameter_description& each, const T& value,
           const TextOf& text_of) {
    const std::string range = each.range.empty() ? "" : " (" + each.range + ' ' + each.unit + ')';
    auto parameter = std::make_shared<cci::cci_param<T, cci::CCI_IMMUTABLE_PARAM>>(
        each.name, value, each.description + range);
    const T& chosen = parameter->get_value();
    if (chosen != value)
      set.set(each.name, text_of(chosen), std::string("CCI: ") + parameter->name());
    parameters_.push_back(std::move(parameter));
  }

  std::vector<std::shared_ptr<void>> parameters_;
};

}  // namespace tributary
