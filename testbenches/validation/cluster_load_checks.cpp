// SPDX-License-Identifier: Apache-2.0
// Rows of cluster networks (T: section 14 of the specification of CANPC 2000) under load: what
// depth-first up*/down* routes gain over breadth-first ones in random wormhole networks.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "checks.h"
#include "family.h"
#include "load_curves.h"

namespace tributary::validation {
namespace {

using throughput_of = double (*)(const load_curve&);

double mean_gain(const load_condition& condition, throughput_of throughput) {
  double sum = 0;
  const std::vector<double> all = gains(condition, throughput);
  for (const double each : all) sum += each;
  return sum / static_cast<double>(all.size());
}

const char* name_of_pattern(destination_kind pattern) {
  switch (pattern) {
    case destination_kind::transpose:
      return "transpose";
    case destination_kind::bit_reversal:
      return "bit reversal";
    case destination_kind::shuffle:
      return "perfect shuffle";
    case destination_kind::local:
      return "60 % within 5 links";
    default:
      return "uniform";
  }
}

json_value shape_of(const load_condition& condition) {
  json_value shape = json_value::make_object();
  shape.set("switches", json_value(condition.switches));
  shape.set("graphs", json_value(10));
  shape.set("flits",
            condition.bimodal ? json_value("32, a quarter 512") : json_value(condition.flits));
  shape.set("traffic", json_value(name_of_pattern(condition.pattern)));
  shape.set("buffer_flits", json_value(condition.buffer_flits));
  if (condition.by_flits) shape.set("simulated", json_value("flit by flit"));
  if (condition.header_cycles != 0) {
    shape.set("header_cycles", json_value(condition.header_cycles));
  }
  return shape;
}

/// Collects rows of gains.
class load_rows {
 public:
  explicit load_rows(const claims& all) : all_(all) {}

  void add(const std::string& id, const load_condition& condition,
           const std::function<double()>& measure, bool only_full = false) {
    planned_row row = all_["cluster." + id].row();
    row.shape.configuration = shape_of(condition);
    row.measure = [measure](const point_results&) { return measure(); };
    row.only_full = only_full;
    rows_.push_back(std::move(row));
  }

  /// The gain by both definitions of throughput, and how sure the first is.
  void add_gain(const std::string& id, const load_condition& condition) {
    add(id + ".gain", condition, [=] { return mean_gain(condition, greatest_accepted); });
    add(id + ".at_latency", condition,
        [=] { return mean_gain(condition, accepted_at_three_times); });
    add(id + ".interval", condition,
        [=] { return half_interval(gains(condition, greatest_accepted)); });
  }

  std::vector<planned_row> take() { return std::move(rows_); }

 private:
  const claims& all_;
  std::vector<planned_row> rows_;
};

load_condition of_size(std::uint32_t switches) {
  load_condition condition;
  condition.switches = switches;
  return condition;
}

load_condition of_pattern(destination_kind pattern) {
  load_condition condition;
  condition.pattern = pattern;
  return condition;
}

void add_sizes(load_rows& rows) {
  for (const std::uint32_t switches : {9U, 16U, 32U, 64U}) {
    const load_condition uniform = of_size(switches);
    load_condition longer = uniform;
    longer.flits = 512;
    const std::string size = "." + std::to_string(switches);
    rows.add_gain("T30" + size, uniform);
    rows.add("T33" + size, longer, [=] {
      return mean_gain(longer, greatest_accepted) / mean_gain(uniform, greatest_accepted);
    });
    rows.add("T34" + size, uniform, [=] { return greatest_latency_ratio(uniform); });
  }
  load_condition bimodal;
  bimodal.bimodal = true;
  rows.add("T33.bimodal", bimodal, [=] {
    return mean_gain(bimodal, greatest_accepted) / mean_gain({}, greatest_accepted);
  });
}

void add_patterns(load_rows& rows) {
  const load_condition transpose = of_pattern(destination_kind::transpose);
  const load_condition reversal = of_pattern(destination_kind::bit_reversal);
  const load_condition shuffle = of_pattern(destination_kind::shuffle);
  const load_condition local = of_pattern(destination_kind::local);
  rows.add_gain("T31.transpose", transpose);
  rows.add_gain("T31.bit_reversal", reversal);
  rows.add_gain("T31.shuffle", shuffle);
  rows.add("T31.order", transpose, [=] {
    const double least =
        std::min({mean_gain(transpose, greatest_accepted), mean_gain(reversal, greatest_accepted),
                  mean_gain(shuffle, greatest_accepted)});
    return least / mean_gain({}, greatest_accepted);
  });
  rows.add_gain("T32.local", local);
  rows.add("T32.order", local,
           [=] { return mean_gain(local, greatest_accepted) / mean_gain({}, greatest_accepted); });
}

/// What the publication leaves open: buffers, of which one is shorter than a hop, and how long a
/// switch is busy with a head.
void add_open_choices(load_rows& rows) {
  for (const std::uint32_t flits : {32U, 128U, 256U, 512U}) {
    load_condition condition;
    condition.buffer_flits = flits;
    rows.add(
        "T30.buffer." + std::to_string(flits), condition,
        [=] { return mean_gain(condition, greatest_accepted); }, true);
  }
  for (const std::uint32_t flits : {16U, 64U}) {
    load_condition condition;
    condition.buffer_flits = flits;
    condition.by_flits = true;
    rows.add(
        "T30.by_flits." + std::to_string(flits), condition,
        [=] { return mean_gain(condition, greatest_accepted); }, true);
  }
  for (const std::uint32_t cycles : {1U, 24U}) {
    for (const std::uint32_t switches : {9U, 32U, 64U}) {
      load_condition condition = of_size(switches);
      condition.header_cycles = cycles;
      rows.add(
          "T30.header_" + std::to_string(cycles) + "." + std::to_string(switches), condition,
          [=] { return mean_gain(condition, greatest_accepted); }, true);
    }
  }
}

}  // namespace

std::vector<planned_row> cluster_load_checks(const claims& cluster) {
  load_rows rows(cluster);
  add_sizes(rows);
  add_patterns(rows);
  add_open_choices(rows);
  return rows.take();
}

}  // namespace tributary::validation
