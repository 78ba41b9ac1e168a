// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/appbt.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include <tributary/algorithms/appbt_model.h>
#include <tributary/algorithms/application_process.h>
#include <tributary/memory/line.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

namespace tributary {
namespace {

using appbt::components;
using appbt::directions;
using appbt::eliminated;
using appbt::extent;
using appbt::values;

constexpr std::uint64_t eliminated_words = components * components + components;

// The other two directions, by which the lines of one are counted.
constexpr std::size_t rows_of(std::size_t direction) { return (direction + 1) % directions; }
constexpr std::size_t columns_of(std::size_t direction) { return (direction + 2) % directions; }

/// How many boxes the cube has in each direction, so that faces are small: most in the last one,
/// where neighbours follow each other.
extent boxes_of(std::uint32_t processes) {
  extent best{1, 1, processes};
  for (std::uint32_t x = 1; x * x * x <= processes; ++x) {
    if (processes % x != 0) continue;
    for (std::uint32_t y = x; x * y * y <= processes; ++y) {
      if (processes / x % y != 0) continue;
      const extent found{x, y, processes / x / y};
      if (found[0] + found[1] + found[2] < best[0] + best[1] + best[2]) best = found;
    }
  }
  return best;
}

/// Which box a process has.
class appbt_share {
 public:
  appbt_share(std::uint32_t points, std::uint32_t processes, std::uint32_t rank)
      : boxes_(boxes_of(processes)) {
    for (std::size_t i = directions; i-- > 0;) {
      place_[i] = rank % boxes_[i];
      rank /= boxes_[i];
      first_[i] = points * place_[i] / boxes_[i];
      size_[i] = points * (place_[i] + 1) / boxes_[i] - first_[i];
    }
  }

  const extent& first() const { return first_; }
  const extent& size() const { return size_; }
  bool is_first(std::size_t direction) const { return place_[direction] == 0; }
  bool is_last(std::size_t direction) const { return place_[direction] + 1 == boxes_[direction]; }
  /// The process before or behind this one.
  pe_id neighbour(std::size_t direction, bool behind) const {
    extent there = place_;
    there[direction] += behind ? 1U : -1U;
    return pe_id{(there[0] * boxes_[1] + there[1]) * boxes_[2] + there[2]};
  }

 private:
  extent boxes_;
  extent place_{};
  extent first_{};
  extent size_{};
};

/// What each process's part of the region "local" holds: words that barriers use, and of each
/// direction its two faces, what elimination leaves at the last one, changes at the first one, and
/// locks of both; from a line of its own on each group of lines, and each lock. The same for boxes
/// of all sizes.
class appbt_layout {
 public:
  appbt_layout(const appbt_config& config, std::uint32_t processes)
      : lock_lines_(config.lock_lines), face_words_(config.face_words) {
    const extent boxes = boxes_of(processes);
    extent most{};
    for (std::size_t i = 0; i < directions; ++i) {
      most[i] = (config.points + boxes[i] - 1) / boxes[i];
    }
    std::uint64_t next = barrier_words;
    for (std::size_t i = 0; i < directions; ++i) {
      const std::uint64_t lines = std::uint64_t{most[rows_of(i)]} * most[columns_of(i)];
      next = put(of_[i], next, lines);
    }
    words_ = next;
  }

  std::uint64_t words() const { return words_; }
  std::uint64_t face(std::size_t direction, bool last, std::uint64_t line) const {
    return of_[direction].faces[last ? 1 : 0] + line * face_words_;
  }
  std::uint64_t lock(std::size_t direction, bool forward, std::uint64_t line) const {
    return of_[direction].locks[forward ? 0 : 1] + line / lock_lines_ * most_line_words;
  }
  std::uint64_t record(std::size_t direction, bool forward, std::uint64_t line) const {
    const std::uint64_t words = forward ? eliminated_words : components;
    return of_[direction].records[forward ? 0 : 1] +
           line / lock_lines_ * in_lines(lock_lines_ * words) + line % lock_lines_ * words;
  }

 private:
  static constexpr std::uint64_t barrier_words = 64;
  static std::uint64_t in_lines(std::uint64_t words) {
    return (words + most_line_words - 1) / most_line_words * most_line_words;
  }

  struct direction_place {
    std::array<std::uint64_t, 2> faces{};
    std::array<std::uint64_t, 2> records{};  // forward, back
    std::array<std::uint64_t, 2> locks{};
  };

