// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/gauss.h>

#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include <tributary/algorithms/application_process.h>
#include <tributary/memory/line.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>
#include <tributary/sim/random_stream.h>

namespace tributary {
namespace {

constexpr std::uint32_t line_words = application_process::line_words;

/// Coefficients of an equation, and behind them its right side.
using equation = std::vector<double>;

/// The value of an unknown, of which the right sides are made.
double made_of(std::uint32_t unknown) { return 1 + unknown % 7; }

/// Coefficients between -1 and 1, and a diagonal that is greater than the sum of all others.
equation first_equation(const gauss_config& config, std::uint32_t number) {
  random_stream draws(config.system, number, purpose::placement);
  equation made(config.equations + 1);
  for (std::uint32_t i = 0; i < config.equations; ++i) {
    made[i] = static_cast<double>(draws.next_u32()) / 0x1p31 - 1;
  }
  made[number] += config.equations + 1;
  for (std::uint32_t i = 0; i < config.equations; ++i) {
    made[config.equations] += made[i] * made_of(i);
  }
  return made;
}

/// Changes an equation by one above it, so that it has unknown `pivot` no more.
void eliminate(equation& changed, const equation& by, std::uint32_t pivot) {
  const double factor = changed[pivot] / by[pivot];
  for (std::size_t i = pivot; i < by.size(); ++i) changed[i] -= factor * by[i];
}

/// Of an equation in which all later unknowns are at the right side.
double solve(const equation& of, std::uint32_t unknown) { return of.back() / of[unknown]; }

/// The unknowns, as one processor finds them.
std::vector<double> solve(const gauss_config& config) {
  std::vector<equation> all;
  for (std::uint32_t i = 0; i < config.equations; ++i) all.push_back(first_equation(config, i));
  for (std::uint32_t pivot = 0; pivot < config.equations; ++pivot) {
    for (std::uint32_t i = pivot + 1; i < config.equations; ++i) {
      eliminate(all[i], all[pivot], pivot);
    }
  }
  std::vector<double> found(config.equations);
  for (std::uint32_t pivot = config.equations; pivot-- > 0;) {
    found[pivot] = solve(all[pivot], pivot);
    for (std::uint32_t i = 0; i < pivot; ++i) all[i].back() -= all[i][pivot] * found[pivot];
  }
  return found;
}

/// What each process's part of the region "local" holds: words that barriers use, its unknowns, and
/// its rows, each from a line of its own on.
class gauss_layout {
 public:
  gauss_layout(std::uint32_t equations, std::uint32_t processes)
      : processes_(processes),
        each_((equations + processes - 1) / processes),
        row_words_(in_lines(equations + 1)) {}

  std::uint32_t owner(std::uint32_t row) const { return row % processes_; }
  std::uint64_t unknown(std::uint32_t number) const { return barrier_words + number / processes_; }
  std::uint64_t row(std::uint32_t number) const {
    return barrier_words + in_lines(each_) + number / processes_ * row_words_;
  }
  std::uint64_t words() const { return barrier_words + in_lines(each_) + each_ * row_words_; }

 private:
  static constexpr std::uint64_t barrier_words = 64;
  static std::uint64_t in_lines(std::uint64_t words) {
    return (words + most_line_words - 1) / most_line_words * most_line_words;
  }

  std::uint32_t processes_;
  std::uint32_t each_;
  std::uint64_t row_words_;
};

class gauss_process {
 public:
  gauss_process(program_context& context, const gauss_config& config,
                const kept_synchronization& machine)
      : context_(context),
        config_(config),
        layout_(config.equations, context.size()),
        meeting_(make_barrier(barrier_choice(config.barrier), context, memory_place{}, machine)) {
    for (std::uint32_t i = context.rank(); i < config.equations; i += context.size()) {
      rows_.push_back(first_equation(config, i));
    }
  }

  void run() {
    meeting_->cross();
    const cycle_t begin = context_.now();
    for (std::uint32_t pivot = 0; pivot < config_.equations; ++pivot) eliminate_by(pivot);
    for (std::uint32_t pivot = config_.equations; pivot-- > 0;) find(pivot);
    context_.sample("time", context_.now() - begin);
  }

  /// Throws `simulation_error` if this process's unknowns are not these.
  void compare(const std::vector<double>& with) const {
    constexpr double near = 1e-6;
    for (std::uint32_t i = context_.rank(); i < config_.equations; i += context_.size()) {
      const double found = double_of(context_.load(unknown_address(i)));
      if (found == with[i] && std::abs(found - made_of(i)) < near) continue;
      throw simulation_error(fmt::format(
          "unknown {} is {}, not what one processor computes, {}, or not near {}; a row was read "
          "too early or late",
          i, found, with[i], made_of(i)));
    }
  }

 private:
  bool owns(std::uint32_t row) const { return layout_.owner(row) == context_.rank(); }
  equation& own(std::uint32_t row) { return rows_[row / context_.size()]; }
  std::uint64_t address(std::uint32_t row, std::uint32_t column) const {
    return context_.local_address(pe_id{layout_.owner(row)}, layout_.row(row) + column);
  }
  std::uint64_t unknown_address(std::uint32_t number) const {
    return context_.local_address(pe_id{layout_.owner(number)}, layout_.unknown(number));
  }

