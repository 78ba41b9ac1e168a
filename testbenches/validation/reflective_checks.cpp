// SPDX-License-Identifier: Apache-2.0
// Rows of reflective memory (T: section 14 of the specification of CANPC 2000): the ring of
// Moorthy, Panda and Sadayappan and its collectives, as programs run them.
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <tributary/nic/reflective_ring.h>
#include <tributary/sim/observer.h>

#include <reflective/reflective_config.h>
#include <reflective/reflective_simulation.h>

#include "checks.h"
#include "family.h"

namespace tributary::validation {
namespace {

constexpr std::uint32_t scramnet_slot = 571;
constexpr std::uint32_t model_slot = 58;
constexpr std::uint64_t seed = 1;
constexpr cycle_t end_of_time = std::numeric_limits<cycle_t>::max() / 4;

std::uint32_t whole(const family& claim, const char* key) {
  return static_cast<std::uint32_t>(claim.member(key).as_unsigned());
}

reflective_config ring_of(reflective_operation operation, std::uint32_t nodes, std::uint32_t radix,
                          std::uint32_t slot = model_slot) {
  reflective_config config;
  config.nodes = nodes;
  config.ring.slot = slot;
  config.program.operation = operation;
  config.program.radix = radix;
  config.program.repetitions = 200;
  return config;
}

double measured_us(const reflective_config& config) {
  reflective_simulation machine(config, seed);
  machine.run_until(end_of_time);
  return machine.statistics().find("operation.mean");
}

double stream_rate(std::uint32_t slot, std::uint32_t writers) {
  reflective_config config = ring_of(reflective_operation::stream, 8, 4, slot);
  config.program.writers = writers;
  config.program.words = 1000;
  config.program.repetitions = 4;
  reflective_simulation machine(config, seed);
  machine.run_until(end_of_time);
  return machine.statistics().find("ring.throughput");
}

/// Of 2 to 8, the radix with the least time.
double best_radix(reflective_operation operation, std::uint32_t nodes) {
  std::uint32_t best = 0;
  double least = std::numeric_limits<double>::max();
  for (std::uint32_t radix = 2; radix <= 8; ++radix) {
    const double time = measured_us(ring_of(operation, nodes, radix));
    if (time >= least) continue;
    least = time;
    best = radix;
  }
  return best;
}

/// With the constant that the specification fits to equation 4.2.
double barrier_us(const family& claim, std::uint32_t slot) {
  reflective_config config = ring_of(reflective_operation::barrier, whole(claim, "nodes"), 4, slot);
  config.program.overhead = whole(claim, "overhead");
  return measured_us(config);
}

/// All nodes begin together, as equation 4.3 has it.
double all_reduce_us(std::uint32_t nodes, std::uint32_t words) {
  reflective_config config = ring_of(reflective_operation::all_reduce, nodes, 4);
  config.program.words = words;
  config.program.skew = 0;
  config.program.repetitions = 20;
  return measured_us(config);
}

/// Words that a node applied out of the order in which their writer stored them, or never.
class misplaced_words final : public observer<applied_word> {
 public:
  void on_event(const applied_word& event) override {
    std::uint64_t& next = next_[{event.node, event.word.source}];
    if (event.word.number != next) ++misplaced_;
    next = event.word.number + 1;
    ++applied_;
  }
  double missing(double stored, std::uint32_t nodes) const {
    return static_cast<double>(misplaced_) + stored * nodes - static_cast<double>(applied_);
  }

 private:
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> next_;
  std::uint64_t misplaced_ = 0;
  std::uint64_t applied_ = 0;
};

/// All eight nodes stream, with the FIFO full.
double misplaced(const family& claim) {
  reflective_config config = ring_of(reflective_operation::stream, whole(claim, "nodes"), 4);
  config.program.words = 500;
  config.program.repetitions = 4;
  reflective_simulation machine(config, seed);
  misplaced_words watcher;
  machine.ring().applied().attach(watcher);
  machine.run_until(end_of_time);
  machine.ring().applied().detach(watcher);
  return watcher.missing(machine.statistics().find("ring.stored"), config.nodes);
}

/// The power of the number of nodes with which the time grows.
double growth(const family& claim) {
  std::vector<double> times;
  const std::vector<double> sizes = claim.numbers("sizes");
  times.reserve(sizes.size());
  for (const double nodes : sizes) {
    times.push_back(all_reduce_us(static_cast<std::uint32_t>(nodes), whole(claim, "words")));
  }
  return fit_power(sizes, times).exponent;
}

/// Collects rows; each measures by itself.
class reflective_rows {
 public:
  explicit reflective_rows(const claims& all) : all_(all) {}

  void add(const std::string& id, const std::function<double(const family&)>& measure) {
    const family claim = all_["cluster." + id];
    planned_row row = claim.row();
    row.shape.configuration = json_value::make_object();
    for (const char* key : {"nodes", "radix", "words", "writers", "overhead", "sizes"}) {
      if (claim.has(key)) row.shape.configuration.set(key, claim.member(key));
    }
    row.measure = [claim, measure](const point_results&) { return measure(claim); };
    rows_.push_back(std::move(row));
  }

  std::vector<planned_row> take() { return std::move(rows_); }

 private:
  const claims& all_;
  std::vector<planned_row> rows_;
};

void add_broadcasts(reflective_rows& rows) {
  const auto time = [](const family& claim) {
    return measured_us(
        ring_of(reflective_operation::broadcast, whole(claim, "nodes"), whole(claim, "radix")));
  };
  const auto radix = [](const family& claim) {
    return best_radix(reflective_operation::broadcast, whole(claim, "nodes"));
  };
  rows.add("T56.8", time);
  rows.add("T56.32", time);
  rows.add("T56.range", radix);
  rows.add("T56.radix", radix);
}

void add_barriers(reflective_rows& rows) {
  const auto radix = [](const family& claim) {
    return best_radix(reflective_operation::barrier, whole(claim, "nodes"));
  };
  rows.add("T57.scramnet", [](const family& claim) { return barrier_us(claim, scramnet_slot); });
  rows.add("T57.rm70", [](const family& claim) { return barrier_us(claim, model_slot); });
  rows.add("T57.difference", [](const family& claim) {
    return barrier_us(claim, scramnet_slot) - barrier_us(claim, model_slot);
  });
  rows.add("T58.16", radix);
  rows.add("T58.32", radix);
}

}  // namespace

std::vector<planned_row> reflective_checks(const claims& cluster) {
  reflective_rows rows(cluster);
  rows.add("T53.scramnet",
           [](const family& claim) { return stream_rate(scramnet_slot, whole(claim, "writers")); });
  rows.add("T53.rm70",
           [](const family& claim) { return stream_rate(model_slot, whole(claim, "writers")); });
  rows.add("T54", misplaced);
  add_broadcasts(rows);
  add_barriers(rows);
  rows.add("T59.time", [](const family& claim) {
    return all_reduce_us(whole(claim, "nodes"), whole(claim, "words"));
  });
  rows.add("T59.growth", growth);
  rows.add("T60", [](const family& claim) { return barrier_us(claim, model_slot); });
  return rows.take();
}

}  // namespace tributary::validation
