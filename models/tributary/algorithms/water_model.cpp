// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/water_model.h>

#include <cmath>

#include <tributary/sim/random_stream.h>

namespace tributary::water {
namespace {

// Units: A, fs, amu. One kcal/mol is 4.184e-4 amu A^2/fs^2.
constexpr double kilocalorie = 4.184e-4;
constexpr double step = 0.15;    // fs, as SPLASH-2's Water takes
constexpr double lattice = 3.1;  // A from a molecule to the next: the density of water
constexpr double charge_squared = 332.0637 * kilocalorie;  // of the electron, in vacuum

constexpr std::array<double, atoms> masses{15.9994, 1.008, 1.008};
constexpr double whole_mass = masses[0] + masses[1] + masses[2];
// SPC/E: charges, and the Lennard-Jones potential between oxygens.
constexpr std::array<double, atoms> charges{-0.8476, 0.4238, 0.4238};
constexpr double sigma = 3.166;
constexpr double epsilon = 0.1553 * kilocalorie;

/// A spring between two atoms of a molecule.
struct spring {
  std::size_t from;
  std::size_t to;
  double length;    // A
  double strength;  // amu / fs^2
};
constexpr double bond = 1.0;
constexpr double between_hydrogens = 1.633;  // an angle of 109.47 degrees
constexpr std::array<spring, 3> springs{{{0, 1, bond, 1059.0 * kilocalorie},
                                         {0, 2, bond, 1059.0 * kilocalorie},
                                         {1, 2, between_hydrogens, 400.0 * kilocalorie}}};

// Gear's corrector of sixth order for equations of second order (Gear, 1971).
constexpr std::array<double, orders> corrector{3.0 / 16,  251.0 / 360, 1.0,
                                               11.0 / 18, 1.0 / 6,     1.0 / 60};

constexpr double force_unit = 1099511627776.0;  // 2^40
constexpr double sum_unit = 4294967296.0;       // 2^32

std::int64_t whole(double value, double unit) { return static_cast<std::int64_t>(value * unit); }

double squared(const vector& v) { return v[0] * v[0] + v[1] * v[1] + v[2] * v[2]; }

std::size_t at(std::size_t atom, std::size_t axis) { return atom * axes + axis; }

vector difference(const of_coordinates& one, std::size_t atom, const of_coordinates& other,
                  std::size_t other_atom) {
  vector apart{};
  for (std::size_t axis = 0; axis < axes; ++axis) {
    apart[axis] = one[at(atom, axis)] - other[at(other_atom, axis)];
  }
  return apart;
}

/// A force along `apart`, on one atom and back on the other, and its virial.
void push(const vector& apart, double factor, std::size_t atom, std::size_t other_atom,
          forces& on_one, forces& on_other, sums& into) {
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const std::int64_t force = whole(factor * apart[axis], force_unit);
    on_one[at(atom, axis)] += force;
    on_other[at(other_atom, axis)] -= force;
  }
  into.virial += whole(factor * squared(apart), sum_unit);
}

void find_centre(molecule& of) {
  for (std::size_t axis = 0; axis < axes; ++axis) {
    double moment = 0;
    for (std::size_t atom = 0; atom < atoms; ++atom) {
      moment += masses[atom] * of.derivatives[0][at(atom, axis)];
    }
    of.centre[axis] = moment / whole_mass;
  }
}

/// A draw from -1 to 1.
double draw(random_stream& draws) {
  constexpr double half = 2147483648.0;  // 2^31
  return static_cast<double>(draws.next_u32()) / half - 1;
}

/// A step's acceleration times step^2 / 2 of one coordinate.
double half_step(const molecule& of, std::size_t coordinate) {
  const double force = static_cast<double>(of.force[coordinate]) / force_unit;
  return force / masses[coordinate / axes] * (step * step / 2);
}

}  // namespace

liquid::liquid(std::uint32_t molecules) : molecules_(molecules), side_(1) {
  while (side_ * side_ * side_ < molecules) ++side_;
  box_ = side_ * lattice;
}

molecule liquid::initial(std::uint32_t number) const {
  random_stream draws(1, number, purpose::placement);
  // Half of the angle between the bonds, by its sine and cosine.
  constexpr double sine = between_hydrogens / 2 / bond;
  const double cosine = std::sqrt(1 - sine * sine);
  const std::array<vector, atoms> shape{
      {{0, 0, 0}, {sine * bond, cosine * bond, 0}, {-sine * bond, cosine * bond, 0}}};
  const std::array<std::uint32_t, axes> place{number % side_, number / side_ % side_,
                                              number / side_ / side_};
  const std::uint64_t turned = draws.below(axes);
  const double mirrored = draws.below(2) == 0 ? 1.0 : -1.0;
  molecule made;
  vector speed{};
  for (double& each : speed) each = 5e-3 * draw(draws);  // A / fs, near 300 K
  for (std::size_t atom = 0; atom < atoms; ++atom) {
    for (std::size_t axis = 0; axis < axes; ++axis) {
      made.derivatives[0][at(atom, axis)] =
          (place[axis] + 0.5) * lattice +
          mirrored * shape[atom][static_cast<std::size_t>(axis + turned) % axes];
      made.derivatives[1][at(atom, axis)] = speed[axis] * step;
    }
  }
  find_centre(made);
  return made;
}

void liquid::predict(molecule& moved) {
  // Pascal's triangle, from the highest derivative down.
  for (std::size_t round = 0; round + 1 < orders; ++round) {
    for (std::size_t k = orders - 1; k > round; --k) {
      for (std::size_t i = 0; i < coordinates; ++i) {
        moved.derivatives[k - 1][i] += moved.derivatives[k][i];
      }
    }
  }
}

