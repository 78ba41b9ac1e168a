// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/barnes.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include <tributary/algorithms/application_program.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

namespace tributary {
namespace {

using barnes::axes;
using barnes::octants;
using barnes::space;

// Words of a body, a cell and a leaf. A cell is a line; bodies lie one behind another, as those of
// SPLASH-2, and leaves too. What a cell and a leaf have in common is at the same words; `cost_at`
// is 0 until the others are there.
enum body_word : std::uint64_t {
  body_mass_at,
  position_at,
  velocity_at = 4,
  acceleration_at = 7,
  body_cost_at = 10,
  body_words
};
enum node_word : std::uint64_t { mass_at, centre_at, cost_at = 4, contents_at };
constexpr std::uint64_t cell_words = application_process::line_words;
static_assert(contents_at + octants <= cell_words);
// A leaf's bodies come behind their number.
constexpr std::uint64_t bodies_at = contents_at + 1;

// Words of the tree, on node 0: its root, and the bounds of its bodies.
constexpr std::uint64_t root_word = 0;
constexpr std::uint64_t bounds_word = 1;
constexpr std::uint64_t own_rows = application_process::line_words;

/// Where the records of a process lie in its part of the region "local": one process's behind
/// another's, as in an array that all share. Else those of all would meet in the same few sets of a
/// cache.
struct layout {
  std::uint32_t bodies;
  std::uint32_t processes;
  std::uint32_t leaf_bodies;

  std::uint32_t first(std::uint32_t rank) const {
    return static_cast<std::uint32_t>(std::uint64_t{bodies} * rank / processes);
  }
  std::uint32_t maker(std::uint32_t number) const {
    auto rank = static_cast<std::uint32_t>(std::uint64_t{number} * processes / bodies);
    while (first(rank + 1) <= number) ++rank;
    return rank;
  }
  std::uint64_t most_bodies() const { return (bodies + processes - 1) / processes; }
  /// Cells that a process can make in a step, and leaves: twice what its part of the bodies takes
  /// at most, since parts of equal cost are not of equal number.
  std::uint64_t most_nodes() const { return 2 * most_bodies() + 32; }

  std::uint64_t leaf_words() const { return bodies_at + leaf_bodies; }
  std::uint64_t body(std::uint32_t rank, std::uint64_t record) const {
    return first_word(rank) + record * body_words;
  }
  std::uint64_t cell(std::uint32_t rank, std::uint64_t record) const {
    return first_word(rank) + in_lines(most_bodies() * body_words) + record * cell_words;
  }
  std::uint64_t leaf(std::uint32_t rank, std::uint64_t record) const {
    return cell(rank, most_nodes()) + record * leaf_words();
  }
  std::uint64_t first_word(std::uint32_t rank) const {
    const std::uint64_t words = in_lines(most_bodies() * body_words) + most_nodes() * cell_words +
                                in_lines(most_nodes() * leaf_words());
    return application_process::free_words + rank * words;
  }
  static std::uint64_t in_lines(std::uint64_t words) {
    constexpr std::uint64_t line = application_process::line_words;
    return (words + line - 1) / line * line;
  }
};

/// A word that names a node of the tree, or none.
class reference {
 public:
  reference() = default;
  explicit reference(word_t word) : word_(word) {}
  /// The record of that number among those of a process.
  reference(bool leaf, std::uint64_t record, std::uint32_t rank, std::uint32_t processes)
      : word_(2 * (record * processes + rank) + (leaf ? 2 : 1)) {}

  word_t word() const { return word_; }
  bool none() const { return word_ == 0; }
  bool leaf() const { return word_ != 0 && word_ % 2 == 0; }
  /// Different for each cell, and for each leaf.
  std::uint64_t number() const { return (word_ - 1) / 2; }

 private:
  word_t word_ = 0;
};

/// Some words of the memory of one node.
class record {
 public:
  /// In a process's part of the region "local".
  record(program_context& context, std::uint32_t owner, std::uint64_t first)
      : context_(context), owner_(owner), first_(first) {}
  /// In rows of the region "shared" on node 0.
  record(program_context& context, std::uint64_t first) : context_(context), first_(first) {}

