// SPDX-License-Identifier: Apache-2.0
// FLASH's rows that run files describe: copies between uncached buffers.
#include "flash_checks.h"

#include <algorithm>
#include <utility>

#include <flash/flash_model.h>
#include <run/experiment.h>
#include <tributary/sim/error.h>

#include <support/usual_line.h>

#include "checks.h"

namespace tributary::validation {

planned_row measured_on_blocks(const family& claim, const std::vector<std::string>& keys,
                               const std::function<double()>& number) {
  planned_row row = claim.row();
  row.shape.configuration = json_value::make_object();
  for (const std::string& key : keys) row.shape.configuration.set(key, claim.member(key));
  row.measure = [number](const point_results&) { return number(); };
  return row;
}

std::vector<planned_row> measured_by_processors(
    const family& claim, const std::vector<std::string>& keys,
    const std::function<double(std::uint32_t processors)>& number) {
  const std::vector<double> sizes = claim.numbers("processors");
  const std::vector<double> values = claim.numbers("values");
  std::vector<planned_row> rows;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    planned_row row = claim.row_with(id_text(sizes[i]), values.at(i));
    row.shape.configuration = json_value::make_object();
    for (const std::string& key : keys) row.shape.configuration.set(key, claim.member(key));
    row.shape.configuration.set("processors", json_value(sizes[i]));
    const auto processors = static_cast<std::uint32_t>(sizes[i]);
    row.measure = [number, processors](const point_results&) { return number(processors); };
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<trace_event> node_event_list::of(node_id node, const event_kind& kind) const {
  std::vector<trace_event> found;
  for (const auto& [where, event] : events_) {
    if (where == index(node) && event.kind == &kind) found.push_back(event);
  }
  return found;
}

watched_run::watched_run(const std::string& presets, const point& where) {
  experiment_file file = load_experiments(presets + "/" + where.preset, where.sets);
  constexpr cycle_t patience = 10'000'000;
  const auto wanted =
      std::find_if(file.experiments.begin(), file.experiments.end(),
                   [&](const experiment& each) { return each.series == where.series; });
  if (wanted == file.experiments.end()) throw error(where.preset + " has no such series");
  machine_ = std::make_unique<flash_machine>(flash_in(wanted->machine), where.seeds.front());
  events_.emplace(machine_->nodes().catalog());
  machine_->observers().attach(*events_);
  machine_->run_until(patience);
  machine_->observers().detach(*events_);
  if (!machine_->finished()) throw error(where.to_json().to_text(0) + ": does not end");
}

std::vector<trace_event> watched_run::invocations(node_id node, const std::string& handler) const {
  const handler_id which = machine_->nodes().node(index(node)).protocols().find(handler);
  std::vector<trace_event> found = events_->of(node, node_events::handled);
  found.erase(std::remove_if(
                  found.begin(), found.end(),
                  [&](const trace_event& each) { return node_events::handler_of(each) != which; }),
              found.end());
  return found;
}

point place_of(const family& claim) {
  point where = claim.on(claim.text("design"));
  if (claim.has("series")) where.of_series(claim.text("series"));
  return where;
}

planned_row statistic(const family& claim, const std::string& path) {
  planned_row row = claim.row();
  row.points = {place_of(claim)};
  row.measure = [path](const point_results& at) { return at[0]->mean(path); };
  return row;
}

planned_row sum_of_means(const family& claim, const std::vector<std::string>& paths) {
  planned_row row = claim.row();
  row.points = {place_of(claim)};
  row.measure = [paths](const point_results& at) {
    double sum = 0;
    for (const std::string& path : paths) sum += at[0]->mean(path);
    return sum;
  };
  return row;
}

planned_row watched(const claims& flash, const family& claim,
                    const std::function<double(const watched_run&)>& number,
                    const std::vector<std::string>& sets) {
  planned_row row = claim.row();
  const point where = place_of(claim).with(sets);
  row.points = {where};
  row.measure = [presets = flash.presets(), where, number](const point_results&) {
    return number(watched_run(presets, where));
  };
  return row;
}

double receive_interval(const watched_run& run) {
  constexpr std::size_t edge = 8;
  const std::vector<trace_event> lines = run.invocations(node_id{1}, "block_transfer.receive");
  if (lines.size() < 3 * edge) throw error("too few lines to see a steady state");
  const std::size_t last = lines.size() - edge;
  return static_cast<double>(lines[last].cycle - lines[edge].cycle) /
         static_cast<double>(last - edge);
}

namespace {

using rows_t = std::vector<planned_row>;

constexpr node_id source_node{0};
constexpr node_id destination_node{1};
constexpr const char* source_handler = "node.0.protocol_processor.handler.block_transfer.";
constexpr const char* destination_handler = "node.1.protocol_processor.handler.block_transfer.";

point chunked(const family& claim, double chunk) {
  return claim.on(claim.text("design")).with("block_transfer.chunk=" + id_text(chunk));
}

planned_row difference(const family& claim, const std::string& path, const std::string& less) {
  planned_row row = statistic(claim, path);
  row.measure = [path, less](const point_results& at) {
    return at[0]->mean(path) - at[0]->mean(less);
  };
  return row;
}

// --- transfer handlers by chunk size -------------------------------------------------------------

rows_t aligned_chunks(const family& claim) {
  rows_t rows;
  for (const double chunk : claim.numbers("chunks")) {
    planned_row row = claim.published_member(id_text(chunk));
    row.points = {chunked(claim, chunk)};
    row.measure = [](const point_results& at) {
      return at[0]->mean(std::string(source_handler) + "transfer.max");
    };
    rows.push_back(row);
  }
  return rows;
}

/// In the steady state: invocations of as many lines as they may have.
double realigned_cycles(const point_result& at, double chunk) {
  const std::string path = source_handler;
  return (at.mean(path + "transfer_realigned.max") + at.mean(path + "collect.max")) / chunk;
}

double aligned_cycles(const point_result& at, double chunk) {
  return at.mean(std::string(source_handler) + "transfer.max") / chunk;
}

/// Cycles from the first line's collection to the end of the last line's sending, by their number.
double delivered_cycles(const watched_run& run) {
  const std::vector<trace_event> collecting =
      run.invocations(source_node, "block_transfer.collect");
  const std::vector<trace_event> sent = run.events().of(source_node, node_events::departed);
  std::vector<trace_event> lines;
  for (const trace_event& each : sent) {
    if (node_events::bytes.in(each.details) == line_bytes) lines.push_back(each);
  }
  const double collection =
      static_cast<double>(collecting.back().last + 1 - collecting.front().cycle);
  const double sending = static_cast<double>(lines.back().cycle - lines.front().cycle);
  const auto count = static_cast<double>(lines.size());
  return collection / count + sending / (count - 1);
}

rows_t realigned_chunks(const claims& flash) {
  rows_t rows;
  const family cost = flash["flash.V36"];
  for (const double chunk : cost.numbers("chunks")) {
    planned_row row = cost.published_member(id_text(chunk));
    row.points = {chunked(cost, chunk)};
    row.measure = [chunk](const point_results& at) { return realigned_cycles(*at[0], chunk); };
    rows.push_back(row);
  }
  const family delivered = flash["flash.V36.delivered"];
  for (const double chunk : delivered.numbers("chunks")) {
    planned_row row = delivered.row(id_text(chunk));
    const point where = chunked(delivered, chunk);
    row.points = {where};
    row.measure = [presets = flash.presets(), where](const point_results&) {
      return delivered_cycles(watched_run(presets, where));
    };
    rows.push_back(row);
  }
  return rows;
}

/// Realigned over aligned, at the sizes of the family: two points a size.
planned_row unaligned_ratio(const family& claim, const std::vector<double>& chunks, bool greatest) {
  planned_row row = claim.row();
  for (const double chunk : chunks) {
    row.points.push_back(chunked(claim, chunk).with("workload.source_offset=8"));
    row.points.push_back(chunked(claim, chunk));
  }
  row.measure = [chunks, greatest](const point_results& at) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      ratios.push_back(realigned_cycles(*at[2 * i], chunks[i]) /
                       aligned_cycles(*at[2 * i + 1], chunks[i]));
    }
    const auto ends = std::minmax_element(ratios.begin(), ratios.end());
    return greatest ? *ends.second : *ends.first;
  };
  return row;
}

rows_t alignment(const claims& flash) {
  const family four = flash["flash.V38"];
  const family one = flash["flash.V38.one_line"];
  const family least = flash["flash.V38.sentence"];
  const family greatest = flash["flash.V38.greatest"];
  rows_t rows{unaligned_ratio(four, four.numbers("chunks"), false),
              unaligned_ratio(one, one.numbers("chunks"), false),
              unaligned_ratio(least, least.numbers("chunks"), false),
              unaligned_ratio(greatest, greatest.numbers("chunks"), true)};
  return rows;
}

// --- a copy of 4 KB ------------------------------------------------------------------------------

planned_row elapsed_bandwidth(const family& claim) {
  planned_row row = statistic(claim, "");
  row.measure = [](const point_results& at) {
    constexpr double megahertz = 100;
    return megahertz * at[0]->mean("transfer.bytes") / at[0]->mean("transfer.transfer.mean");
  };
  return row;
}

double cleanup_of(const point_result& at) {
  const std::string receive = std::string(destination_handler) + "receive.";
  return at.mean(receive + "max") - at.mean(receive + "min");
}

rows_t fixed_overhead(const claims& flash) {
  const std::vector<std::pair<const char*, const char*>> parts{
      {"command", "transfer.command.mean"},
      {"setup", "transfer.setup.mean"},
      {"envelope", "transfer.envelope.mean"},
      {"first_latency", "network.lane.0.latency.max"},
      {"final_latency", "network.lane.1.latency.max"},
      {"flag_update", "transfer.flag_update.mean"}};
  rows_t rows;
  for (const auto& [part, path] : parts) {
    rows.push_back(statistic(flash[std::string("flash.V22.") + part], path));
  }
  planned_row cleanup = statistic(flash["flash.V22.cleanup"], "");
  cleanup.measure = [](const point_results& at) { return cleanup_of(*at[0]); };
  rows.insert(rows.begin() + 4, cleanup);
  planned_row total = statistic(flash["flash.V22.total"], "");
  total.measure = [parts](const point_results& at) {
    double sum = cleanup_of(*at[0]);
    for (const auto& part : parts) sum += at[0]->mean(part.second);
    return sum;
  };
  rows.push_back(total);
  rows.push_back(
      sum_of_means(flash["flash.V22.released"], {"transfer.command.mean", "transfer.setup.mean"}));
  rows.push_back(
      sum_of_means(flash["flash.V22.initiation"],
                   {"transfer.command.mean", "transfer.setup.mean", "transfer.envelope.mean"}));
  rows.push_back(
      difference(flash["flash.V22.overhead"], "transfer.time.mean", "transfer.busy.mean"));
  return rows;
}

/// Writes of the flag's line.
std::vector<trace_event> flag_writes(const watched_run& run) {
  std::vector<trace_event> found;
  for (const trace_event& each : run.events().of(source_node, node_events::memory_written)) {
    if (each.address < line_bytes) found.push_back(each);
  }
  return found;
}

double increments(const watched_run& run) {
  const auto writes = static_cast<double>(flag_writes(run).size());
  return run.machine().nodes().node(0).memory().read(0) == 1 ? writes : -1;
}

/// The lesser of: last doubleword in the destination's memory to the acknowledgement's sending, and
/// its arrival to the flag's write.
double completion_margin(const watched_run& run) {
  cycle_t landed = 0;
  for (const trace_event& each : run.events().of(destination_node, node_events::memory_written)) {
    landed = std::max(landed, each.last);
  }
  const trace_event sent = run.events().of(destination_node, node_events::departed).back();
  const trace_event came = run.events().of(source_node, node_events::arrived).back();
  const std::vector<trace_event> flag = flag_writes(run);
  if (flag.empty()) return -1;
  const double before = static_cast<double>(sent.cycle) - static_cast<double>(landed);
  const double after = static_cast<double>(flag.back().last) - static_cast<double>(came.cycle);
  return std::min(before, after);
}

/// Bytes at the destination of the only transfer that are not the source's.
double wrong_bytes(const watched_run& run) {
  const flash_config& config = run.machine().config();
  const planned_transfer only = config.workload
                                    .plan(config.machine.nodes, config.block_transfer.page_bytes,
                                          config.machine.node.protocol_storage(), 1)
                                    .at(index(source_node))
                                    .at(0);
  const memory_controller& from = run.machine().nodes().node(index(only.source)).memory();
  const memory_controller& to = run.machine().nodes().node(index(only.destination)).memory();
  double wrong = 0;
  for (std::uint64_t at = 0; at < only.bytes; at += 8) {
    const word_t sent = from.read(only.source_offset + at);
    for (word_t differing = sent ^ to.read(only.destination_offset + at); differing != 0;
         differing >>= 8) {
      if ((differing & 0xff) != 0) ++wrong;
    }
  }
  return wrong;
}

rows_t completion(const claims& flash) {
  return {watched(flash, flash["flash.V23.increments"], increments),
          watched(flash, flash["flash.V23.order"], completion_margin),
          // The machine's own check would end the run.
          watched(flash, flash["flash.V23.bytes"], wrong_bytes, {"workload.check=false"})};
}

rows_t destination_bound(const claims& flash) {
  return {statistic(flash["flash.V28.U"], "transfer.receive_cycles"),
          watched(flash, flash["flash.V28.delivered"], receive_interval)};
}

/// The copy on a protocol processor twice as fast over the same on the normal one.
planned_row faster_processor(const family& claim) {
  planned_row row = claim.row();
  row.points = {claim.on(claim.text("design")).with("node.protocol_processor.speed=2"),
                claim.on(claim.text("design"))};
  row.measure = [](const point_results& at) {
    return at[0]->mean("transfer.time.mean") / at[1]->mean("transfer.time.mean");
  };
  return row;
}

planned_row remote_home(const family& claim) {
  planned_row row = claim.row();
  row.points = {claim.on(claim.text("design")).with("workload.initiator=destination"),
                claim.on(claim.text("design"))};
  row.measure = [](const point_results& at) {
    return at[0]->mean("transfer.time.mean") - at[1]->mean("transfer.time.mean");
  };
  return row;
}

/// Loads of memory in an invocation beyond the lines that it sends, in the invocation that has
/// most.
double further_loads(const watched_run& run) {
  const std::vector<trace_event> loads = run.events().of(source_node, node_events::memory_read);
  const std::vector<trace_event> sends = run.events().of(source_node, node_events::sent);
  const std::vector<trace_event> invocations =
      run.invocations(source_node, "block_transfer.transfer_realigned");
  const handler_id which = node_events::handler_of(invocations.at(0));
  const auto by_it = [which](const trace_event& each) {
    return node_events::handler_of(each) == which;
  };
  const auto all = std::count_if(loads.begin(), loads.end(), by_it);
  const auto lines = std::count_if(sends.begin(), sends.end(), by_it);
  return static_cast<double>(all - lines) / static_cast<double>(invocations.size());
}

rows_t double_buffer_loads(const claims& flash) {
  rows_t rows;
  const family claim = flash["flash.V11"];
  for (const double chunk : claim.numbers("chunks")) {
    planned_row row = claim.row(id_text(chunk));
    const point where = chunked(claim, chunk);
    row.points = {where};
    row.measure = [presets = flash.presets(), where](const point_results&) {
      return further_loads(watched_run(presets, where));
    };
    rows.push_back(row);
  }
  return rows;
}

rows_t copy_of_a_page(const claims& flash) {
  rows_t rows{statistic(flash["flash.V20"], "transfer.time.mean"),
              statistic(flash["flash.V21.invocations"], "transfer.invocations.mean"),
              statistic(flash["flash.V21.sum"], "transfer.busy.mean"),
              statistic(flash["flash.V21.peak"], "transfer.peak_bandwidth"),
              elapsed_bandwidth(flash["flash.V21.elapsed"]),
              statistic(flash["flash.V21.average"], "transfer.bandwidth")};
  for (rows_t more : {fixed_overhead(flash), completion(flash), destination_bound(flash)}) {
    for (planned_row& each : more) rows.push_back(std::move(each));
  }
  for (const char* id : {"flash.V32.UU", "flash.V32.UU_polling"}) {
    rows.push_back(faster_processor(flash[id]));
  }
  for (const char* id : {"flash.V31.UU", "flash.V32.faster", "flash.V32.faster_unpolled"}) {
    rows.push_back(statistic(flash[id], "transfer.time.mean"));
  }
  rows.push_back(statistic(flash["flash.V33.U"], "network.payload"));
  rows.push_back(remote_home(flash["flash.V43"]));
  return rows;
}

}  // namespace

std::vector<planned_row> flash_checks(const claims& flash) {
  rows_t rows = flash_block_checks(flash);
  const auto append = [&](rows_t more) {
    for (planned_row& each : more) rows.push_back(std::move(each));
  };
  append(flash_coherence_checks(flash));
  append(flash_coherent_copies(flash));
  append(flash_processor_copies(flash));
  append(double_buffer_loads(flash));
  append(aligned_chunks(flash["flash.V17"]));
  rows.push_back(statistic(flash["flash.V19.unchunked"], "transfer.send_cycles"));
  append(copy_of_a_page(flash));
  append(realigned_chunks(flash));
  append(alignment(flash));
  append(flash_flood(flash));
  append(flash_transfer_checks(flash));
  append(flash_dirty_lines(flash));
  append(flash_kernel_checks(flash));
  append(flash_call_checks(flash));
  append(flash_barrier_checks(flash));
  append(flash_extension_checks(flash));
  append(flash_fetch_op_checks(flash));
  append(flash_lock_checks(flash));
  append(flash_conventional_barrier_checks(flash));
  append(flash_conventional_lock_checks(flash));
  append(flash_application_checks(flash));
  append(flash_stochastic_lock_checks(flash));
  return rows;
}

}  // namespace tributary::validation