void liquid::bend(molecule& bent, sums& into) {
  find_centre(bent);
  bent.force = {};
  for (const spring& each : springs) {
    const of_coordinates& places = bent.derivatives[0];
    const vector apart = difference(places, each.from, places, each.to);
    const double length = std::sqrt(squared(apart));
    const double stretched = length - each.length;
    push(apart, -each.strength * stretched / length, each.from, each.to, bent.force, bent.force,
         into);
    into.potential += whole(each.strength * stretched * stretched / 2, sum_unit);
  }
}

void liquid::correct(molecule& moved) const {
  for (std::size_t i = 0; i < coordinates; ++i) {
    const double error = half_step(moved, i) - moved.derivatives[2][i];
    for (std::size_t k = 0; k < orders; ++k) moved.derivatives[k][i] += corrector[k] * error;
  }
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const double oxygen = moved.derivatives[0][at(0, axis)];
    const double by = oxygen < 0 ? box_ : oxygen >= box_ ? -box_ : 0;
    for (std::size_t atom = 0; atom < atoms; ++atom) moved.derivatives[0][at(atom, axis)] += by;
  }
}

void liquid::accelerate(molecule& at_rest) {
  for (std::size_t i = 0; i < coordinates; ++i) at_rest.derivatives[2][i] = half_step(at_rest, i);
}

void liquid::add_kinetic(const molecule& moving, std::size_t axis, sums& into) {
  for (std::size_t atom = 0; atom < atoms; ++atom) {
    const double speed = moving.derivatives[1][at(atom, axis)] / step;
    into.kinetic[axis] += whole(masses[atom] * speed * speed / 2, sum_unit);
  }
}

vector liquid::shift(const vector& one, const vector& other) const {
  vector by{};
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const double apart = one[axis] - other[axis];
    by[axis] = apart > box_ / 2 ? box_ : apart < -box_ / 2 ? -box_ : 0;
  }
  return by;
}

bool liquid::interact(const vector& one, const vector& other) const {
  const vector by = shift(one, other);
  vector apart{};
  for (std::size_t axis = 0; axis < axes; ++axis) apart[axis] = one[axis] - other[axis] - by[axis];
  return squared(apart) < box_ * box_ / 4;
}

void liquid::attract(const of_coordinates& one, const vector& centre, const of_coordinates& other,
                     const vector& other_centre, forces& on_one, forces& on_other,
                     sums& into) const {
  const vector by = shift(centre, other_centre);
  of_coordinates image = other;
  for (std::size_t i = 0; i < coordinates; ++i) image[i] += by[i % axes];
  for (std::size_t atom = 0; atom < atoms; ++atom) {
    for (std::size_t partner = 0; partner < atoms; ++partner) {
      const vector apart = difference(one, atom, image, partner);
      const double square = squared(apart);
      const double energy = charge_squared * charges[atom] * charges[partner] / std::sqrt(square);
      double factor = energy / square;
      double potential = energy;
      if (atom == 0 && partner == 0) {
        const double third = sigma * sigma / square;
        const double sixth = third * third * third;
        factor += 24 * epsilon * (2 * sixth * sixth - sixth) / square;
        potential += 4 * epsilon * (sixth * sixth - sixth);
      }
      push(apart, factor, atom, partner, on_one, on_other, into);
      into.potential += whole(potential, sum_unit);
    }
  }
}

std::uint32_t partners(std::uint32_t molecule, std::uint32_t molecules) {
  const std::uint32_t half = molecules / 2;
  // Of an even number, the molecule across belongs to one of the two: to those of odd numbers in
  // the upper half, and of even ones in the lower half, whose partner across then leaves it out.
  if (molecules % 2 == 1) return half;
  const bool leaves_out = molecule >= half ? molecule % 2 == 0 : (molecule + half) % 2 == 1;
  return leaves_out ? half - 1 : half;
}

namespace {

std::uint64_t act_on_each_other(const liquid& what, std::vector<molecule>& all, sums& into) {
  std::uint64_t interactions = 0;
  for (std::uint32_t i = 0; i < what.size(); ++i) {
    const std::uint32_t last = i + partners(i, what.size());
    for (std::uint32_t j = i + 1; j <= last; ++j) {
      molecule& one = all[i];
      molecule& other = all[j % what.size()];
      if (!what.interact(one.centre, other.centre)) continue;
      ++interactions;
      what.attract(one.derivatives[0], one.centre, other.derivatives[0], other.centre, one.force,
                   other.force, into);
    }
  }
  return interactions;
}

}  // namespace

outcome simulate(std::uint32_t molecules, std::uint32_t steps) {
  const liquid what(molecules);
  outcome found;
  for (std::uint32_t i = 0; i < molecules; ++i) found.molecules.push_back(what.initial(i));
  for (molecule& each : found.molecules) liquid::bend(each, found.totals);
  found.interactions += act_on_each_other(what, found.molecules, found.totals);
  for (molecule& each : found.molecules) liquid::accelerate(each);
  for (std::uint32_t i = 0; i < steps; ++i) {
    found.totals = {};
    for (molecule& each : found.molecules) {
      liquid::predict(each);
      liquid::bend(each, found.totals);
    }
    found.interactions += act_on_each_other(what, found.molecules, found.totals);
    for (molecule& each : found.molecules) {
      what.correct(each);
      for (std::size_t axis = 0; axis < axes; ++axis) {
        liquid::add_kinetic(each, axis, found.totals);
      }
    }
  }
  return found;
}

}  // namespace tributary::water