  std::uint64_t address(std::uint64_t word) const {
    return owner_ ? context_.local_address(pe_id{*owner_}, first_ + word)
                  : context_.shared_address(mm_id{0}, first_ + word);
  }
  word_t load(std::uint64_t word) const { return context_.load(address(word)); }
  void store(std::uint64_t word, word_t value) const { context_.store(address(word), value); }

  double load_double(std::uint64_t word) const { return double_of(load(word)); }
  barnes::vector load_vector(std::uint64_t word) const {
    barnes::vector found{};
    for (std::size_t axis = 0; axis < axes; ++axis) found.at(axis) = load_double(word + axis);
    return found;
  }
  void store_vector(std::uint64_t word, const barnes::vector& values) const {
    for (std::size_t axis = 0; axis < axes; ++axis) store(word + axis, word_of(values.at(axis)));
  }

 private:
  program_context& context_;
  std::optional<std::uint32_t> owner_;
  std::uint64_t first_;
};

class barnes_process {
 public:
  static std::uint32_t locks(const barnes_config& config) { return config.locks + 1; }
  static barnes::outcome expected(const barnes_config& config) {
    return barnes::simulate(config.bodies, config.first_steps + config.steps, config.tree);
  }

  barnes_process(program_context& context, const barnes_config& config,
                 const kept_synchronization& machine, application_figures& figures)
      : context_(context),
        config_(config),
        where_{config.bodies, context.size(), config.tree.leaf_bodies},
        tree_(context, application_process::free_row),
        meeting_(context, config.meeting, machine, locks(config), own_rows, figures) {
    for (std::uint32_t i = where_.first(context.rank()); i < where_.first(context.rank() + 1);
         ++i) {
      own_.push_back(i);
    }
  }

  void run() {
    meeting_.begin_warming_up();
    if (leads()) {
      begin_bounds();
      begin_tree();
    }
    meeting_.cross();
    make_bodies();
    meeting_.cross();
    for (std::uint32_t i = 0; i < config_.first_steps; ++i) step();
    meeting_.begin_measurement();
    for (std::uint32_t i = 0; i < config_.steps; ++i) step();
    meeting_.end_of_measurement();
  }

  /// Throws `simulation_error` if the bodies that this process made are not these.
  void compare(const barnes::outcome& with) {
    const std::uint32_t rank = context_.rank();
    for (std::uint32_t i = where_.first(rank); i < where_.first(rank + 1); ++i) {
      const barnes::body& expected = with.bodies[i];
      const record found = body(i);
      if (found.load_vector(position_at) == expected.position &&
          found.load_vector(velocity_at) == expected.velocity &&
          found.load(body_cost_at) == expected.cost) {
        continue;
      }
      throw simulation_error(fmt::format(
          "body {} of {} is not where one processor puts it; a change of the tree was lost, or a "
          "part of it was read too early",
          i, config_.bodies));
    }
  }

 private:
  void step() {
    space_.emplace(load_bounds());
    root_ = reference(tree_.load(root_word));
    for (const std::uint32_t each : own_) insert(each);
    meeting_.cross();
    if (leads()) begin_bounds();
    for (const reference each : leaves_) sum_leaf(each);
    // A child is made behind its parent.
    for (std::size_t i = cells_.size(); i > 0; --i) sum_cell(cells_[i - 1]);
    meeting_.cross();
    share_bodies();
    for (std::size_t i = 0; i < own_.size(); ++i) costs_[i] = accelerate(own_[i]);
    meeting_.cross();
    cells_.clear();
    leaves_.clear();
    if (leads()) begin_tree();
    move_bodies();
    meeting_.cross();
  }

  bool leads() const { return context_.rank() == 0; }

  // --- records

  record body(std::uint32_t number) const {
    const std::uint32_t maker = where_.maker(number);
    return record(context_, maker, where_.body(maker, number - where_.first(maker)));
  }
  record node(reference of) const {
    const auto maker = static_cast<std::uint32_t>(of.number() % where_.processes);
    const std::uint64_t number = of.number() / where_.processes;
    return record(context_, maker,
                  of.leaf() ? where_.leaf(maker, number) : where_.cell(maker, number));
  }
  reference load_child(reference cell, std::size_t octant) const {
    return reference(node(cell).load(contents_at + octant));
  }
  void store_child(reference cell, std::size_t octant, reference child) const {
    node(cell).store(contents_at + octant, child.word());
  }
  std::vector<std::uint32_t> load_bodies(reference leaf) const {
    const record from = node(leaf);
    std::vector<std::uint32_t> found(from.load(contents_at));
    for (std::size_t i = 0; i < found.size(); ++i) {
      found[i] = static_cast<std::uint32_t>(from.load(bodies_at + i));
    }
    return found;
  }
  void store_bodies(reference leaf, const std::vector<std::uint32_t>& bodies) const {
    const record into = node(leaf);
    for (std::size_t i = 0; i < bodies.size(); ++i) into.store(bodies_at + i, bodies[i]);
    into.store(contents_at, bodies.size());
  }

