// SPDX-License-Identifier: Apache-2.0
// A phase of a protocol that nobody else knows.
#pragma once

#include <tributary/systemc/systemc.h>

namespace tributary::testing {

TLM_DECLARE_EXTENDED_PHASE(foreign_phase);

}  // namespace tributary::testing
