// SPDX-License-Identifier: Apache-2.0
// Stands in for another SystemC: the version and the C++ standard that the test asks for. It links
// under that standard alone, as the real one does.
#pragma once

#ifndef STAND_IN_MAJOR
#define STAND_IN_MAJOR 2
#endif
#ifndef STAND_IN_STANDARD
#define STAND_IN_STANDARD 201703L
#endif

#define SC_VERSION_MAJOR STAND_IN_MAJOR
#define SC_VERSION_MINOR 0
#define SC_VERSION_PATCH 0

#if SC_CPLUSPLUS != STAND_IN_STANDARD
#error "this SystemC was built under another C++ standard"
#endif
