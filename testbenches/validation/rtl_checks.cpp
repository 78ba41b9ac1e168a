// SPDX-License-Identifier: Apache-2.0
// R: the RTL is the model, cycle by cycle.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>

#include <run/experiment.h>
#include <tributary/rtl/switch_variants.h>
#include <tributary/sim/error.h>
#include <ultracomputer/ultracomputer_model.h>

#include "checks.h"
#include "cosim/variant_run.h"
#include "support/event_text.h"

namespace tributary::validation {
namespace {

using rows_t = std::vector<planned_row>;

/// Cycles in which a core and its RTL were equal under random traffic, of `cycles`.
std::uint64_t cycles_equal(const switch_variant& variant, std::uint64_t seed,
                           std::uint64_t cycles) {
  const unsigned route_bit = seed % 2 == 0 ? 3 : 0;
  testing::variant_run both(variant, {route_bit, seed});
  for (std::uint64_t cycle = 0; cycle < cycles; ++cycle) {
    try {
      both.step();
    } catch (const simulation_error&) {
      return cycle;
    }
  }
  return cycles;
}

/// What a row without points was measured with.
json_value configuration_of(const switch_variant& variant, const family& claim,
                            const std::vector<std::string>& keys) {
  json_value object = json_value::make_object();
  object.set("variant", json_value(variant.name));
  for (const std::string& key : keys) object.set(key, claim.member(key));
  return object;
}

planned_row lockstep_of(const family& claim, const switch_variant& variant) {
  const auto cycles = static_cast<std::uint64_t>(claim.number("cycles"));
  const auto seeds = static_cast<std::uint64_t>(claim.number("seeds_drawn"));
  planned_row row = claim.row_with(variant.name, static_cast<double>(cycles * seeds));
  row.shape.configuration = configuration_of(variant, claim, {"cycles", "seeds_drawn"});
  row.measure = [variant, cycles, seeds](const point_results&) {
    std::uint64_t equal = 0;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      equal += cycles_equal(variant, seed, cycles);
    }
    return static_cast<double>(equal);
  };
  return row;
}

/// A 64-element machine with mixed RTL in the switches of a variant.
ultracomputer_config mixed_machine(const family& claim, const switch_variant& variant,
                                   const std::string& presets) {
  const point where = claim.on("baseline");
  const experiment_file file = load_experiments(presets + "/" + where.preset, where.sets);
  ultracomputer_config made = ultracomputer_in(file.experiments.front().machine);
  made.network.switches = config_of(variant.parameters);
  return made;
}

std::string trace_of(const ultracomputer_config& config, std::uint64_t cycles) {
  const std::unique_ptr<ultracomputer_machine> simulated =
      make_ultracomputer(engine_kind::loop, config, 1);
  testing::event_text trace(simulated->observers());
  simulated->run_until(cycles);
  return trace.text();
}

/// The fraction of the events of two traces that are the same, place by place; no number if there
/// are no events.
double fraction_equal(const std::string& x, const std::string& y) {
  std::istringstream left(x);
  std::istringstream right(y);
  double equal = 0;
  double events = 0;
  for (std::string one, other;;) {
    ++events;
    const bool more_left = static_cast<bool>(std::getline(left, one));
    const bool more_right = static_cast<bool>(std::getline(right, other));
    if (!more_left && !more_right) return equal / (events - 1);
    if (more_left && more_right && one == other) ++equal;
  }
}

planned_row trace_of_variant(const family& claim, const switch_variant& variant,
                             const std::string& presets) {
  planned_row row = claim.row(variant.name);
  row.shape.configuration = configuration_of(variant, claim, {"set", "rtl", "cycles"});
  row.measure = [claim, variant, presets](const point_results&) {
    ultracomputer_config mixed = mixed_machine(claim, variant, presets);
    const auto cycles = static_cast<std::uint64_t>(claim.number("cycles"));
    const std::string model = trace_of(mixed, cycles);
    mixed.network.rtl = claim.text("rtl");
    return fraction_equal(model, trace_of(mixed, cycles));
  };
  return row;
}

/// The latency of a design with mixed RTL less that of the models.
planned_row difference(const family& claim) {
  planned_row row = claim.row();
  row.points = {claim.on(claim.text("design")).with("network.rtl=" + claim.text("rtl")),
                claim.on(claim.text("design"))};
  row.measure = [](const point_results& at) { return at[0]->latency() - at[1]->latency(); };
  return row;
}

/// A count of a report that another command has left, by its path in the file.
double count_in(const std::string& file, const std::string& command, const std::string& path) {
  if (!std::filesystem::exists(file)) {
    throw input_error(file + ": there is no such file; run " + command + " first");
  }
  const json_document report = json_document::from_file(file);
  const json_value* found = &report.root();
  std::istringstream names(path);
  for (std::string name; found != nullptr && std::getline(names, name, '.');) {
    found = found->find(name);
  }
  if (found == nullptr) throw input_error(file + ": it has no " + path + "; run " + command);
  return found->as_number();
}

/// One count of a report over another, or the count alone.
planned_row reported(const family& claim, const std::string& root) {
  planned_row row = claim.row();
  row.shape.configuration = json_value::make_object();
  row.shape.configuration.set("report", claim.member("report"));
  row.measure = [claim, root](const point_results&) {
    const auto count = [&](const char* name) {
      return count_in(root + "/" + claim.text("report"), claim.text("command"),
                      claim.text("part") + "." + claim.text(name));
    };
    return claim.has("of") ? count("count") / count("of") : count("count");
  };
  return row;
}

}  // namespace

std::vector<planned_row> rtl_checks(const claims& all) {
  rows_t rows;
  for (const switch_variant& each : built_switch_variants()) {
    rows.push_back(lockstep_of(all["R.equal.lockstep"], each));
  }
  for (const switch_variant& each : built_switch_variants()) {
    rows.push_back(trace_of_variant(all["R.equal.trace"], each, all.presets()));
  }
  for (const char* id : {"R.equal.C3", "R.equal.C4"}) rows.push_back(difference(all[id]));
  for (const char* id :
       {"R.coverage.line", "R.coverage.functional", "R.coverage.toggle", "R.mutants.seeded",
        "R.mutants.missed", "R.mutants.drawn", "R.mutants.unexplained"}) {
    rows.push_back(reported(all[id], all.presets() + "/../../.."));
  }
  return rows;
}

}  // namespace tributary::validation
