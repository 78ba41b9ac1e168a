// SPDX-License-Identifier: Apache-2.0
// Bodies that attract each other, by an octree: what the program `barnes` computes, without a
// machine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tributary::barnes {

inline constexpr std::size_t axes = 3;
/// Octants of a cell.
inline constexpr std::size_t octants = 8;
/// Cells below which none is divided again: bodies are told apart by so many bits of a coordinate.
inline constexpr std::uint32_t most_levels = 30;

using vector = std::array<double, axes>;

/// A body. All have the masses of one unit together; the constant of gravitation is 1.
struct body {
  double mass = 0;
  vector position{};
  vector velocity{};
  vector acceleration{};
  /// Interactions that its last force took: its share of the work.
  std::uint64_t cost = 1;
};

/// One of so many bodies before the first step, drawn from Plummer's model by its number
/// (Aarseth, Henon and Wielen, 1974). Uses no function whose last bit a library may choose.
body initial(std::uint32_t number, std::uint32_t bodies);

/// What bodies lie between; at first, of none.
struct bounds {
  vector lowest;
  vector highest;

  bounds();
  void include(const bounds& others);
  void include(const vector& position) { include(bounds(position)); }

 private:
  explicit bounds(const vector& position) : lowest(position), highest(position) {}
};

/// A place as whole numbers, of which each bit chooses between the halves of a cell.
using grid_place = std::array<std::uint32_t, axes>;

/// The cube of the root, and its cells.
class space {
 public:
  explicit space(const bounds& of);

  /// Side of a cell so many levels below the root.
  double side(std::uint32_t level) const;
  grid_place place(const vector& position) const;
  /// In which octant of its cell at that level a place lies.
  static std::size_t octant(const grid_place& place, std::uint32_t level);

 private:
  vector lowest_{};
  double side_;
};

/// Mass, centre of mass and cost of what has been added, in the order of adding.
class gathered {
 public:
  void add(double mass, const vector& centre, std::uint64_t cost);

  double mass() const { return mass_; }
  vector centre() const;
  std::uint64_t cost() const { return cost_; }

 private:
  double mass_ = 0;
  vector moment_{};
  std::uint64_t cost_ = 0;
};

/// What pulls at a body.
class pull {
 public:
  explicit pull(const vector& position) : position_(position) {}

  /// Whether a cell is to be taken apart: its side is not below `angle` times its distance.
  bool opens(double side, const vector& centre, double angle) const;
  void add(double mass, const vector& centre);

  const vector& acceleration() const { return acceleration_; }
  double potential() const { return potential_; }
  std::uint64_t interactions() const { return interactions_; }

 private:
  vector position_;
  vector acceleration_{};
  double potential_ = 0;
  std::uint64_t interactions_ = 0;
};

/// Velocity, then position, a step later.
void advance(body& moved);

/// How the tree is made and read.
struct tree_config {
  /// Bodies of a leaf; a cube that has more is divided into a cell's octants.
  std::uint32_t leaf_bodies = 10;
  /// Opening angle: cells whose side is below so many times their distance pull as one body.
  double angle = 1;
};

/// All bodies after so many steps, by one processor.
struct outcome {
  std::vector<body> bodies;
  double potential = 0;  ///< energy, before the last move
  std::uint64_t interactions = 0;
  std::uint64_t cells = 0;   ///< of the last tree
  std::uint64_t leaves = 0;  ///< of the last tree
};
outcome simulate(std::uint32_t bodies, std::uint32_t steps, const tree_config& config);

/// The error that bodies in one place cannot be told apart: `simulation_error`.
[[noreturn]] void throw_too_close();

}  // namespace tributary::barnes