  /// Puts what a direction with so many lines has from `next` on; gives the first word behind it.
  std::uint64_t put(direction_place& of, std::uint64_t next, std::uint64_t lines) const {
    const std::uint64_t groups = (lines + lock_lines_ - 1) / lock_lines_;
    const auto take = [&next](std::uint64_t words) {
      const std::uint64_t at = next;
      next += in_lines(words);
      return at;
    };
    for (std::uint64_t& each : of.faces) each = take(lines * face_words_);
    of.records[0] = take(groups * in_lines(lock_lines_ * eliminated_words));
    of.records[1] = take(groups * in_lines(lock_lines_ * components));
    for (std::uint64_t& each : of.locks) each = take(groups * most_line_words);
    return next;
  }

  std::uint64_t lock_lines_;
  std::uint64_t face_words_;
  std::array<direction_place, directions> of_;
  std::uint64_t words_ = 0;
};

class appbt_process {
 public:
  appbt_process(program_context& context, const appbt_config& config,
                const kept_synchronization& machine)
      : context_(context),
        config_(config),
        rest_(config.spin_locks ? std::nullopt : machine.rest),
        share_(config.points, context.size(), context.rank()),
        layout_(config, context.size()),
        meeting_(make_barrier(barrier_choice(config.barrier), context, memory_place{}, machine)),
        box_(config.points, share_.first(), share_.size()) {}

  void run() {
    store_faces();
    meeting_->cross();
    iterate();
    const cycle_t begin = context_.now();
    for (std::uint32_t i = 0; i < config_.iterations; ++i) iterate();
    context_.sample("time", context_.now() - begin);
  }

  /// Throws `simulation_error` if what flows in its box is not this.
  void compare(const appbt::box& with) const {
    const extent& first = share_.first();
    for (std::uint32_t x = 0; x < share_.size()[0]; ++x) {
      for (std::uint32_t y = 0; y < share_.size()[1]; ++y) {
        for (std::uint32_t z = 0; z < share_.size()[2]; ++z) {
          if (box_.at(x, y, z) == with.at(first[0] + x, first[1] + y, first[2] + z)) continue;
          throw simulation_error(fmt::format(
              "point ({}, {}, {}) is not what one processor computes; a neighbour's was read too "
              "early or late",
              first[0] + x, first[1] + y, first[2] + z));
        }
      }
    }
  }

 private:
  std::uint32_t size(std::size_t direction) const { return share_.size()[direction]; }
  std::uint32_t lines(std::size_t direction) const {
    return size(rows_of(direction)) * size(columns_of(direction));
  }
  /// The first or last point of a line.
  extent end_of(std::size_t direction, std::uint32_t line, bool last) const {
    extent at{};
    at[rows_of(direction)] = line / size(columns_of(direction));
    at[columns_of(direction)] = line % size(columns_of(direction));
    at[direction] = last ? size(direction) - 1 : 0;
    return at;
  }

  bool copies() const { return config_.reading == remote_reading::copied; }

  void iterate() {
    ++iteration_;
    if (copies()) {
      for (std::uint32_t x = 0; x < size(0); ++x) {
        for (std::uint32_t y = 0; y < size(1); ++y) load_beside(x, y);
      }
    }
    for (std::uint32_t x = 0; x < size(0); ++x) {
      for (std::uint32_t y = 0; y < size(1); ++y) find(x, y);
    }
    for (std::size_t direction = 0; direction < directions; ++direction) {
      eliminate(direction);
      substitute(direction);
      meeting_->cross();
    }
    box_.move();
    store_faces();
    meeting_->cross();
  }

  // --- faces

  void store_faces() {
    for (std::size_t direction = 0; direction < directions; ++direction) {
      if (!share_.is_first(direction)) store_face(direction, false);
      if (!share_.is_last(direction)) store_face(direction, true);
    }
  }

  void store_face(std::size_t direction, bool last) {
    for (std::uint32_t line = 0; line < lines(direction); ++line) {
      const extent at = end_of(direction, line, last);
      store(layout_.face(direction, last, line), box_.at(at[0], at[1], at[2]));
    }
  }

  /// How the points of a row would change.
  void find(std::uint32_t x, std::uint32_t y) {
    if (!copies()) load_beside(x, y);
    box_.find(x, y);
    context_.delay(config_.finding_cycles * size(2));
  }

