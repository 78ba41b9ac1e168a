// SPDX-License-Identifier: Apache-2.0
// Rows of interfaces of cluster hosts (T: section 14 of the specification of CANPC 2000):
// multi-sends and multicasts of Buntinas et al. (P9), on hosts with programs, over one Myrinet
// switch.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <tributary/algorithms/collective_tree.h>
#include <tributary/algorithms/host_multicast.h>
#include <tributary/sim/error.h>

#include <support/host_machine.h>

#include "checks.h"
#include "family.h"

namespace tributary::validation {
namespace {

using testing::host_choice;
using testing::host_machine;

constexpr double cycles_a_microsecond = 10000;

planned_row host_row(const claims& all, const std::string& id,
                     const std::function<double(const family&)>& measure) {
  const family claim = all["cluster." + id];
  planned_row row = claim.row();
  row.shape.configuration = json_value::make_object();
  for (const char* key : {"hosts", "bytes", "queues"}) {
    if (claim.has(key)) row.shape.configuration.set(key, claim.member(key));
  }
  row.measure = [claim, measure](const point_results&) { return measure(claim); };
  return row;
}

std::uint32_t hosts_of(const family& claim) {
  return static_cast<std::uint32_t>(claim.member("hosts").as_unsigned());
}

/// What each host does, by its driver, until the last host has ended; in microseconds.
double time_of(const host_choice& choice,
               const std::function<void(multi_send_driver&, program_context&)>& run) {
  cycle_t last = 0;
  host_machine machine(choice, [&](program_context& context) {
    multi_send_driver driver(context, host_machine::access_of(choice, context), choice.times);
    run(driver, context);
    last = std::max(last, context.now());
  });
  if (!machine.run()) throw simulation_error("hosts have not ended");
  return static_cast<double>(last) / cycles_a_microsecond;
}

// --- multi-sends (T45, T46, T52) -----------------------------------------------------------------

/// From the beginning until the last of the other hosts has the message.
double one_to_all(std::uint32_t hosts, std::uint64_t bytes, bool assisted,
                  const host_choice& base = {}) {
  host_choice choice = base;
  choice.hosts = hosts;
  std::vector<std::uint32_t> all(hosts - 1);
  std::iota(all.begin(), all.end(), 1U);
  return time_of(choice, [&](multi_send_driver& driver, program_context& context) {
    const std::uint64_t memory = host_machine::memory_of(context);
    if (context.rank() != 0) {
      driver.receive_message(memory, bytes);
    } else if (assisted) {
      driver.send_message(all, memory, bytes);
    } else {
      for (const std::uint32_t host : all) driver.send_message({host}, memory, bytes);
    }
  });
}

double multi_send_factor(const family& claim) {
  const auto bytes = claim.member("bytes").as_unsigned();
  return one_to_all(hosts_of(claim), bytes, false) / one_to_all(hosts_of(claim), bytes, true);
}

/// The shortest message, of whole doublewords, from which on a multi-send is not slower.
double crossover(const family& claim) {
  std::uint64_t shortest = 0;
  for (std::uint64_t bytes = 128; bytes != 0; bytes -= 8) {
    if (one_to_all(hosts_of(claim), bytes, true) > one_to_all(hosts_of(claim), bytes, false)) break;
    shortest = bytes;
  }
  return static_cast<double>(shortest);
}

/// Of packets one after the other to one host: what each takes longer with firmware that looks for
/// further destinations.
double unicast_overhead(const family& claim) {
  const auto packets = claim.member("packets").as_unsigned();
  const auto bytes = static_cast<std::uint32_t>(claim.member("bytes").as_unsigned());
  const auto took = [&](std::uint64_t list) {
    host_choice choice;
    choice.costs.list = list;
    return time_of(choice, [&](multi_send_driver& driver, program_context& context) {
      const std::uint64_t memory = host_machine::memory_of(context);
      for (std::uint64_t i = 0; i < packets; ++i) {
        if (context.rank() == 0) {
          driver.send({1}, memory, bytes);
        } else {
          driver.receive(memory);
        }
      }
    });
  };
  return (took(multi_send_costs().list) - took(0)) / static_cast<double>(packets);
}

// --- multicasts (T49, T50, T51) ------------------------------------------------------------------

double multicast_time(const family& claim, const collective_tree& tree, const multicast_way& way) {
  host_choice choice;
  choice.hosts = hosts_of(claim);
  return time_of(choice, [&](multi_send_driver& driver, program_context& context) {
    multicast(driver, context.rank(), tree, way, host_machine::memory_of(context),
              claim.member("bytes").as_unsigned());
  });
}

struct best_tree {
  std::uint64_t lambda = 0;
  double microseconds = 0;
};

/// As the publication chose it: the best of whole lambdas from 1 to the number of hosts.
best_tree best_of(const family& claim, const multicast_way& way) {
  best_tree best;
  for (std::uint64_t lambda = 1; lambda <= hosts_of(claim); ++lambda) {
    const double took = multicast_time(claim, greedy_tree(hosts_of(claim), {lambda, 1}), way);
    if (best.lambda == 0 || took < best.microseconds) best = {lambda, took};
  }
  return best;
}

double multicast_factor(const family& claim, bool pipelined) {
  const double host = multicast_time(claim, binomial_tree(hosts_of(claim)), {false, pipelined});
  return host / best_of(claim, {true, pipelined}).microseconds;
}

double best_host_lambda(const family& claim) {
  return static_cast<double>(best_of(claim, {false, true}).lambda);
}

// --- the stages (T43, T44: what was put in) ------------------------------------------------------

/// Of packets to `receivers` hosts, one by one, in microseconds.
struct measured_stages {
  double send = 0;
  double transmit = 0;
  double receive = 0;
};

measured_stages stages(std::uint32_t bytes, std::uint64_t write_cycles) {
  host_choice choice;
  choice.node.interface.write_cycles = write_cycles;
  measured_stages found;
  cycle_t copied = 0;
  host_machine machine(choice, [&](program_context& context) {
    const std::uint64_t memory = host_machine::memory_of(context);
    multi_send_driver driver(context, host_machine::access_of(choice, context), choice.times);
    if (context.rank() == 0) {
      const cycle_t began = context.now();
      driver.send({1}, memory, bytes);
      found.send = static_cast<double>(context.now() - began) / cycles_a_microsecond;
      return;
    }
    context.delay(10'000'000);  // the packet is there
    const cycle_t began = context.now();
    driver.receive(memory);
    copied = context.now() - began;
  });
  if (!machine.run()) throw simulation_error("hosts have not ended");
  const host_interface& sends = machine.host(0).interface();
  const firmware_processor& receives = machine.host(1).interface().receiver();
  found.transmit =
      (static_cast<double>(choice.costs.transmit) + sends.transmitter().stage().mean()) /
      cycles_a_microsecond;
  found.receive = static_cast<double>(receives.busy() + copied) / cycles_a_microsecond;
  return found;
}

double stage_of(const family& claim, double measured_stages::*which) {
  const auto bytes = static_cast<std::uint32_t>(claim.member("bytes").as_unsigned());
  return stages(bytes, host_interface_config().write_cycles).*which;
}

/// The closed form of the publication out of stages that were measured.
double closed_form(const family& claim, bool assisted) {
  const auto bytes = static_cast<std::uint32_t>(claim.member("bytes").as_unsigned());
  const measured_stages found = stages(bytes, claim.member("write_cycles").as_unsigned());
  const double receivers = hosts_of(claim) - 1;
  if (assisted) return found.send + (receivers - 1) * found.transmit + found.receive;
  return receivers * found.send + found.receive;
}

void add_inputs(const claims& all, std::vector<planned_row>& rows) {
  for (const auto& [id, which] :
       std::initializer_list<std::pair<const char*, double measured_stages::*>>{
           {"T43.send", &measured_stages::send},
           {"T43.transmit", &measured_stages::transmit},
           {"T43.receive", &measured_stages::receive}}) {
    rows.push_back(
        host_row(all, id, [stage = which](const family& claim) { return stage_of(claim, stage); }));
  }
  for (const char* ways : {"T44", "T44.combining"}) {
    for (const bool assisted : {true, false}) {
      const std::string id = std::string(ways) + (assisted ? ".multi_send" : ".unicasts");
      rows.push_back(host_row(
          all, id, [assisted](const family& claim) { return closed_form(claim, assisted); }));
    }
  }
}

}  // namespace

std::vector<planned_row> host_interface_checks(const claims& cluster) {
  std::vector<planned_row> rows;
  add_inputs(cluster, rows);
  rows.push_back(host_row(cluster, "T45", multi_send_factor));
  rows.push_back(host_row(cluster, "T46", crossover));
  for (const char* id : {"T49.4", "T49.8", "T49.16"}) {
    rows.push_back(
        host_row(cluster, id, [](const family& claim) { return multicast_factor(claim, false); }));
  }
  rows.push_back(
      host_row(cluster, "T50", [](const family& claim) { return multicast_factor(claim, true); }));
  rows.push_back(host_row(cluster, "T51", best_host_lambda));
  rows.push_back(host_row(cluster, "T52", unicast_overhead));
  return rows;
}

}  // namespace tributary::validation
