// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/barnes_model.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <tributary/sim/error.h>
#include <tributary/sim/random_stream.h>

namespace tributary::barnes {
namespace {

constexpr double step = 0.025;      // as SPLASH-2's Barnes takes
constexpr double softening = 0.05;  // added to distances, the same
// Plummer's model in units in which all mass is 1 and the energy -1/4: 3 pi / 16 and its inverse.
constexpr double length_unit = 0.58904862254808621;
constexpr double furthest_mass = 0.999;  // of all; the rest would be anywhere

double squared(const vector& v) { return v[0] * v[0] + v[1] * v[1] + v[2] * v[2]; }

/// A draw between 0 and 1, without either.
double draw(random_stream& draws) {
  constexpr double all = 4294967296.0;  // 2^32
  return (static_cast<double>(draws.next_u32()) + 0.5) / all;
}

/// A vector of that length, in any direction.
vector draw_direction(random_stream& draws, double length) {
  for (;;) {
    vector found{};
    for (double& each : found) each = 2 * draw(draws) - 1;
    const double square = squared(found);
    if (square > 1 || square == 0) continue;
    for (double& each : found) each *= length / std::sqrt(square);
    return found;
  }
}

/// Of a number from 0 to 1, by halving.
double cube_root(double of) {
  double low = 0;
  double high = 1;
  for (int i = 0; i < std::numeric_limits<double>::digits; ++i) {
    const double middle = (low + high) / 2;
    (middle * middle * middle < of ? low : high) = middle;
  }
  return low;
}

/// Speed as a part of that of escape, drawn from x^2 (1 - x^2)^3.5.
double draw_speed(random_stream& draws) {
  constexpr double above_all = 0.1;
  for (;;) {
    const double x = draw(draws);
    const double rest = 1 - x * x;
    if (above_all * draw(draws) < x * x * rest * rest * rest * std::sqrt(rest)) return x;
  }
}

}  // namespace

body initial(std::uint32_t number, std::uint32_t bodies) {
  random_stream draws(1, number, purpose::placement);
  const double inner = cube_root(furthest_mass * draw(draws));
  const double radius = inner / std::sqrt(1 - inner * inner);
  const double escape = std::sqrt(2 / std::sqrt(1 + radius * radius));
  body made;
  made.mass = 1.0 / bodies;
  made.position = draw_direction(draws, radius * length_unit);
  made.velocity = draw_direction(draws, draw_speed(draws) * escape / std::sqrt(length_unit));
  return made;
}

bounds::bounds() {
  lowest.fill(std::numeric_limits<double>::max());
  highest.fill(std::numeric_limits<double>::lowest());
}

void bounds::include(const bounds& others) {
  for (std::size_t axis = 0; axis < axes; ++axis) {
    lowest[axis] = std::min(lowest[axis], others.lowest[axis]);
    highest[axis] = std::max(highest[axis], others.highest[axis]);
  }
}

space::space(const bounds& of) : side_(0) {
  constexpr double margin = 1.0001;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    side_ = std::max(side_, margin * (of.highest[axis] - of.lowest[axis]));
  }
  if (side_ == 0) side_ = 1;  // of one body
  for (std::size_t axis = 0; axis < axes; ++axis) {
    lowest_[axis] = (of.lowest[axis] + of.highest[axis] - side_) / 2;
  }
}

double space::side(std::uint32_t level) const {
  return side_ / static_cast<double>(std::uint64_t{1} << level);
}

grid_place space::place(const vector& position) const {
  constexpr double cells = std::uint64_t{1} << most_levels;
  grid_place found{};
  for (std::size_t axis = 0; axis < axes; ++axis) {
    found[axis] = static_cast<std::uint32_t>((position[axis] - lowest_[axis]) / side_ * cells);
  }
  return found;
}

std::size_t space::octant(const grid_place& place, std::uint32_t level) {
  std::size_t found = 0;
  for (const std::uint32_t each : place) {
    found = 2 * found + (each >> (most_levels - 1 - level)) % 2;
  }
  return found;
}

void gathered::add(double mass, const vector& centre, std::uint64_t cost) {
  mass_ += mass;
  for (std::size_t axis = 0; axis < axes; ++axis) moment_[axis] += mass * centre[axis];
  cost_ += cost;
}

vector gathered::centre() const {
  vector found = moment_;
  for (double& each : found) each /= mass_;
  return found;
}

bool pull::opens(double side, const vector& centre, double angle) const {
  vector apart{};
  for (std::size_t axis = 0; axis < axes; ++axis) apart[axis] = centre[axis] - position_[axis];
  return side * side >= angle * angle * squared(apart);
}

void pull::add(double mass, const vector& centre) {
  vector apart{};
  for (std::size_t axis = 0; axis < axes; ++axis) apart[axis] = centre[axis] - position_[axis];
  const double square = squared(apart) + softening * softening;
  const double energy = mass / std::sqrt(square);
  potential_ -= energy;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    acceleration_[axis] += energy / square * apart[axis];
  }
  ++interactions_;
}

