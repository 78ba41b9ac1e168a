// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/water.h>

#include <cstddef>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <tributary/algorithms/application_program.h>
#include <tributary/algorithms/water_model.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

namespace tributary {
namespace {

using water::coordinates;
using water::forces;
using water::liquid;
using water::molecule;
using water::sums;

// Locks of sums, behind those of molecules, and how often a process has them.
enum sum_lock : std::uint32_t { bent_virial, virial, kinetic, potential, sum_locks };
constexpr std::uint32_t acquisitions_a_sweep = 2;
constexpr std::uint32_t acquisitions_a_step = water::axes;
constexpr std::uint32_t acquisitions_at_end = 1;

// Words of a molecule: derivatives, forces, centre. The records lie one behind another, as those of
// SPLASH-2, so that most have lines in common with their neighbours.
constexpr std::uint64_t force_at = water::orders * coordinates;
constexpr std::uint64_t centre_at = force_at + coordinates;
constexpr std::uint64_t record_words = centre_at + water::axes;

// Words of the sums, which share a line on node 0.
enum sum_word : std::uint64_t { virial_word, kinetic_word, potential_word = 4, sum_words };
constexpr std::uint64_t own_rows = application_process::line_words;

/// Molecules of a process: from `first(rank)` to before `first(rank + 1)`.
struct share {
  std::uint32_t molecules;
  std::uint32_t processes;

  std::uint32_t first(std::uint32_t rank) const {
    return static_cast<std::uint32_t>(std::uint64_t{molecules} * rank / processes);
  }
  std::uint32_t owner(std::uint32_t number) const {
    auto rank = static_cast<std::uint32_t>(std::uint64_t{number} * processes / molecules);
    while (first(rank + 1) <= number) ++rank;
    return rank;
  }
  /// Behind the last molecule that the half shells of this process reach, round the end.
  std::uint32_t past_touched(std::uint32_t rank) const {
    if (first(rank) == first(rank + 1)) return first(rank);
    const std::uint32_t last = first(rank + 1) - 1;
    return last + water::partners(last, molecules) + 1;
  }
};

class water_process {
 public:
  static std::uint32_t locks(const water_config& config) { return config.locks + sum_locks; }
  static water::outcome expected(const water_config& config) {
    return water::simulate(config.molecules, config.steps);
  }

  water_process(program_context& context, const water_config& config,
                const kept_synchronization& machine, application_figures& figures)
      : context_(context),
        config_(config),
        liquid_(config.molecules),
        share_{config.molecules, context.size()},
        first_(share_.first(context.rank())),
        past_(share_.first(context.rank() + 1)),
        meeting_(context, config.meeting, machine, locks(config), own_rows, figures),
        changes_(config.molecules) {}

  void run() {
    for (std::uint32_t i = first_; i < past_; ++i) store_all(i, liquid_.initial(i));
    meeting_.cross();
    meeting_.begin_measurement();
    bend_all();
    meeting_.cross();
    sweep();
    accelerate_all();
    meeting_.cross();
    for (std::uint32_t i = 0; i < config_.steps; ++i) step();
    add(potential, potential_word, own_.potential);
    meeting_.cross();
    meeting_.end_of_measurement();
  }

  /// Throws `simulation_error` if this process's molecules, or the sums, are not these.
  void compare(const water::outcome& with) {
    for (std::uint32_t i = first_; i < past_; ++i) compare_molecule(i, with.molecules[i]);
    if (context_.rank() != 0) return;
    sums found;
    found.virial = load_sum(virial_word);
    for (std::size_t axis = 0; axis < water::axes; ++axis) {
      found.kinetic[axis] = load_sum(kinetic_word + axis);
    }
    found.potential = load_sum(potential_word);
    if (found == with.totals) return;
    throw simulation_error(
        "the sums over all molecules are not those of one processor; an addition was lost");
  }

 private:
  void step() {
    if (context_.rank() == 0) {
      for (std::uint64_t i = 0; i < sum_words; ++i) context_.store(sum_address(i), 0);
    }
    meeting_.cross();
    own_ = {};
    for (std::uint32_t i = first_; i < past_; ++i) predict(i);
    bend_all();
    meeting_.cross();
    sweep();
    for (std::uint32_t i = first_; i < past_; ++i) correct(i);
    for (std::size_t axis = 0; axis < water::axes; ++axis) sum_kinetic(axis);
    meeting_.cross();
  }

