// SPDX-License-Identifier: Apache-2.0
// FLASH's rows of block transfers whose lines are in caches: V24 to V30, V33 to V35, V31 by the
// preset, and full coherence against local. Run files bring the lines into their states
// (workload.source_lines, destination_lines).
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "flash_checks.h"

namespace tributary::validation {
namespace {

using rows_t = std::vector<planned_row>;

constexpr const char* copy_time = "transfer.time.mean";
constexpr node_id asking_node{0};
constexpr node_id owning_node{2};

/// 10 ns a cycle.
double megabytes_a_second(const point_result& at, double cycles) {
  constexpr double megahertz = 100;
  return megahertz * at.mean("transfer.bytes") / cycles;
}

/// Bandwidth from the first handler that sends to the end of the last that receives.
planned_row peak_bandwidth(const family& claim) {
  planned_row row = statistic(claim, "");
  row.measure = [](const point_results& at) {
    return megabytes_a_second(
        *at[0], at[0]->mean("transfer.transfer.mean") + at[0]->mean("transfer.last_line.mean"));
  };
  return row;
}

/// Cycles from the first command to the first line that its owner refuses.
double first_refusal(const watched_run& run) {
  const cycle_t sends = run.machine().config().costs.table.block_transfer.source.forward;
  cycle_t asked = 0;
  for (const trace_event& each : run.events().of(asking_node, node_events::processor_request)) {
    const bool is_write = node_events::type.in(each.details) ==
                          static_cast<std::uint64_t>(common_type::uncached_write);
    if (asked == 0 && is_write) asked = each.cycle;
  }
  for (const trace_event& served : run.invocations(owning_node, "block_transfer.forward")) {
    // It refuses a line if it takes less than to send it (FLASH Figure 5.17: the short handlers).
    const bool is_refused = served.last - served.cycle + 1 < sends;
    if (is_refused) return static_cast<double>(served.cycle - asked);
  }
  return 0;
}

rows_t source_rows(const claims& flash) {
  return {statistic(flash["flash.V21.line"], "transfer.send_cycles"),
          statistic(flash["flash.V24.line"], "transfer.send_cycles"),
          statistic(flash["flash.V24.time"], copy_time),
          statistic(flash["flash.V25.line"], "transfer.send_cycles"),
          statistic(flash["flash.V25.line_back"], "transfer.line_back_cycles"),
          statistic(flash["flash.V25.time"], copy_time),
          peak_bandwidth(flash["flash.V25.peak"]),
          statistic(flash["flash.V25.average"], "transfer.bandwidth"),
          statistic(flash["flash.V26"], "transfer.refused_lines"),
          statistic(flash["flash.V26.invocations"],
                    "node.0.protocol_processor.handler.block_transfer.transfer.count"),
          watched(flash, flash["flash.V26.first"], first_refusal),
          statistic(flash["flash.V27.refused"], "transfer.refused_lines"),
          watched(flash, flash["flash.V27.line"], receive_interval),
          statistic(flash["flash.V33.DR"], "transfer.payload.mean")};
}

rows_t destination_rows(const claims& flash) {
  rows_t rows;
  for (const char* id :
       {"flash.V28.C", "flash.V28.D", "flash.V29.one.receive", "flash.V29.two.receive"}) {
    rows.push_back(statistic(flash[id], "transfer.receive_cycles"));
  }
  for (const char* id : {"flash.V29.owned", "flash.V29.one", "flash.V29.two", "flash.V29.three"}) {
    rows.push_back(sum_of_means(flash[id], {"transfer.receive_cycles", "transfer.dropped_cycles"}));
  }
  const family third = flash["flash.V30"];
  planned_row row = third.row();
  row.points = {place_of(third).with("workload.sharers=2"),
                place_of(third).with("workload.sharers=3")};
  row.measure = [](const point_results& at) {
    return at[1]->mean("transfer.dropped_cycles") - at[0]->mean("transfer.dropped_cycles");
  };
  rows.push_back(row);
  return rows;
}

/// Cycles of a copy while the owner's lines are collected, less those while they are forwarded.
planned_row gain_of_forwarding(const family& claim) {
  planned_row row = claim.row();
  for (const char* series : {"forwarding", "collecting"}) {
    row.points.push_back(place_of(claim).of_series(series));
  }
  row.measure = [](const point_results& at) {
    return at[1]->mean(copy_time) - at[0]->mean(copy_time);
  };
  return row;
}

rows_t forwarding_rows(const claims& flash) {
  rows_t rows;
  for (const char* id : {"flash.V34.100", "flash.V34.200", "flash.V34.400", "flash.V34.800",
                         "flash.V35.U", "flash.V35.DL"}) {
    rows.push_back(gain_of_forwarding(flash[id]));
  }
  return rows;
}

/// Table 5.2 by the preset: the caches are empty otherwise, where the table's are full.
rows_t preset_rows(const claims& flash) {
  const std::vector<std::pair<const char*, const char*>> sources{
      {"U", "uncached"}, {"DL", "dirty_local"}, {"DR", "dirty_remote"}};
  const std::vector<std::pair<const char*, const char*>> destinations{
      {"U", "uncached"}, {"L", "shared_local"}, {"R", "shared_remote"}};
  const family claim = flash["flash.V31.empty"];
  rows_t rows;
  for (const auto& [source, source_lines] : sources) {
    for (const auto& [destination, destination_lines] : destinations) {
      const std::string which = std::string(source) + destination;
      if (which == "UU") continue;  // flash.V31.UU
      planned_row row = claim.published_member(which);
      row.points = {
          place_of(claim).with({std::string("workload.source_lines=") + source_lines,
                                std::string("workload.destination_lines=") + destination_lines})};
      row.measure = [](const point_results& at) { return at[0]->mean(copy_time); };
      rows.push_back(row);
    }
  }
  return rows;
}

/// Copies by handlers of full coherence over the same by those of local coherence.
rows_t local_coherence_rows(const claims& flash) {
  rows_t rows;
  for (const char* id : {"flash.local.U", "flash.local.DL"}) {
    const family claim = flash[id];
    planned_row row = claim.row();
    row.points = {place_of(claim), place_of(claim).with(claim.texts("local"))};
    row.measure = [](const point_results& at) {
      return at[0]->mean(copy_time) / at[1]->mean(copy_time);
    };
    rows.push_back(row);
  }
  return rows;
}

}  // namespace

std::vector<planned_row> flash_coherent_copies(const claims& flash) {
  rows_t rows;
  for (rows_t more : {source_rows(flash), destination_rows(flash), forwarding_rows(flash),
                      preset_rows(flash), local_coherence_rows(flash)}) {
    for (planned_row& each : more) rows.push_back(std::move(each));
  }
  return rows;
}

}  // namespace tributary::validation