void advance(body& moved) {
  for (std::size_t axis = 0; axis < axes; ++axis) {
    moved.velocity[axis] += step * moved.acceleration[axis];
    moved.position[axis] += step * moved.velocity[axis];
  }
}

void throw_too_close() {
  throw simulation_error(
      "bodies of barnes came closer to each other than its tree has levels; raise "
      "workload.program.barnes.leaf_bodies or take fewer steps");
}

// --- by one processor ----------------------------------------------------------------------------

namespace {

using numbers = std::vector<std::uint32_t>;

/// A cell or, if it has no children, a leaf.
struct node {
  gathered of;
  std::vector<std::size_t> children;  // by octant, without the empty ones
  std::vector<std::size_t> octants;
  numbers bodies;
};

class tree {
 public:
  tree(const std::vector<body>& bodies, const tree_config& config)
      : bodies_(bodies), config_(config), space_(extent(bodies)) {
    for (const body& each : bodies) places_.push_back(space_.place(each.position));
    numbers all(bodies.size());
    std::iota(all.begin(), all.end(), 0U);
    root_ = make_cell(all, 0);
  }

  pull on(std::uint32_t number) const {
    pull found(bodies_[number].position);
    add_cell(root_, 0, true, number, found);
    return found;
  }
  std::uint64_t cells() const { return nodes_.size() - leaves_; }
  std::uint64_t leaves() const { return leaves_; }

 private:
  static bounds extent(const std::vector<body>& bodies) {
    bounds found;
    for (const body& each : bodies) found.include(each.position);
    return found;
  }

  std::size_t make(const numbers& bodies, std::uint32_t level) {
    return bodies.size() > config_.leaf_bodies ? make_cell(bodies, level) : make_leaf(bodies);
  }

  std::size_t make_leaf(const numbers& bodies) {
    node made;
    made.bodies = bodies;
    for (const std::uint32_t i : bodies) {
      made.of.add(bodies_[i].mass, bodies_[i].position, bodies_[i].cost);
    }
    nodes_.push_back(made);
    ++leaves_;
    return nodes_.size() - 1;
  }

  std::size_t make_cell(const numbers& bodies, std::uint32_t level) {
    if (level == most_levels) throw_too_close();
    std::array<numbers, octants> parts;
    for (const std::uint32_t i : bodies) parts.at(space::octant(places_[i], level)).push_back(i);
    node made;
    for (std::size_t octant = 0; octant < octants; ++octant) {
      if (parts.at(octant).empty()) continue;
      made.octants.push_back(octant);
      made.children.push_back(make(parts.at(octant), level + 1));
      const gathered& child = nodes_[made.children.back()].of;
      made.of.add(child.mass(), child.centre(), child.cost());
    }
    nodes_.push_back(made);
    return nodes_.size() - 1;
  }

  /// `holds`: whether the body lies in this node.
  void add(std::size_t which, std::uint32_t level, bool holds, std::uint32_t number,
           pull& into) const {
    const node& each = nodes_[which];
    if (!holds && !into.opens(space_.side(level), each.of.centre(), config_.angle)) {
      into.add(each.of.mass(), each.of.centre());
    } else if (each.children.empty()) {
      for (const std::uint32_t i : each.bodies) {
        if (i != number) into.add(bodies_[i].mass, bodies_[i].position);
      }
    } else {
      add_cell(which, level, holds, number, into);
    }
  }

  void add_cell(std::size_t which, std::uint32_t level, bool holds, std::uint32_t number,
                pull& into) const {
    const node& cell = nodes_[which];
    const std::size_t own = space::octant(places_[number], level);
    for (std::size_t i = 0; i < cell.children.size(); ++i) {
      add(cell.children[i], level + 1, holds && cell.octants[i] == own, number, into);
    }
  }

  const std::vector<body>& bodies_;
  const tree_config& config_;
  space space_;
  std::vector<grid_place> places_;
  std::vector<node> nodes_;
  std::size_t root_ = 0;
  std::uint64_t leaves_ = 0;
};

}  // namespace

outcome simulate(std::uint32_t bodies, std::uint32_t steps, const tree_config& config) {
  outcome found;
  for (std::uint32_t i = 0; i < bodies; ++i) found.bodies.push_back(initial(i, bodies));
  for (std::uint32_t i = 0; i < steps; ++i) {
    const tree all(found.bodies, config);
    found.cells = all.cells();
    found.leaves = all.leaves();
    found.potential = 0;
    std::vector<body> moved = found.bodies;
    for (std::uint32_t number = 0; number < bodies; ++number) {
      const pull on = all.on(number);
      moved[number].acceleration = on.acceleration();
      moved[number].cost = on.interactions();
      found.potential += on.potential() * moved[number].mass / 2;
      found.interactions += on.interactions();
      advance(moved[number]);
    }
    found.bodies = moved;
  }
  return found;
}

}  // namespace tributary::barnes