  // --- what only the owner does

  void predict(std::uint32_t number) {
    molecule moved = load_derivatives(number);
    liquid::predict(moved);
    store_derivatives(number, moved);
  }

  void bend_all() {
    sums bent;
    for (std::uint32_t i = first_; i < past_; ++i) {
      molecule each;
      each.derivatives[0] = load_place(i);
      liquid::bend(each, bent);
      store_words(i, force_at, each.force);
      for (std::size_t axis = 0; axis < water::axes; ++axis) {
        context_.store(address(i, centre_at + axis), word_of(each.centre[axis]));
      }
    }
    own_.potential += bent.potential;
    add(bent_virial, virial_word, bent.virial);
  }

  void accelerate_all() {
    for (std::uint32_t i = first_; i < past_; ++i) {
      molecule each;
      each.force = load_force(i);
      liquid::accelerate(each);
      for (std::size_t at = 0; at < coordinates; ++at) {
        context_.store(address(i, 2 * coordinates + at), word_of(each.derivatives[2][at]));
      }
    }
  }

  void correct(std::uint32_t number) {
    molecule moved = load_derivatives(number);
    moved.force = load_force(number);
    liquid_.correct(moved);
    store_derivatives(number, moved);
  }

  void sum_kinetic(std::size_t axis) {
    sums moving;
    for (std::uint32_t i = first_; i < past_; ++i) {
      molecule each;
      for (std::size_t atom = 0; atom < water::atoms; ++atom) {
        const std::size_t at = atom * water::axes + axis;
        each.derivatives[1][at] = double_of(context_.load(address(i, coordinates + at)));
      }
      liquid::add_kinetic(each, axis, moving);
    }
    add(kinetic, kinetic_word + axis, moving.kinetic[axis]);
  }

  // --- forces between molecules

  /// What the own molecules and their half shells do to each other, and then to everybody.
  void sweep() {
    for (forces& each : changes_) each = {};
    sums attracted;
    for (std::uint32_t i = first_; i < past_; ++i) attract_shell(i, attracted);
    own_.potential += attracted.potential;
    add(virial, virial_word, attracted.virial);
    const std::uint32_t past = share_.past_touched(context_.rank());
    for (std::uint32_t i = first_; i < past; ++i) add_forces(i % config_.molecules);
    meeting_.cross();
  }

  void attract_shell(std::uint32_t number, sums& into) {
    const water::vector centre = load_centre(number);
    const water::of_coordinates place = load_place(number);
    const std::uint32_t last = number + water::partners(number, config_.molecules);
    for (std::uint32_t i = number + 1; i <= last; ++i) {
      const std::uint32_t other = i % config_.molecules;
      const water::vector other_centre = load_centre(other);
      if (!liquid_.interact(centre, other_centre)) continue;
      liquid_.attract(place, centre, load_place(other), other_centre, changes_[number],
                      changes_[other], into);
      context_.delay(config_.interaction_cycles);
    }
  }

  void add_forces(std::uint32_t number) {
    const std::uint32_t lock = number % config_.locks;
    meeting_.lock(lock);
    for (std::size_t i = 0; i < coordinates; ++i) {
      add_to(address(number, force_at + i), changes_[number][i]);
    }
    meeting_.unlock(lock);
  }

  void add(sum_lock lock, std::uint64_t word, std::int64_t value) {
    meeting_.lock(config_.locks + lock);
    add_to(sum_address(word), value);
    meeting_.unlock(config_.locks + lock);
  }

  void add_to(std::uint64_t where, std::int64_t value) {
    context_.store(where, context_.load(where) + static_cast<word_t>(value));
  }

  // --- words

  /// Molecules lie one process's behind another's, as in an array that all share. Otherwise the
  /// molecules of all processes would compete for the same few sets of a cache.
  std::uint64_t address(std::uint32_t number, std::uint64_t word) const {
    return context_.local_address(pe_id{share_.owner(number)},
                                  application_process::free_words + number * record_words + word);
  }
  std::uint64_t sum_address(std::uint64_t word) const {
    return context_.shared_address(mm_id{0}, application_process::free_row + word);
  }
  std::int64_t load_sum(std::uint64_t word) {
    return static_cast<std::int64_t>(context_.load(sum_address(word)));
  }

