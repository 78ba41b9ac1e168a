// SPDX-License-Identifier: Apache-2.0
// A square grid in blocks, one a node, whose points need the points next to theirs.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include <tributary/algorithms/data_parallel.h>

namespace tributary::data_parallel_programs {

/// The sides of a block.
enum class grid_side : std::uint8_t { north, south, west, east };
inline constexpr std::array<grid_side, 4> grid_sides = {grid_side::north, grid_side::south,
                                                        grid_side::west, grid_side::east};

/// A grid of `side` x `side` points in `rows` rows of blocks, without a neighbour beyond its edges.
/// A variable of the grid is a word a point, the rows of a block one behind the other.
class grid_blocks {
 public:
  /// Throws `configuration_error`, about the keys `side` and `block_rows` of `part`, if the blocks
  /// are not all equal.
  static void check(const std::string& part, std::uint32_t side, std::uint32_t rows,
                    std::uint32_t nodes);

  grid_blocks(std::uint32_t side, std::uint32_t rows, node_id node, std::uint32_t nodes);

  /// Points of a block in each direction.
  std::uint32_t height() const { return height_; }
  std::uint32_t width() const { return width_; }
  std::uint32_t points() const { return height_ * width_; }
  /// The row and the column of the grid that the block begins with.
  std::uint32_t first_row() const { return block_row_ * height_; }
  std::uint32_t first_column() const { return block_column_ * width_; }

  /// The node behind a side, if there is one.
  std::optional<node_id> neighbour(grid_side side) const;
  /// The points along a side, by their number in the block: row x width + column.
  std::vector<std::uint32_t> edge(grid_side side) const;
  /// The points that neighbours need, each once.
  std::vector<std::uint32_t> needed_by_others() const;

 private:
  std::uint32_t rows_;
  std::uint32_t columns_;
  std::uint32_t height_;
  std::uint32_t width_;
  std::uint32_t block_row_;
  std::uint32_t block_column_;
};

/// The points behind an edge: the points of the neighbour next to this block's.
///
/// Each by a `get` of a word, from `shared`, a variable of the grid's shape. They come to variables
/// of that shape, one for each side, to the place of the point that needs them: so a compiler does
/// it that has each virtual processor fetch from the next one.
///
/// Aggregated: each edge by one `get`, as in the source's experiment with large packets (Klaiber
/// 6.5.5). `shared` then has copies of the block's edges, one behind the other, and points come in
/// a row.
class grid_halo {
 public:
  /// `arrivals`: offsets of the variables to which points come, by side.
  grid_halo(const grid_blocks& blocks, const std::array<std::uint64_t, 4>& arrivals,
            bool aggregated);

  /// Words of the variable `shared`.
  static std::uint64_t shared_words(const grid_blocks& blocks, bool aggregated);
  /// Calls `write(offset, point)` for what others need: `point` belongs at that offset of `shared`.
  template <class Write>
  void each_shared(const Write& write) const {
    for (const shared_point& each : shared_) write(each.offset, each.point);
  }
  /// The gets of one side after the other. All is there behind the next barrier.
  void fetch(data_parallel& here, std::uint64_t shared) const;
  /// Calls `look(side, i, offset, neighbour, point)` for each point that came: the i-th of the
  /// side, where it is, whose it was and its number there.
  template <class Look>
  void each(const Look& look) const {
    for (const edge& all : edges_) {
      for (std::uint32_t i = 0; i < all.own.size(); ++i) {
        look(all.side, i, all.arrivals + std::uint64_t{8} * (aggregated_ ? i : all.own[i]),
             all.neighbour, all.theirs[i]);
      }
    }
  }

 private:
  struct edge {
    grid_side side;
    node_id neighbour;
    std::uint64_t arrivals;
    std::vector<std::uint32_t> own;
    std::vector<std::uint32_t> theirs;
  };
  struct shared_point {
    std::uint64_t offset;
    std::uint32_t point;
  };

  void fetch_points(data_parallel& here, std::uint64_t shared) const;
  void fetch_edges(data_parallel& here, std::uint64_t shared) const;
  void share_edges();

  grid_blocks blocks_;
  bool aggregated_;
  std::vector<edge> edges_;
  std::vector<shared_point> shared_;
};

}  // namespace tributary::data_parallel_programs
