// SPDX-License-Identifier: Apache-2.0
// Whether the requests of a network with sockets can combine at all.
#pragma once

#include <string>

namespace tributary {

struct combining_network_config;

/// Why no request, or hardly any, can combine in a network that is to combine, and which parameters
/// change that; empty if requests can, or if combining is off. Source of the bound for elements
/// with one request under way: docs/models/sockets.md, When nothing combines.
std::string why_nothing_combines(const combining_network_config& config);

}  // namespace tributary
