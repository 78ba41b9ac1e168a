// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/tomcatv.h>

#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include <tributary/algorithms/application_process.h>
#include <tributary/algorithms/tomcatv_model.h>
#include <tributary/memory/line.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

namespace tributary {
namespace {

using tomcatv::greatest;

constexpr auto line_words = static_cast<std::uint32_t>(application_process::line_words);

/// What each process's part of the region "local" holds: words that barriers use, the greatest
/// values of what is missing, and the coordinates of its first row and of its last one, each from a
/// line of its own on.
class tomcatv_layout {
 public:
  explicit tomcatv_layout(std::uint32_t points)
      : row_words_((std::uint64_t{points} + most_line_words - 1) / most_line_words *
                   most_line_words) {}

  static std::uint64_t greatest_x() { return barrier_words; }
  static std::uint64_t greatest_y() { return barrier_words + 1; }
  std::uint64_t x(bool last) const { return first + (last ? 2 : 0) * row_words_; }
  std::uint64_t y(bool last) const { return x(last) + row_words_; }
  std::uint64_t words() const { return first + 4 * row_words_; }

 private:
  static constexpr std::uint64_t barrier_words = 64;
  static constexpr std::uint64_t first = barrier_words + most_line_words;

  std::uint64_t row_words_;
};

/// Processes own as many rows, or one more.
std::uint32_t first_row(std::uint32_t points, std::uint32_t process, std::uint32_t processes) {
  return static_cast<std::uint32_t>(std::uint64_t{points} * process / processes);
}

class tomcatv_process {
 public:
  tomcatv_process(program_context& context, const tomcatv_config& config,
                  const kept_synchronization& machine)
      : context_(context),
        config_(config),
        layout_(config.points),
        meeting_(make_barrier(barrier_choice(config.barrier), context, memory_place{}, machine)),
        first_(first_row(config.points, context.rank(), context.size())),
        each_(first_row(config.points, context.rank() + 1, context.size()) - first_),
        changes_(each_) {
    for (std::uint32_t i = 0; i < each_; ++i) {
      rows_.push_back(tomcatv::initial(first_ + i, config.points));
    }
    above_ = rows_.front();
    below_ = rows_.front();
  }

  void run() {
    store_row(false);
    store_row(true);
    meeting_->cross();
    iterate();
    const cycle_t begin = context_.now();
    for (std::uint32_t i = 0; i < config_.iterations; ++i) iterate();
    context_.sample("time", context_.now() - begin);
  }

  /// Throws `simulation_error` if this process's rows, or the greatest values, are not these.
  void compare(const tomcatv::outcome& with) const {
    for (std::uint32_t i = 0; i < each_; ++i) {
      const tomcatv::row& expected = with.rows[first_ + i];
      if (rows_[i].x == expected.x && rows_[i].y == expected.y) continue;
      throw simulation_error(fmt::format(
          "row {} is not what one processor computes; a neighbour's was read too early or late",
          first_ + i));
    }
    if (context_.rank() != 0 || missing_ == with.missing) return;
    throw simulation_error("the greatest values are not those that one processor finds");
  }

 private:
  /// Whether the row of that number among this process's is no edge of the mesh.
  bool moves(std::uint32_t row) const {
    const std::uint32_t number = first_ + row;
    return number != 0 && number + 1 != config_.points;
  }

  void iterate() {
    greatest own;
    if (config_.reading == remote_reading::copied) load_edges();
    for (std::uint32_t i = 0; i < each_; ++i) {
      if (moves(i)) own.include(find(i));
    }
    context_.store(context_.local_address(tomcatv_layout::greatest_x()), word_of(own.x));
    context_.store(context_.local_address(tomcatv_layout::greatest_y()), word_of(own.y));
    meeting_->cross();
    if (context_.rank() == 0) find_greatest();
    for (std::uint32_t i = 0; i < each_; ++i) {
      if (!moves(i)) continue;
      changes_[i].solve();
      context_.delay(config_.points * solving_cycles());
    }
    for (std::uint32_t i = 0; i < each_; ++i) {
      if (moves(i)) move(i);
    }
    meeting_->cross();
  }

  // What parts of an iteration take of the cycles of a point: by their operations.
  std::uint64_t solving_cycles() const { return config_.point_cycles / 4; }
  std::uint64_t moving_cycles() const { return config_.point_cycles / 12; }
  std::uint64_t finding_cycles() const {
    return config_.point_cycles - solving_cycles() - moving_cycles();
  }

  void load_edges() {
    if (moves(0)) load_row(above_, context_.rank() - 1, true, 0, config_.points);
    if (moves(each_ - 1)) load_row(below_, context_.rank() + 1, false, 0, config_.points);
  }

  /// Computes a row at a neighbour's, and loads that as far as it is needed.
  void compute_and_load(bool is_first, bool is_last) {
    for (std::uint32_t i = 0; i < config_.points; i += line_words) {
      const std::uint32_t end = std::min(config_.points, i + line_words);
      if (is_first) load_row(above_, context_.rank() - 1, true, i, end);
      if (is_last) load_row(below_, context_.rank() + 1, false, i, end);
      context_.delay((end - i) * finding_cycles());
    }
  }

