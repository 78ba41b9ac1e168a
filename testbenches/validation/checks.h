// SPDX-License-Identifier: Apache-2.0
// Every row of the validation, in the order of the report.
#pragma once

#include <vector>

#include "family.h"

namespace tributary::validation {

/// C1 to C10: what the paper publishes.
std::vector<planned_row> published_checks(const claims& all);
/// C11, C12: the paper's barriers, readers and writers.
std::vector<planned_row> coordination_checks(const claims& all);
/// C4 through TLM-2.0 sockets; only where SystemC is.
std::vector<planned_row> socket_checks(const claims& all);
/// R: RTL against the models; only where it was verilated.
std::vector<planned_row> rtl_checks(const claims& all);
/// clock: the cycle time of switches, of the clocks that ./dev cycle-time has measured.
std::vector<planned_row> clock_checks(const claims& all);
/// A1, A2: closed formulas of others.
std::vector<planned_row> analytic_checks(const claims& all);

/// V: FLASH's node controller, network and block transfer, out of its own claims.
std::vector<planned_row> flash_checks(const claims& flash);

/// W, M: SMP nodes, out of their own claims.
std::vector<planned_row> smp_checks(const claims& smp);
/// Those of applications, which are among these.
std::vector<planned_row> smp_application_checks(const claims& smp);

/// K: data-parallel machines, out of their own claims.
std::vector<planned_row> data_parallel_checks(const claims& data_parallel);

/// T: cluster networks, out of their own claims.
std::vector<planned_row> cluster_channel_checks(const claims& cluster);
std::vector<planned_row> cluster_checks(const claims& cluster);
std::vector<planned_row> cluster_predictor_checks(const claims& cluster);
std::vector<planned_row> cluster_reconfiguration_checks(const claims& cluster);
std::vector<planned_row> cluster_relation_checks(const claims& cluster);
std::vector<planned_row> cluster_traffic_checks(const claims& cluster);
/// Those under load, which are among these.
std::vector<planned_row> cluster_load_checks(const claims& cluster);
/// Of interfaces of hosts.
std::vector<planned_row> host_interface_checks(const claims& cluster);
std::vector<planned_row> virtual_interface_checks(const claims& cluster);

/// Those of reflective memory, which are among these.
std::vector<planned_row> reflective_checks(const claims& cluster);

std::vector<planned_row> all_checks(const claims& ultracomputer, const claims& flash,
                                    const claims& smp, const claims& data_parallel,
                                    const claims& cluster);

/// The power of the size that fits best, by least squares of logarithms.
struct power_fit {
  double exponent = 0;
  double r_squared = 0;  ///< of the logarithms, 1 where all points lie on the line
};

/// `values` at `sizes`, both above 0, two or more sizes.
power_fit fit_power(const std::vector<double>& sizes, const std::vector<double>& values);

/// Mean one-way transit of uniform traffic through unbounded queues (Kruskal and Snir): `stages`
/// stages of 2x2 switches, links held for `m` cycles a message, `p` messages per element and cycle.
double uniform_transit(double stages, double m, double p);

/// Greatest accepted load per element with a fraction `h` to one of `n` modules, each of which
/// accepts a request every `interval` cycles (Pfister and Norton).
double hot_spot_load(double n, double h, double interval);

}  // namespace tributary::validation
