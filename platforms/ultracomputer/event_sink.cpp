// SPDX-License-Identifier: Apache-2.0
#include "event_sink.h"

#include <ultracomputer/machine.h>

namespace tributary {

machine_shape shape_of(const machine& observed) {
  return {observed.config().network.processing_elements, observed.network().stages()};
}

}  // namespace tributary
