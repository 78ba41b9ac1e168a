// SPDX-License-Identifier: Apache-2.0
#include "event_sink.h"

#include <ultracomputer/ultracomputer.h>

namespace tributary {

machine_shape shape_of(const ultracomputer& machine) {
  return {machine.config().network.processing_elements, machine.network().stages()};
}

}  // namespace tributary