  /// Loads what is next to a row of other boxes.
  void load_beside(std::uint32_t x, std::uint32_t y) {
    for (std::uint32_t z = 0; z < size(2); ++z) {
      const extent at{x, y, z};
      for (std::size_t direction = 0; direction < directions; ++direction) {
        if (at[direction] == 0) load_beside(direction, at, false);
        if (at[direction] + 1 == size(direction)) load_beside(direction, at, true);
      }
    }
  }

  void load_beside(std::size_t direction, const extent& at, bool behind) {
    if (behind ? share_.is_last(direction) : share_.is_first(direction)) return;
    const std::uint32_t line =
        at[rows_of(direction)] * size(columns_of(direction)) + at[columns_of(direction)];
    values found{};
    load(share_.neighbour(direction, behind), layout_.face(direction, !behind, line), found);
    std::array<std::int64_t, directions> there{at[0], at[1], at[2]};
    there[direction] += behind ? 1 : -1;
    box_.set_beside(there[0], there[1], there[2], found);
  }

  // --- wavefronts

  /// Eliminates along all lines of a direction, from the first process to the last.
  void eliminate(std::size_t direction) {
    std::vector<eliminated> before(config_.lock_lines);
    for (std::uint32_t line = 0; line < lines(direction); ++line) {
      if (!share_.is_first(direction)) {
        receive(direction, true, line, [&](pe_id from, std::uint32_t each) {
          before[each % config_.lock_lines] = load_eliminated(from, direction, each);
        });
      }
      const eliminated at = box_.eliminate(direction, end_of(direction, line, false),
                                           before[line % config_.lock_lines]);
      context_.delay(forward_cycles() * size(direction));
      if (!share_.is_last(direction)) pass(direction, line, at);
    }
  }

  /// Before a line is computed: awaits the lock of its group at the first one, and loads what the
  /// neighbour has left of the line, or of the whole group at its first line.
  template <class Load>
  void receive(std::size_t direction, bool forward, std::uint32_t line, const Load& load_line) {
    const pe_id from = share_.neighbour(direction, !forward);
    const bool begins = line % config_.lock_lines == 0;
    if (begins) await(from, direction, forward, line);
    if (!copies()) load_line(from, line);
    if (!copies() || !begins) return;
    const std::uint32_t end = std::min(lines(direction), line + config_.lock_lines);
    for (std::uint32_t each = line; each < end; ++each) load_line(from, each);
  }

  eliminated load_eliminated(pe_id from, std::size_t direction, std::uint32_t line) {
    const std::uint64_t record = layout_.record(direction, true, line);
    eliminated at;
    load(from, record, at.right);
    for (std::size_t i = 0; i < components; ++i) {
      load(from, record + (i + 1) * components, at.coupling[i]);
    }
    return at;
  }

  void pass(std::size_t direction, std::uint32_t line, const eliminated& at) {
    const std::uint64_t record = layout_.record(direction, true, line);
    store(record, at.right);
    for (std::size_t i = 0; i < components; ++i) {
      store(record + (i + 1) * components, at.coupling[i]);
    }
    release(direction, true, line);
  }

  /// Finds the changes along all lines, from the last process to the first.
  void substitute(std::size_t direction) {
    std::vector<values> behind(config_.lock_lines);
    for (std::uint32_t line = 0; line < lines(direction); ++line) {
      if (!share_.is_last(direction)) {
        receive(direction, false, line, [&](pe_id from, std::uint32_t each) {
          load(from, layout_.record(direction, false, each), behind[each % config_.lock_lines]);
        });
      }
      const values change = box_.substitute(direction, end_of(direction, line, false),
                                            behind[line % config_.lock_lines]);
      context_.delay((config_.solving_cycles - forward_cycles()) * size(direction));
      if (share_.is_first(direction)) continue;
      store(layout_.record(direction, false, line), change);
      release(direction, false, line);
    }
  }

  std::uint64_t forward_cycles() const {
    return config_.solving_cycles - config_.solving_cycles / 8;
  }

  // --- locks: their words count how often they were released, so that no process takes them back

  /// Waits until the owner of a lock has released it.
  void await(pe_id owner, std::size_t direction, bool forward, std::uint32_t line) {
    const std::uint64_t lock =
        context_.local_address(owner, layout_.lock(direction, forward, line));
    const auto is_released = [this](word_t seen) { return seen >= iteration_; };
    if (!rest_) {
      context_.spin(lock, is_released);
      return;
    }
    if (is_released(context_.load(lock))) return;
    context_.store(*rest_, 1);
    context_.spin(lock, is_released);
    context_.store(*rest_, 0);
  }

