// SPDX-License-Identifier: Apache-2.0
// Liquid water, molecule by molecule: what the program `water` computes, without a machine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tributary::water {

/// Atoms of a molecule: oxygen and two hydrogens. Coordinates: atom by atom, each x, y, z.
inline constexpr std::size_t atoms = 3;
inline constexpr std::size_t axes = 3;
inline constexpr std::size_t coordinates = atoms * axes;
/// Derivatives of the positions by time, 0 to 5, as Gear's method has them, each times
/// step^k / k!.
inline constexpr std::size_t orders = 6;

using vector = std::array<double, axes>;
using of_coordinates = std::array<double, coordinates>;
/// Forces in whole units of 2^-40 amu A / fs^2, so that their sum does not depend on the order in
/// which they are added.
using forces = std::array<std::int64_t, coordinates>;

/// Where a molecule is and how it moves, the force on it, and its centre.
struct molecule {
  std::array<of_coordinates, orders> derivatives{};
  forces force{};
  vector centre{};  ///< of mass
};

/// Sums over all molecules, in whole units of 2^-32 amu A^2 / fs^2: no order of adding matters.
struct sums {
  std::int64_t virial = 0;
  std::array<std::int64_t, axes> kinetic{};
  std::int64_t potential = 0;

  bool operator==(const sums& other) const {
    return virial == other.virial && kinetic == other.kinetic && potential == other.potential;
  }
};

/// A liquid of so many molecules at the density of water, in a box that repeats itself.
class liquid {
 public:
  explicit liquid(std::uint32_t molecules);

  std::uint32_t size() const { return molecules_; }
  double box() const { return box_; }

  /// A molecule before the first step: on a lattice, turned and moved by draws of its number.
  molecule initial(std::uint32_t number) const;

  /// Where a molecule will be a step later, and what its atoms do to each other: sets the centre,
  /// and the force to that of the springs between its atoms, whose energy and virial it adds.
  static void predict(molecule& moved);
  static void bend(molecule& bent, sums& into);
  /// Corrects the prediction by the force; brings a molecule that has left the box back into it.
  void correct(molecule& moved) const;
  /// Sets the acceleration of a molecule that has not been moved yet.
  static void accelerate(molecule& at_rest);
  /// Adds what it moves with along an axis.
  static void add_kinetic(const molecule& moving, std::size_t axis, sums& into);

  /// Whether two molecules with these centres act on each other: within half the box.
  bool interact(const vector& one, const vector& other) const;
  /// Adds the forces of one on the other, and back.
  void attract(const of_coordinates& one, const vector& centre, const of_coordinates& other,
               const vector& other_centre, forces& on_one, forces& on_other, sums& into) const;

 private:
  /// By how many boxes the other is moved to be the image next to the one.
  vector shift(const vector& one, const vector& other) const;

  std::uint32_t molecules_;
  std::uint32_t side_;  // of the lattice
  double box_;
};

/// Pairs of the half shell of a molecule: it and the `partners` behind it, round the end. Each pair
/// of molecules is in one half shell.
std::uint32_t partners(std::uint32_t molecule, std::uint32_t molecules);

/// All molecules and sums after so many steps, by one processor.
struct outcome {
  std::vector<molecule> molecules;
  sums totals;  ///< of the last step
  std::uint64_t interactions = 0;
};
outcome simulate(std::uint32_t molecules, std::uint32_t steps);

}  // namespace tributary::water
