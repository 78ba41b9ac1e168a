// SPDX-License-Identifier: Apache-2.0
// The one place that includes SystemC and TLM-2.0.
#pragma once

// The convenience sockets of tlm_utils, which users may include after us, need it set before.
#ifndef SC_INCLUDE_DYNAMIC_PROCESSES
#define SC_INCLUDE_DYNAMIC_PROCESSES
#endif

#include <systemc>
#include <tlm>

/// Declares that a module has processes. SystemC 3.0 needs no such declaration, and deprecates it.
#if SC_VERSION_MAJOR >= 3
#define TRIBUTARY_HAS_PROCESS(module) static_assert(true, "takes the semicolon")
#else
#define TRIBUTARY_HAS_PROCESS(module) SC_HAS_PROCESS(module)
#endif
