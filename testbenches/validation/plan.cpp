// SPDX-License-Identifier: Apache-2.0
#include "plan.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <numeric>
#include <optional>
#include <thread>

#include <run/run_experiment.h>
#include <tributary/sim/error.h>
#include <ultracomputer/ultracomputer_model.h>

namespace tributary::validation {
namespace {

constexpr const char* trace_key = "workload.trace.file=";

/// The settings with paths that hold wherever the program was started.
std::vector<std::string> located(std::vector<std::string> sets, const std::string& root) {
  const std::string key = trace_key;
  for (std::string& each : sets) {
    if (each.compare(0, key.size(), key) == 0) each.insert(key.size(), root + "/");
  }
  return sets;
}

/// One simulation: a point with one seed.
struct job {
  std::size_t point = 0;
  std::size_t seed = 0;
  double work = 0;  ///< for the order and the progress: switch-cycles, or seconds
};

class campaign {
 public:
  campaign(const std::vector<planned_row>& rows, const locations& where, bool full,
           const kept_runs* kept)
      : kept_(kept) {
    for (const planned_row& each : rows) {
      if (each.only_full && !full && !was_kept(each, where)) continue;
      for (const point& wanted : each.points) want(wanted, where);
    }
    for (std::size_t i = 0; i < points_.size(); ++i) {
      results_.emplace_back(points_[i].seeds.size());
      for (std::size_t seed = 0; seed < points_[i].seeds.size(); ++seed) {
        jobs_.push_back({i, seed, work_of(experiments_[i])});
      }
    }
    jobs_.erase(std::remove_if(jobs_.begin(), jobs_.end(),
                               [&](const job& each) { return take_kept(each); }),
                jobs_.end());
    if (kept_ != nullptr) take_times();
    std::stable_sort(jobs_.begin(), jobs_.end(),
                     [](const job& x, const job& y) { return x.work > y.work; });
  }

  void run(unsigned threads, const progress_callback& progress) {
    std::vector<std::thread> workers;
    for (unsigned i = 0; i < std::max(1U, threads); ++i) {
      workers.emplace_back([&] { work(progress); });
    }
    for (std::thread& each : workers) each.join();
    if (failure_) std::rethrow_exception(failure_);
  }

  /// Whether the row has points, and all are simulated here, or were.
  bool has(const planned_row& wanted) const {
    return !wanted.points.empty() &&
           std::all_of(wanted.points.begin(), wanted.points.end(), [&](const point& each) {
             const std::size_t i = index_of(each);
             return i < points_.size() && points_[i].has_seeds(each.seeds);
           });
  }

  point_result result(const point& wanted) const {
    const std::size_t i = index_of(wanted);
    point_result found = empty_result(experiments_[i]);
    for (const std::uint64_t seed : wanted.seeds) {
      const std::vector<std::uint64_t>& seeds = points_[i].seeds;
      const auto at = std::find(seeds.begin(), seeds.end(), seed) - seeds.begin();
      const run_outcome& run = results_[i][static_cast<std::size_t>(at)];
      found.add(run.statistics, run.steady);
    }
    return found;
  }

 private:
  std::size_t index_of(const point& wanted) const {
    const auto found = std::find_if(points_.begin(), points_.end(),
                                    [&](const point& each) { return each.same_machine(wanted); });
    return static_cast<std::size_t>(found - points_.begin());
  }

  /// Whether all runs of the row are there from before, so that it costs nothing.
  bool was_kept(const planned_row& row, const locations& where) const {
    if (kept_ == nullptr || row.points.empty()) return false;
    return std::all_of(row.points.begin(), row.points.end(), [&](const point& each) {
      const experiment what = experiment_at(each, where);
      if (!can_keep(each, what)) return false;
      const json_value configuration = what.configuration();
      return std::all_of(each.seeds.begin(), each.seeds.end(), [&](std::uint64_t seed) {
        return kept_->find(configuration, seed).has_value();
      });
    });
  }

  /// Adds the point, or its seeds to the same machine with others.
  void want(const point& wanted, const locations& where) {
    const std::size_t known = index_of(wanted);
    if (known < points_.size()) {
      points_[known].add_seeds(wanted.seeds);
      return;
    }
    points_.push_back(wanted);
    experiments_.push_back(experiment_at(wanted, where));
  }

  static experiment experiment_at(const point& wanted, const locations& where) {
    experiment_file file =
        load_experiments(where.preset_of(wanted), located(wanted.sets, where.root));
    std::vector<experiment>& all = file.experiments;
    all.erase(std::remove_if(all.begin(), all.end(),
                             [&](const experiment& each) { return each.series != wanted.series; }),
              all.end());
    if (all.size() != 1) {
      throw error(wanted.preset + " has " + std::to_string(all.size()) + " points" +
                  (wanted.series.empty() ? std::string() : " of the series " + wanted.series) +
                  ", but a row of the validation measures presets of one");
    }
    return std::move(all.front());
  }