  /// Releases the lock of a group behind its last line.
  void release(std::size_t direction, bool forward, std::uint32_t line) {
    const bool is_last = (line + 1) % config_.lock_lines == 0 || line + 1 == lines(direction);
    if (!is_last) return;
    context_.store(context_.local_address(layout_.lock(direction, forward, line)), iteration_);
  }

  void load(pe_id owner, std::uint64_t word, values& into) {
    for (std::size_t i = 0; i < components; ++i) {
      into[i] = double_of(context_.load(context_.local_address(owner, word + i)));
    }
  }
  void store(std::uint64_t word, const values& from) {
    for (std::size_t i = 0; i < components; ++i) {
      context_.store(context_.local_address(word + i), word_of(from[i]));
    }
  }

  program_context& context_;
  const appbt_config& config_;
  std::optional<std::uint64_t> rest_;  // where it rests at locks
  appbt_share share_;
  appbt_layout layout_;
  std::unique_ptr<barrier> meeting_;
  appbt::box box_;
  word_t iteration_ = 0;
};

class appbt_program final : public program {
 public:
  appbt_program(const appbt_config& config, const kept_synchronization& machine)
      : config_(config), machine_(machine) {}

  void run(program_context& context) override {
    appbt_process process(context, config_, machine_);
    process.run();
    if (!expected_) expected_ = appbt::simulate(config_.points, config_.iterations + 1);
    process.compare(*expected_);
  }

 private:
  appbt_config config_;
  kept_synchronization machine_;
  std::optional<appbt::box> expected_;
};

void refuse(const std::string& problem, const std::string& allowed, const std::string& advice) {
  throw configuration_error({"workload.program.appbt.points", "", problem, allowed, advice});
}

}  // namespace

void appbt_config::bind(parameter_set& parameters) {
  using u32 = interval<std::uint32_t>;
  using u64 = interval<std::uint64_t>;
  parameters.add("points", points, u32{2, 256}, "points",
                 "Points of a side of the cube (Falsafi and Wood, Table 1: 24).");
  parameters.add("iterations", iterations, u32{1, 1U << 20U}, "",
                 "Iterations, behind a first one that is not measured (Table 1: 12).");
  parameters.add("finding_cycles", finding_cycles, u64{0, 1000000}, "cycles",
                 "That a processor computes for a point in an iteration, but for eliminations "
                 "(fitted to Table 2, Single by Fixed at 1 us).");
  parameters.add("solving_cycles", solving_cycles, u64{0, 1000000}, "cycles",
                 "That a processor computes for a point in each of the three eliminations (fitted "
                 "to the same).");
  parameters.add(
      "face_words", face_words, u32{components, 64}, "words",
      "From one point of a face to the next: 5 lie close together; of 16, each point has "
      "a block of its own (not published).");
  parameters.add_choice("reading", reading, remote_readings(),
                        "When a process reads faces, and what elimination leaves at them: line by "
                        "line while it computes, or before (not published).");
  parameters.add("lock_lines", lock_lines, u32{1, 1U << 16U}, "lines",
                 "Lines of points at a face that share a lock (not published).");
  parameters.add("spin_locks", spin_locks,
                 "Whether a processor that waits at a lock spins, and must be interrupted (section "
                 "6.2); else it rests, as at a barrier.");
  parameters.add_choice("barrier", barrier, barrier_algorithms(), "Where processes meet.");
}

std::unique_ptr<program> make_appbt_program(const appbt_config& config, const address_map& map,
                                            const kept_synchronization& machine) {
  const std::uint32_t processes = map.modules() * machine.processes;
  check_barrier("workload.program.appbt", barrier_choice(config.barrier), machine);
  const extent boxes = boxes_of(processes);
  const std::uint32_t most = *std::max_element(boxes.begin(), boxes.end());
  if (config.points < most) {
    refuse(fmt::format("{} processes have {} x {} x {} boxes of {} points a side", processes,
                       boxes[0], boxes[1], boxes[2], config.points),
           fmt::format("at least {}", most), "raise it, or run other numbers of processes");
  }
  const std::uint64_t words = appbt_layout(config, processes).words();
  const std::uint64_t there = local_words(map.rows(*map.region_named("local")), machine.processes);
  if (words > there) {
    refuse(fmt::format("they need {} words of the region local of a process", words),
           fmt::format("as many as need {}", there),
           "choose fewer, lower lock_lines or face_words, or larger memories");
  }
  return std::make_unique<appbt_program>(config, machine);
}

}  // namespace tributary