  /// What is missing in a row.
  greatest find(std::uint32_t row) {
    const bool is_first = row == 0;
    const bool is_last = row + 1 == each_;
    if (config_.reading == remote_reading::as_needed && (is_first || is_last)) {
      compute_and_load(is_first, is_last);
    } else {
      context_.delay(config_.points * finding_cycles());
    }
    return changes_[row].find(is_first ? above_ : rows_[row - 1], rows_[row],
                              is_last ? below_ : rows_[row + 1]);
  }

  void move(std::uint32_t row) {
    changes_[row].move(rows_[row]);
    context_.delay(config_.points * moving_cycles());
    if (row == 0) store_row(false);
    if (row + 1 == each_) store_row(true);
  }

  void load_row(tomcatv::row& into, std::uint32_t owner, bool last, std::uint32_t begin,
                std::uint32_t end) {
    for (std::uint32_t i = begin; i < end; ++i) {
      into.x[i] = load(owner, layout_.x(last) + i);
      into.y[i] = load(owner, layout_.y(last) + i);
    }
  }

  void store_row(bool last) {
    const tomcatv::row& from = last ? rows_.back() : rows_.front();
    for (std::uint32_t i = 0; i < config_.points; ++i) {
      context_.store(context_.local_address(layout_.x(last) + i), word_of(from.x[i]));
      context_.store(context_.local_address(layout_.y(last) + i), word_of(from.y[i]));
    }
  }

  void find_greatest() {
    greatest found;
    for (std::uint32_t i = 0; i < context_.size(); ++i) {
      const double x = load(i, tomcatv_layout::greatest_x());
      const double y = load(i, tomcatv_layout::greatest_y());
      found.include({x, y});
    }
    missing_.push_back(found);
  }

  double load(std::uint32_t owner, std::uint64_t word) {
    return double_of(context_.load(context_.local_address(pe_id{owner}, word)));
  }

  program_context& context_;
  const tomcatv_config& config_;
  tomcatv_layout layout_;
  std::unique_ptr<barrier> meeting_;
  std::uint32_t first_;  // of the rows that it owns
  std::uint32_t each_;   // how many they are
  std::vector<tomcatv::row> rows_;
  std::vector<tomcatv::change> changes_;
  tomcatv::row above_;  // of the neighbours, as they were read
  tomcatv::row below_;
  std::vector<greatest> missing_;  // in each iteration, on process 0
};

class tomcatv_program final : public program {
 public:
  tomcatv_program(const tomcatv_config& config, const kept_synchronization& machine)
      : config_(config), machine_(machine) {}

  void run(program_context& context) override {
    tomcatv_process process(context, config_, machine_);
    process.run();
    if (!expected_) expected_ = tomcatv::simulate(config_.points, config_.iterations + 1);
    process.compare(*expected_);
  }

 private:
  tomcatv_config config_;
  kept_synchronization machine_;
  std::optional<tomcatv::outcome> expected_;
};

void refuse(const std::string& problem, const std::string& allowed, const std::string& advice) {
  throw configuration_error({"workload.program.tomcatv.points", "", problem, allowed, advice});
}

}  // namespace

void tomcatv_config::bind(parameter_set& parameters) {
  using u32 = interval<std::uint32_t>;
  parameters.add("points", points, u32{4, 1U << 14U}, "points",
                 "Points of a side of the mesh (Falsafi and Wood, Table 1: 960).");
  parameters.add("iterations", iterations, u32{1, 1U << 20U}, "",
                 "Iterations, behind a first one that is not measured (Table 1: 10).");
  parameters.add("point_cycles", point_cycles, interval<std::uint64_t>{0, 1000000}, "cycles",
                 "That a processor computes for a point in an iteration (fitted to Table 2, Single "
                 "by Fixed at 1 us).");
  parameters.add_choice(
      "reading", reading, remote_readings(),
      "When a process reads the rows of its neighbours: while it computes its own "
      "next to them, or before (not published).");
  parameters.add_choice("barrier", barrier, barrier_algorithms(), "Where processes meet.");
}

std::unique_ptr<program> make_tomcatv_program(const tomcatv_config& config, const address_map& map,
                                              const kept_synchronization& machine) {
  const std::uint32_t processes = map.modules() * machine.processes;
  check_barrier("workload.program.tomcatv", barrier_choice(config.barrier), machine);
  if (config.points / processes < 2) {
    refuse(fmt::format("{} processes cannot have two or more of {} rows each", processes,
                       config.points),
           fmt::format("at least {}", 2 * processes), "raise it, or run fewer processes");
  }
  const std::uint64_t words = tomcatv_layout(config.points).words();
  const std::uint64_t there = local_words(map.rows(*map.region_named("local")), machine.processes);
  if (words > there) {
    refuse(fmt::format("they need {} words of the region local of a process", words),
           fmt::format("as many as need {}", there), "choose fewer, or larger memories");
  }
  return std::make_unique<tomcatv_program>(config, machine);
}

}  // namespace tributary