  static bool is_ultracomputer(const experiment& what) {
    return what.machine->platform() == ultracomputer_model::name;
  }

  static point_result empty_result(const experiment& what) {
    if (!is_ultracomputer(what)) return point_result(0, 0);
    const ultracomputer_config& machine = ultracomputer_in(what.machine);
    return point_result(machine.network.stages(), machine.memory.latency);
  }

  /// Polling leaves most switches idle; spread traffic does not.
  static double work_of(const experiment& what) {
    if (!is_ultracomputer(what)) return relative_cost(what);
    const ultracomputer_config& machine = ultracomputer_in(what.machine);
    const omega_network_config& network = machine.network;
    const double switches = network.processing_elements / 2.0 * network.stages();
    const double activity = 1 + 4 * (1 - machine.workload.traffic.hot_spot);
    return switches * static_cast<double>(what.run.warmup + what.run.cycles) * activity;
  }

  /// Turns the work of the jobs into seconds, if any is known from the last time: programs take far
  /// longer than their switches and cycles say.
  void take_times() {
    std::vector<std::optional<double>> times;
    double work = 0;
    double seconds = 0;
    for (const job& each : jobs_) {
      const point& where = points_[each.point];
      times.push_back(
          kept_->seconds_of(experiments_[each.point].configuration(), where.seeds[each.seed]));
      if (!times.back()) continue;
      work += each.work;
      seconds += *times.back();
    }
    if (seconds == 0) return;
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      jobs_[i].work = times[i] ? *times[i] : jobs_[i].work * seconds / work;
    }
  }

  void work(const progress_callback& progress) {
    while (true) {
      const std::size_t next = next_++;
      if (next >= jobs_.size()) return;
      try {
        simulate(jobs_[next]);
      } catch (...) {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (!failure_) failure_ = std::current_exception();
        next_ = jobs_.size();
        return;
      }
      const std::lock_guard<std::mutex> lock(mutex_);
      done_work_ += jobs_[next].work;
      if (progress) progress(++done_, jobs_.size(), done_work_ / total_work());
    }
  }

  /// A trace's events are not in the configuration, only its file's name. Runs of FLASH take
  /// milliseconds, and its code is not in the digest of what simulates.
  bool can_keep(const point& where, const experiment& what) const {
    return kept_ != nullptr && is_ultracomputer(what) &&
           std::none_of(where.sets.begin(), where.sets.end(),
                        [](const std::string& each) { return each.rfind(trace_key, 0) == 0; });
  }

  bool take_kept(const job& what) {
    const point& where = points_[what.point];
    if (!can_keep(where, experiments_[what.point])) return false;
    std::optional<run_outcome> found =
        kept_->find(experiments_[what.point].configuration(), where.seeds[what.seed]);
    if (!found) return false;
    results_[what.point][what.seed] = std::move(*found);
    return true;
  }

  void simulate(const job& what) {
    const point& where = points_[what.point];
    const std::uint64_t seed = where.seeds[what.seed];
    try {
      const auto begin = std::chrono::steady_clock::now();
      const run_result result = run_experiment(experiments_[what.point], seed);
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
      run_outcome& outcome = results_[what.point][what.seed];
      outcome = {result.statistics.flatten(), result.steady, took.count()};
      if (can_keep(where, experiments_[what.point])) {
        kept_->keep(experiments_[what.point].configuration(), seed, outcome);
      }
    } catch (const error& problem) {
      throw error(where.to_json().to_text(0) + ": " + problem.what());
    }
  }

  double total_work() const {
    return std::accumulate(jobs_.begin(), jobs_.end(), 0.0,
                           [](double sum, const job& each) { return sum + each.work; });
  }

  const kept_runs* kept_;
  std::vector<point> points_;
  std::vector<experiment> experiments_;
  std::vector<job> jobs_;
  std::vector<std::vector<run_outcome>> results_;  // by point and seed
  std::atomic<std::size_t> next_{0};
  std::mutex mutex_;
  std::size_t done_ = 0;
  double done_work_ = 0;
  std::exception_ptr failure_;
};

bool is_left_out(const planned_row& planned, const campaign& measured, bool full) {
  return planned.only_full && !full && !measured.has(planned);
}

/// Tells of each row that is measured on blocks before it is.
class block_rows {
 public:
  block_rows(const std::vector<planned_row>& rows, const campaign& measured, bool full,
             const row_callback& next)
      : next_(next) {
    for (const planned_row& each : rows) {
      if (each.points.empty() && !is_left_out(each, measured, full)) ++all_;
    }
  }
  void begin(const planned_row& planned) {
    if (planned.points.empty() && next_) next_(planned.shape.id, ++begun_, all_);
  }

