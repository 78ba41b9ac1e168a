// SPDX-License-Identifier: Apache-2.0
#include "rtl_switches.h"

#include <vector>

#include <tributary/network/omega/switch_selection.h>
#include <tributary/sim/error.h>
#ifdef TRIBUTARY_WITH_RTL
#include <tributary/rtl/switch_variants.h>
#include <tributary/rtl/verilated_options.h>
#include <tributary/rtl/verilated_waveform.h>
#endif

namespace tributary {
namespace {

std::vector<switch_place> selected(const omega_network_config& network) {
  return select_switches("network.rtl", network.rtl, network.stages(),
                         network.processing_elements / 2);
}

#ifdef TRIBUTARY_WITH_RTL

switch_maker maker_of(const omega_network_config& network, std::uint64_t seed,
                      const waveform_choice& waveforms) {
  const std::size_t switches = network.processing_elements / 2;
  return [variant = switch_variant_of(network.switches), seed, waveforms, switches](
             const combining_switch_config&, unsigned route_bit, const switch_place& place) {
    verilated_options options;
    options.name = to_string(place);
    // Positive, and another one for each switch.
    options.seed = static_cast<int>((seed + place.stage * switches + place.index) % 0x7fffffff) + 1;
    if (waveforms) {
      const waveform_request wanted = waveforms(place);
      options.fst = wanted.file;
      options.fst_first = wanted.first;
      options.fst_last = wanted.last;
    }
    return variant.make(route_bit, options);
  };
}

std::string variant_name(const omega_network_config& network) {
  return switch_variant_of(network.switches).name;
}

void check_waveforms() { verilated_waveform::require(); }

#else

[[noreturn]] void refuse() {
  throw configuration_error({"network.rtl", "", "this program was built without RTL", "none",
                             "install Verilator (Debian: verilator) and build again with "
                             "-DTRIBUTARY_RTL=ON"});
}

switch_maker maker_of(const omega_network_config&, std::uint64_t, const waveform_choice&) {
  refuse();
}
std::string variant_name(const omega_network_config&) { refuse(); }
void check_waveforms() { refuse(); }

#endif

}  // namespace

void use_built_rtl(omega_network_config& network, std::uint64_t seed,
                   const waveform_choice& waveforms) {
  if (network.make_switch || selected(network).empty()) return;
  network.make_switch = maker_of(network, seed, waveforms);
}

void require_waveforms() { check_waveforms(); }

void require_rtl(const omega_network_config& network) { describe_rtl(network); }

std::string describe_rtl(const omega_network_config& network) {
  const std::vector<switch_place> places = selected(network);
  if (places.empty()) return "";
  return describe_selection(places, network.stages(), network.processing_elements / 2) +
         " (variant " + variant_name(network) + ")";
}

}  // namespace tributary
