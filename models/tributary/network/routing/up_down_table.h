// SPDX-License-Identifier: Apache-2.0
// Up*/down* routing as a table.
#pragma once

#include <tributary/network/routing/routing_table.h>
#include <tributary/network/routing/up_down_routes.h>

namespace tributary {

/// All shortest legal ways on; phases are those of `up_down_phase`. Its graph, not the routes, must
/// outlive it. Throws `configuration_error` as `routing_table`.
routing_table up_down_table(const up_down_routes& routes);

}  // namespace tributary