 private:
  const row_callback& next_;
  std::size_t all_ = 0;
  std::size_t begun_ = 0;
};

row finish(const planned_row& planned, const campaign& measured, bool full, block_rows& blocks) {
  row finished = unmeasured(planned);
  if (is_left_out(planned, measured, full)) return finished;
  finished.state = row_state::measured;
  std::vector<point_result> results;
  results.reserve(planned.points.size());
  point_results pointers;
  for (const point& each : planned.points) {
    results.push_back(measured.result(each));
    pointers.push_back(&results.back());
  }
  blocks.begin(planned);
  finished.measured = planned.measure(pointers);
  const bool decided = std::all_of(results.begin(), results.end(),
                                   [](const point_result& each) { return each.steady(); });
  if (!decided) finished.state = row_state::undecided;
  return finished;
}

}  // namespace

point& point::with(const std::string& assignment) {
  sets.insert(std::upper_bound(sets.begin(), sets.end(), assignment), assignment);
  return *this;
}

point& point::with(const std::vector<std::string>& assignments) {
  for (const std::string& each : assignments) with(each);
  return *this;
}

void point::add_seeds(const std::vector<std::uint64_t>& more) {
  for (const std::uint64_t seed : more) {
    if (std::find(seeds.begin(), seeds.end(), seed) == seeds.end()) seeds.push_back(seed);
  }
}

bool point::has_seeds(const std::vector<std::uint64_t>& wanted) const {
  return std::all_of(wanted.begin(), wanted.end(), [&](std::uint64_t seed) {
    return std::find(seeds.begin(), seeds.end(), seed) != seeds.end();
  });
}

point& point::elements(double processing_elements) {
  return with("network.processing_elements=" +
              std::to_string(static_cast<std::uint64_t>(processing_elements)));
}

point& point::seeded(std::uint64_t count) {
  seeds.resize(count);
  std::iota(seeds.begin(), seeds.end(), std::uint64_t{1});
  return *this;
}

point& point::of_series(std::string name) {
  series = std::move(name);
  return *this;
}

json_value point::to_json() const {
  json_value object = json_value::make_object();
  if (!platform.empty()) object.set("platform", json_value(platform));
  object.set("preset", json_value(preset));
  if (!series.empty()) object.set("series", json_value(series));
  json_value list = json_value::make_array();
  for (const std::string& each : sets) list.push_back(json_value(each));
  object.set("set", list);
  json_value numbers = json_value::make_array();
  for (const std::uint64_t seed : seeds) numbers.push_back(json_value(seed));
  object.set("seeds", numbers);
  return object;
}

std::string locations::preset_of(const point& what) const {
  const std::string folder =
      what.platform.empty() ? presets : root + "/platforms/" + what.platform + "/presets";
  return folder + "/" + what.preset;
}

std::vector<double> point_result::each(const std::string& path) const {
  std::vector<double> values;
  for (const auto& statistics : seeds_) values.push_back(find_statistic(statistics, path));
  return values;
}

double point_result::mean(const std::string& path) const {
  const std::vector<double> values = each(path);
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double point_result::from_memory(unsigned stage, const std::string& name) const {
  return mean("network.stage." + std::to_string(stages_ - 1 - stage) + "." + name);
}

double point_result::total_combining_rate() const {
  double sum = 0;
  for (unsigned stage = 0; stage < stages_; ++stage) sum += combining_rate(stage);
  return sum;
}

row unmeasured(const planned_row& planned) {
  row shape = planned.shape;
  if (!planned.points.empty()) {
    shape.configuration = json_value::make_array();
    for (const point& each : planned.points) shape.configuration.push_back(each.to_json());
  }
  shape.state = row_state::not_measured;
  return shape;
}

std::vector<row> measure(const std::vector<planned_row>& rows, const locations& where,
                         unsigned threads, const progress_callback& progress, bool full,
                         const kept_runs* kept, const row_callback& next) {
  campaign everything(rows, where, full, kept);
  everything.run(threads, progress);
  std::vector<row> finished;
  finished.reserve(rows.size());
  block_rows blocks(rows, everything, full, next);
  for (const planned_row& each : rows) finished.push_back(finish(each, everything, full, blocks));
  return finished;
}

}  // namespace tributary::validation