  // --- bodies

  void make_bodies() {
    barnes::bounds extent;
    for (const std::uint32_t i : own_) {
      const barnes::body made = barnes::initial(i, config_.bodies);
      const record into = body(i);
      into.store(body_mass_at, word_of(made.mass));
      into.store_vector(position_at, made.position);
      into.store_vector(velocity_at, made.velocity);
      into.store(body_cost_at, made.cost);
      extent.include(made.position);
    }
    add_bounds(extent);
  }

  void move_bodies() {
    barnes::bounds extent;
    for (std::size_t i = 0; i < own_.size(); ++i) {
      const record at = body(own_[i]);
      barnes::body moved;
      moved.position = at.load_vector(position_at);
      moved.velocity = at.load_vector(velocity_at);
      moved.acceleration = at.load_vector(acceleration_at);
      barnes::advance(moved);
      at.store_vector(position_at, moved.position);
      at.store_vector(velocity_at, moved.velocity);
      at.store(body_cost_at, costs_[i]);
      extent.include(moved.position);
    }
    add_bounds(extent);
  }

  // --- the tree as a whole

  /// Where nobody reads the last tree any more.
  void begin_tree() { tree_.store(root_word, make_cell().word()); }
  /// Where everybody has read those of this step, and nobody adds to those of the next yet.
  void begin_bounds() { store_bounds(barnes::bounds()); }

  barnes::bounds load_bounds() {
    barnes::bounds found;
    found.lowest = tree_.load_vector(bounds_word);
    found.highest = tree_.load_vector(bounds_word + axes);
    return found;
  }

  void store_bounds(const barnes::bounds& of) {
    tree_.store_vector(bounds_word, of.lowest);
    tree_.store_vector(bounds_word + axes, of.highest);
  }

  void add_bounds(const barnes::bounds& own) {
    meeting_.lock(config_.locks);
    barnes::bounds all = load_bounds();
    all.include(own);
    store_bounds(all);
    meeting_.unlock(config_.locks);
  }

  // --- putting bodies into it

  void insert(std::uint32_t number) {
    const barnes::grid_place place = space_->place(body(number).load_vector(position_at));
    reference cell = root_;
    for (std::uint32_t level = 0; !cell.none(); ++level) {
      if (level == barnes::most_levels) barnes::throw_too_close();
      const std::size_t octant = space::octant(place, level);
      // Cells are passed without a lock: no child that is a cell is changed again.
      const reference child = load_child(cell, octant);
      const bool passed = !child.none() && !child.leaf();
      cell = passed ? child : change(cell, octant, number, level);
    }
  }

  /// Puts a body into an octant of a cell, under the cell's lock. The result is the cell into which
  /// to go on, if the octant has one now.
  reference change(reference cell, std::size_t octant, std::uint32_t number, std::uint32_t level) {
    const auto lock = static_cast<std::uint32_t>(cell.number() % config_.locks);
    meeting_.lock(lock);
    reference further;
    // Another may have been faster.
    const reference child = load_child(cell, octant);
    if (child.none()) {
      replace(cell, octant, make_leaf({number}));
    } else if (!child.leaf()) {
      further = child;
    } else if (!append(child, number)) {
      further = divide(child, level + 1);
      replace(cell, octant, further);
    }
    meeting_.unlock(lock);
    return further;
  }

  bool append(reference leaf, std::uint32_t number) {
    const record of = node(leaf);
    const std::uint64_t there = of.load(contents_at);
    if (there == config_.tree.leaf_bodies) return false;
    of.store(bodies_at + there, number);
    of.store(contents_at, there + 1);
    return true;
  }