  /// The first of this process's rows behind `pivot`.
  std::uint32_t first_behind(std::uint32_t pivot) const {
    const std::uint32_t row = pivot / context_.size() * context_.size() + context_.rank();
    return row > pivot ? row : row + context_.size();
  }

  void eliminate_by(std::uint32_t pivot) {
    if (owns(pivot)) {
      for (std::uint32_t i = pivot; i <= config_.equations; ++i) {
        context_.store(address(pivot, i), word_of(own(pivot)[i]));
      }
    }
    meeting_->cross();
    const std::uint32_t first = first_behind(pivot);
    if (first >= config_.equations) return;
    const equation by = compute_and_load(pivot);
    eliminate(own(first), by, pivot);
    for (std::uint32_t i = first + context_.size(); i < config_.equations; i += context_.size()) {
      eliminate(own(i), by, pivot);
      context_.delay(config_.element_cycles * (config_.equations + 1 - pivot));
    }
  }

  /// Computes the change of a row, and loads that of the pivot: line by line as it is needed, or
  /// before.
  equation compute_and_load(std::uint32_t pivot) {
    const bool at_once = config_.reading == remote_reading::copied;
    const std::uint32_t end = config_.equations + 1;
    equation by(end);
    for (std::uint32_t i = pivot; i < end;) {
      const std::uint32_t first = i;
      do {
        by[i] = double_of(context_.load(address(pivot, i)));
      } while (++i < end && (at_once || i % line_words != 0));
      context_.delay(config_.element_cycles * (i - first));
    }
    return by;
  }

  void find(std::uint32_t pivot) {
    if (owns(pivot)) {
      context_.store(unknown_address(pivot), word_of(solve(own(pivot), pivot)));
      context_.delay(config_.element_cycles);
    }
    meeting_->cross();
    if (context_.rank() >= pivot) return;
    const double found = double_of(context_.load(unknown_address(pivot)));
    std::uint64_t changed = 0;
    for (std::uint32_t i = context_.rank(); i < pivot; i += context_.size(), ++changed) {
      own(i).back() -= own(i)[pivot] * found;
    }
    context_.delay(config_.element_cycles * changed);
  }

  program_context& context_;
  const gauss_config& config_;
  gauss_layout layout_;
  std::unique_ptr<barrier> meeting_;
  std::vector<equation> rows_;  // its own
};

class gauss_program final : public program {
 public:
  gauss_program(const gauss_config& config, const kept_synchronization& machine)
      : config_(config), machine_(machine) {}

  void run(program_context& context) override {
    gauss_process process(context, config_, machine_);
    process.run();
    if (!expected_) expected_ = solve(config_);
    process.compare(*expected_);
  }

 private:
  gauss_config config_;
  kept_synchronization machine_;
  std::optional<std::vector<double>> expected_;
};

void refuse(const std::string& problem, const std::string& allowed, const std::string& advice) {
  throw configuration_error({"workload.program.gauss.equations", "", problem, allowed, advice});
}

}  // namespace

void gauss_config::bind(parameter_set& parameters) {
  using u64 = interval<std::uint64_t>;
  parameters.add("equations", equations, interval<std::uint32_t>{2, 1U << 14U}, "equations",
                 "Equations, and unknowns (Falsafi and Wood, Table 1: 960).");
  parameters.add("element_cycles", element_cycles, u64{0, 1000000}, "cycles",
                 "That a processor computes to change an element of the matrix (fitted to Table 2, "
                 "Single by Fixed at 1 us).");
  parameters.add_choice("reading", reading, remote_readings(),
                        "When a process reads the pivot's row: while it changes the first of its "
                        "own, or before (not published).");
  parameters.add_choice("barrier", barrier, barrier_algorithms(), "Where processes meet.");
  parameters.add("system", system, u64{0, std::uint64_t{1} << 62U}, "",
                 "Names the system of equations, whatever the seed of a run.");
}

std::unique_ptr<program> make_gauss_program(const gauss_config& config, const address_map& map,
                                            const kept_synchronization& machine) {
  const std::uint32_t processes = map.modules() * machine.processes;
  check_barrier("workload.program.gauss", barrier_choice(config.barrier), machine);
  if (config.equations < processes) {
    refuse(fmt::format("{} processes cannot all have a row of {}", processes, config.equations),
           fmt::format("at least {}", processes), "raise it");
  }
  const std::uint64_t words = gauss_layout(config.equations, processes).words();
  const std::uint64_t there = local_words(map.rows(*map.region_named("local")), machine.processes);
  if (words > there) {
    refuse(fmt::format("they need {} words of the region local of a process", words),
           fmt::format("as many as need {}", there), "choose fewer, or larger memories");
  }
  return std::make_unique<gauss_program>(config, machine);
}

}  // namespace tributary
