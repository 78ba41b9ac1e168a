// SPDX-License-Identifier: Apache-2.0
// FLASH's rows of coherent reads, V1 to V4: the preset read_latency.
#include <vector>

#include "flash_checks.h"

namespace tributary::validation {

std::vector<planned_row> flash_coherence_checks(const claims& flash) {
  std::vector<planned_row> rows;
  for (const char* id :
       {"flash.V1", "flash.V2", "flash.V3", "flash.V4.dirty_at_home", "flash.V4.shared"}) {
    rows.push_back(statistic(flash[id], "transfer.read_latency"));
  }
  return rows;
}

}  // namespace tributary::validation