  water::vector load_centre(std::uint32_t number) {
    water::vector found{};
    for (std::size_t axis = 0; axis < water::axes; ++axis) {
      found[axis] = double_of(context_.load(address(number, centre_at + axis)));
    }
    return found;
  }
  water::of_coordinates load_order(std::uint32_t number, std::size_t order) {
    water::of_coordinates found{};
    for (std::size_t i = 0; i < coordinates; ++i) {
      found[i] = double_of(context_.load(address(number, order * coordinates + i)));
    }
    return found;
  }
  water::of_coordinates load_place(std::uint32_t number) { return load_order(number, 0); }
  molecule load_derivatives(std::uint32_t number) {
    molecule found;
    for (std::size_t k = 0; k < water::orders; ++k) found.derivatives[k] = load_order(number, k);
    return found;
  }
  forces load_force(std::uint32_t number) {
    forces found{};
    for (std::size_t i = 0; i < coordinates; ++i) {
      found[i] = static_cast<std::int64_t>(context_.load(address(number, force_at + i)));
    }
    return found;
  }
  void store_words(std::uint32_t number, std::uint64_t first, const forces& values) {
    for (std::size_t i = 0; i < coordinates; ++i) {
      context_.store(address(number, first + i), static_cast<word_t>(values[i]));
    }
  }
  void store_derivatives(std::uint32_t number, const molecule& from) {
    for (std::size_t k = 0; k < water::orders; ++k) {
      for (std::size_t i = 0; i < coordinates; ++i) {
        context_.store(address(number, k * coordinates + i), word_of(from.derivatives[k][i]));
      }
    }
  }
  void store_all(std::uint32_t number, const molecule& from) {
    store_derivatives(number, from);
    store_words(number, force_at, from.force);
  }

  void compare_molecule(std::uint32_t number, const molecule& with) {
    const molecule found = load_derivatives(number);
    if (found.derivatives == with.derivatives && load_force(number) == with.force) return;
    throw simulation_error(fmt::format(
        "molecule {} of {} is not where one processor puts it; an addition to its force was lost, "
        "or a position was read too early",
        number, config_.molecules));
  }

  program_context& context_;
  const water_config& config_;
  liquid liquid_;
  share share_;
  std::uint32_t first_;
  std::uint32_t past_;
  application_process meeting_;
  std::vector<forces> changes_;  // of each molecule, by this process
  sums own_;                     // of this process, in the current step
};

}  // namespace

void water_config::bind(parameter_set& parameters) {
  using u32 = interval<std::uint32_t>;
  meeting.bind(parameters);
  parameters.add("molecules", molecules, u32{2, 65536}, "molecules",
                 "Molecules, in a box at the density of water.");
  parameters.add("steps", steps, u32{1, 1000000}, "steps", "Steps of 0.15 fs.");
  parameters.add("locks", locks, u32{1, 4096}, "locks",
                 "Locks of molecules; molecule m has lock m mod locks. Sums take 4 more.");
  parameters.add("interaction_cycles", interaction_cycles,
                 interval<std::uint64_t>{0, std::uint64_t{1} << 40}, "cycles",
                 "Cycles of the processor in which it computes the forces between two molecules.");
}

std::unique_ptr<program> make_water_program(const water_config& config, const address_map& map,
                                            const kept_synchronization& machine) {
  check_application("workload.program.water", config.meeting, map, machine,
                    water_process::locks(config), own_rows, config.molecules * record_words);
  return std::make_unique<application_program<water_process, water_config>>(config, machine);
}

std::uint64_t water_acquisitions(const water_config& config, std::uint32_t processes) {
  const share among{config.molecules, processes};
  std::uint64_t of_molecules = 0;
  for (std::uint32_t rank = 0; rank < processes; ++rank) {
    of_molecules += among.past_touched(rank) - among.first(rank);
  }
  const std::uint64_t sweeps = std::uint64_t{config.steps} + 1;
  const std::uint64_t of_sums = sweeps * acquisitions_a_sweep +
                                std::uint64_t{config.steps} * acquisitions_a_step +
                                acquisitions_at_end;
  return sweeps * of_molecules + processes * of_sums;
}

}  // namespace tributary