  /// A new cell with a leaf's bodies; the leaf is used again for the first of them.
  reference divide(reference leaf, std::uint32_t level) {
    std::array<std::vector<std::uint32_t>, octants> parts;
    if (level == barnes::most_levels) barnes::throw_too_close();
    for (const std::uint32_t each : load_bodies(leaf)) {
      const barnes::grid_place place = space_->place(body(each).load_vector(position_at));
      parts.at(space::octant(place, level)).push_back(each);
    }
    const reference cell = make_cell();
    bool used = false;
    for (std::size_t octant = 0; octant < octants; ++octant) {
      if (parts.at(octant).empty()) continue;
      if (used) {
        store_child(cell, octant, make_leaf(parts.at(octant)));
      } else {
        store_bodies(leaf, parts.at(octant));
        store_child(cell, octant, leaf);
        used = true;
      }
    }
    return cell;
  }

  /// What the child is made of is seen before the child is, by those who come without a lock.
  void replace(reference cell, std::size_t octant, reference child) {
    context_.fence();
    store_child(cell, octant, child);
  }

  reference make_cell() {
    const reference made = next_record(cells_, false);
    node(made).store(cost_at, 0);
    for (std::size_t octant = 0; octant < octants; ++octant) {
      store_child(made, octant, reference());
    }
    return made;
  }

  reference make_leaf(const std::vector<std::uint32_t>& bodies) {
    const reference made = next_record(leaves_, true);
    node(made).store(cost_at, 0);
    store_bodies(made, bodies);
    return made;
  }

  reference next_record(std::vector<reference>& made, bool leaf) {
    if (made.size() == where_.most_nodes()) {
      throw simulation_error(fmt::format(
          "process {} of barnes made more than {} {}; raise workload.program.barnes.leaf_bodies, "
          "or use more bodies for each process",
          context_.rank(), where_.most_nodes(), leaf ? "leaves" : "cells"));
    }
    made.emplace_back(leaf, made.size(), context_.rank(), context_.size());
    return made.back();
  }

  // --- masses and costs, from the leaves up

  void sum_leaf(reference leaf) {
    // In the order of their numbers, so that it does not matter who came first.
    std::vector<std::uint32_t> bodies = load_bodies(leaf);
    std::sort(bodies.begin(), bodies.end());
    store_bodies(leaf, bodies);
    barnes::gathered of;
    for (const std::uint32_t each : bodies) {
      const record at = body(each);
      // One read after another: in a call each compiler has an order of its own.
      const std::uint64_t cost = at.load(body_cost_at);
      const barnes::vector position = at.load_vector(position_at);
      of.add(at.load_double(body_mass_at), position, cost);
    }
    store_sum(leaf, of);
  }

  void sum_cell(reference cell) {
    barnes::gathered of;
    for (std::size_t octant = 0; octant < octants; ++octant) {
      const reference child = load_child(cell, octant);
      if (child.none()) continue;
      const record at = node(child);
      const std::uint64_t cost =
          context_.spin(at.address(cost_at), [](word_t seen) { return seen != 0; });
      const barnes::vector centre = at.load_vector(centre_at);
      of.add(at.load_double(mass_at), centre, cost);
    }
    store_sum(cell, of);
  }

  void store_sum(reference summed, const barnes::gathered& of) {
    const record into = node(summed);
    into.store(mass_at, word_of(of.mass()));
    into.store_vector(centre_at, of.centre());
    context_.fence();
    into.store(cost_at, of.cost());
  }

  // --- which bodies are whose

  /// Takes the bodies of its zone, which is as dear as every other process's, in the tree's order.
  void share_bodies() {
    own_.clear();
    const std::uint64_t all = node(root_).load(cost_at);
    zone_first_ = all * context_.rank() / context_.size();
    zone_past_ = all * (context_.rank() + 1) / context_.size();
    take_from_cell(root_, 0);
    costs_.assign(own_.size(), 0);
  }

  void take_from_cell(reference cell, std::uint64_t before) {
    for (std::size_t octant = 0; octant < octants && before < zone_past_; ++octant) {
      const reference child = load_child(cell, octant);
      if (child.none()) continue;
      const std::uint64_t cost = node(child).load(cost_at);
      if (before + cost > zone_first_) {
        if (child.leaf()) {
          take_from_leaf(child, before);
        } else {
          take_from_cell(child, before);
        }
      }
      before += cost;
    }
  }

