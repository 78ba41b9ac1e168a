// SPDX-License-Identifier: Apache-2.0
// Which workload a platform runs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <tributary/memory/address_map.h>
#include <tributary/nic/network_interface.h>
#include <tributary/processor/processing_elements.h>
#include <tributary/workload/open_loop.h>
#include <tributary/workload/traffic.h>
#include <tributary/workload/workload.h>

namespace tributary {

enum class workload_kind : std::uint8_t { closed_loop, open_loop };

/// Configuration of every workload; `kind` says which one runs.
struct workload_config {
  workload_kind kind = workload_kind::closed_loop;
  traffic_config traffic;
  open_loop_config open_loop;

  void bind(parameter_set& parameters);
};

std::unique_ptr<workload> make_workload(const workload_config& config,
                                        const processing_element_config& elements,
                                        const network_interface_config& interfaces,
                                        const address_map& map, std::uint64_t seed);

}  // namespace tributary
