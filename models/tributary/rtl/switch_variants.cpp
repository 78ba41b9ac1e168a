// SPDX-License-Identifier: Apache-2.0
#include <tributary/rtl/switch_variants.h>

#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <tributary/rtl/verilated_switch.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

#include <switch_designs.h>

namespace tributary {
namespace {

template <class Design>
switch_variant variant_of() {
  return {Design::name, Design::parameters,
          [](unsigned route_bit, const verilated_options& options) {
            return std::unique_ptr<switch_implementation>(
                std::make_unique<verilated_switch<Design>>(route_bit, options));
          }};
}

template <class... Designs>
std::vector<switch_variant> variants_of(design_list<Designs...>) {
  return {variant_of<Designs>()...};
}

using named_values = std::vector<std::pair<std::string, std::string>>;

/// What a switch does, by the parameters that decide it: equal where the behaviour is. Forms that
/// cannot combine at all, and `combining`, are in one number.
named_values behaviour_of(combining_switch_config config) {
  named_values found;
  const parameter_set parameters = parameter_set::of(config);
  for (const std::string& name : parameters.names()) {
    if (name.rfind("combin", 0) == 0) continue;
    found.emplace_back(name, parameters.value(name).to_text());
  }
  found.emplace_back("combine (one bit a form)", std::to_string(config.combining_forms()));
  return found;
}

/// "slots = 6, not 4" for each value in which a variant is not as wanted.
std::string differences(const named_values& wanted, const named_values& variant) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] == variant[i]) continue;
    parts.push_back(wanted[i].first + " = " + variant[i].second + ", not " + wanted[i].second);
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

/// How to get a switch that behaves so, where none was built.
std::string advice_for(const named_values& wanted) {
  std::string built;
  for (const switch_variant& each : built_switch_variants()) built += each.name + ";";
  for (const auto& [name, parameters] : listed_variants()) {
    if (behaviour_of(config_of(parameters)) != wanted) continue;
    return fmt::format(
        "the variant {} would do: configure with -DTRIBUTARY_RTL_VARIANTS=\"{}{}\" "
        "and build again",
        name, built, name);
  }
  return "set network.* to one of them, or add a variant to cmake/switch_variants.cmake, configure "
         "with -DTRIBUTARY_RTL_VARIANTS=all and build again";
}

}  // namespace

std::vector<switch_variant> built_switch_variants() { return variants_of(switch_designs{}); }

switch_variant switch_variant_of(const combining_switch_config& config) {
  const named_values wanted = behaviour_of(config);
  std::vector<std::string> built;
  for (switch_variant& each : built_switch_variants()) {
    const std::string differs = differences(wanted, behaviour_of(config_of(each.parameters)));
    if (differs.empty()) return std::move(each);
    built.push_back(each.name + " (" + differs + ")");
  }
  throw configuration_error(
      {"network.rtl", "", "no RTL with the parameters of these switches was built",
       fmt::format("the variants that were, {}", fmt::join(built, ", ")), advice_for(wanted)});
}

}  // namespace tributary