  void take_from_leaf(reference leaf, std::uint64_t before) {
    for (const std::uint32_t each : load_bodies(leaf)) {
      if (before >= zone_first_ && before < zone_past_) own_.push_back(each);
      before += body(each).load(body_cost_at);
    }
  }

  // --- accelerations

  /// The result is the interactions that it took.
  std::uint64_t accelerate(std::uint32_t number) {
    const barnes::vector position = body(number).load_vector(position_at);
    barnes::pull on(position);
    add_cell(root_, 0, true, {number, space_->place(position)}, on);
    body(number).store_vector(acceleration_at, on.acceleration());
    return on.interactions();
  }

  /// The body that is pulled.
  struct pulled {
    std::uint32_t number;
    barnes::grid_place place;
  };

  /// `holds`: whether the body lies in this node.
  void add_node(reference which, std::uint32_t level, bool holds, const pulled& at,
                barnes::pull& into) {
    if (!holds && !opens(which, level, into)) {
      attract(node(which), mass_at, centre_at, into);
    } else if (which.leaf()) {
      for (const std::uint32_t each : load_bodies(which)) {
        if (each != at.number) attract(body(each), body_mass_at, position_at, into);
      }
    } else {
      add_cell(which, level, holds, at, into);
    }
  }

  bool opens(reference which, std::uint32_t level, const barnes::pull& on) const {
    return on.opens(space_->side(level), node(which).load_vector(centre_at), config_.tree.angle);
  }

  void add_cell(reference cell, std::uint32_t level, bool holds, const pulled& at,
                barnes::pull& into) {
    const std::size_t own = space::octant(at.place, level);
    for (std::size_t octant = 0; octant < octants; ++octant) {
      const reference child = load_child(cell, octant);
      if (!child.none()) add_node(child, level + 1, holds && octant == own, at, into);
    }
  }

  void attract(const record& other, std::uint64_t mass_word, std::uint64_t place_word,
               barnes::pull& into) {
    const barnes::vector place = other.load_vector(place_word);
    into.add(other.load_double(mass_word), place);
    context_.delay(config_.interaction_cycles);
  }

  program_context& context_;
  const barnes_config& config_;
  layout where_;
  record tree_;
  application_process meeting_;
  std::vector<std::uint32_t> own_;    // bodies whose forces it computes
  std::vector<std::uint64_t> costs_;  // of these, in this step
  std::vector<reference> cells_;      // that it has made in this step
  std::vector<reference> leaves_;     // the same
  std::optional<space> space_;
  reference root_;
  std::uint64_t zone_first_ = 0;
  std::uint64_t zone_past_ = 0;
};

}  // namespace

void barnes_config::bind(parameter_set& parameters) {
  using u32 = interval<std::uint32_t>;
  meeting.bind(parameters);
  parameters.add("bodies", bodies, u32{2, 1U << 20}, "bodies", "Bodies of a Plummer sphere.");
  parameters.add("first_steps", first_steps, u32{0, 1000000}, "steps",
                 "Steps that are not measured; in the first the work is not shared by cost.");
  parameters.add("steps", steps, u32{1, 1000000}, "steps", "Steps that are measured.");
  parameters.add("leaf_bodies", tree.leaf_bodies, u32{1, 64}, "bodies",
                 "Bodies of a leaf; a cube with more of them becomes a cell.");
  parameters.add("angle", tree.angle, interval<double>{0, 2}, "",
                 "Opening angle: a cell whose side is below so many times its distance pulls as "
                 "one body.");
  parameters.add("locks", locks, u32{1, 4096}, "locks",
                 "Locks of cells; cell c has lock c mod locks. The bounds take one more.");
  parameters.add("interaction_cycles", interaction_cycles,
                 interval<std::uint64_t>{0, std::uint64_t{1} << 40}, "cycles",
                 "Cycles of the processor in which it computes what one body or cell does to a "
                 "body.");
}

std::unique_ptr<program> make_barnes_program(const barnes_config& config, const address_map& map,
                                             const kept_synchronization& machine) {
  const std::uint32_t processes = map.modules() * machine.processes;
  const layout where{config.bodies, processes, config.tree.leaf_bodies};
  check_application("workload.program.barnes", config.meeting, map, machine,
                    barnes_process::locks(config), own_rows,
                    where.first_word(processes) - application_process::free_words);
  return std::make_unique<application_program<barnes_process, barnes_config>>(config, machine);
}

}  // namespace tributary
