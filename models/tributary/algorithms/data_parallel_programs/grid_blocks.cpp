// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/data_parallel_programs/grid_blocks.h>

#include <algorithm>

#include <tributary/algorithms/data_parallel_programs/node_variables.h>
#include <tributary/algorithms/data_parallel_programs/program_parameters.h>

namespace tributary::data_parallel_programs {
namespace {

grid_side opposite(grid_side side) {
  switch (side) {
    case grid_side::north:
      return grid_side::south;
    case grid_side::south:
      return grid_side::north;
    case grid_side::west:
      return grid_side::east;
    case grid_side::east:
      break;
  }
  return grid_side::west;
}

/// Where the copy of an edge begins among those of a block, in bytes.
std::uint64_t edge_place(const grid_blocks& blocks, grid_side side) {
  std::uint64_t words = 0;
  for (const grid_side each : grid_sides) {
    if (each == side) break;
    words += blocks.edge(each).size();
  }
  return words * word_bytes;
}

}  // namespace

void grid_blocks::check(const std::string& part, std::uint32_t side, std::uint32_t rows,
                        std::uint32_t nodes) {
  require_divisor(part + ".block_rows", rows, nodes, "the nodes");
  require_multiple(part + ".side", side, rows, "the rows of blocks");
  require_multiple(part + ".side", side, nodes / rows, "the columns of blocks");
}

grid_blocks::grid_blocks(std::uint32_t side, std::uint32_t rows, node_id node, std::uint32_t nodes)
    : rows_(rows),
      columns_(nodes / rows),
      height_(side / rows),
      width_(side / columns_),
      block_row_(static_cast<std::uint32_t>(node) / columns_),
      block_column_(static_cast<std::uint32_t>(node) % columns_) {}

std::optional<node_id> grid_blocks::neighbour(grid_side side) const {
  const std::uint32_t node = block_row_ * columns_ + block_column_;
  switch (side) {
    case grid_side::north:
      if (block_row_ == 0) return std::nullopt;
      return node_id{node - columns_};
    case grid_side::south:
      if (block_row_ + 1 == rows_) return std::nullopt;
      return node_id{node + columns_};
    case grid_side::west:
      if (block_column_ == 0) return std::nullopt;
      return node_id{node - 1};
    case grid_side::east:
      break;
  }
  if (block_column_ + 1 == columns_) return std::nullopt;
  return node_id{node + 1};
}

std::vector<std::uint32_t> grid_blocks::edge(grid_side side) const {
  const bool along_row = side == grid_side::north || side == grid_side::south;
  const std::uint32_t step = along_row ? 1 : width_;
  std::uint32_t point = 0;
  if (side == grid_side::south) point = (height_ - 1) * width_;
  if (side == grid_side::east) point = width_ - 1;
  std::vector<std::uint32_t> found(along_row ? width_ : height_);
  for (std::uint32_t& each : found) {
    each = point;
    point += step;
  }
  return found;
}

std::vector<std::uint32_t> grid_blocks::needed_by_others() const {
  std::vector<std::uint32_t> found;
  for (const grid_side side : grid_sides) {
    if (!neighbour(side)) continue;
    for (const std::uint32_t point : edge(side)) found.push_back(point);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

grid_halo::grid_halo(const grid_blocks& blocks, const std::array<std::uint64_t, 4>& arrivals,
                     bool aggregated)
    : blocks_(blocks), aggregated_(aggregated) {
  for (const grid_side side : grid_sides) {
    const std::optional<node_id> neighbour = blocks.neighbour(side);
    if (!neighbour) continue;
    edges_.push_back({side, *neighbour, arrivals[static_cast<std::size_t>(side)], blocks.edge(side),
                      blocks.edge(opposite(side))});
  }
  if (aggregated) {
    share_edges();
    return;
  }
  for (const std::uint32_t point : blocks.needed_by_others()) {
    shared_.push_back({std::uint64_t{word_bytes} * point, point});
  }
}

void grid_halo::share_edges() {
  for (const edge& each : edges_) {
    std::uint64_t offset = edge_place(blocks_, each.side);
    for (const std::uint32_t point : each.own) {
      shared_.push_back({offset, point});
      offset += word_bytes;
    }
  }
}

std::uint64_t grid_halo::shared_words(const grid_blocks& blocks, bool aggregated) {
  return aggregated ? std::uint64_t{2} * (blocks.height() + blocks.width()) : blocks.points();
}

void grid_halo::fetch(data_parallel& here, std::uint64_t shared) const {
  if (aggregated_) {
    fetch_edges(here, shared);
  } else {
    here.statement([&] { fetch_points(here, shared); });
  }
}

void grid_halo::fetch_points(data_parallel& here, std::uint64_t shared) const {
  each([&](grid_side, std::uint32_t, std::uint64_t to, node_id neighbour, std::uint32_t point) {
    here.get({neighbour, shared + std::uint64_t{word_bytes} * point}, to, word_bytes);
  });
}

void grid_halo::fetch_edges(data_parallel& here, std::uint64_t shared) const {
  for (const edge& each : edges_) {
    // All blocks have the same size, so the neighbour's copies lie where the own ones do.
    here.get({each.neighbour, shared + edge_place(blocks_, opposite(each.side))}, each.arrivals,
             static_cast<std::uint32_t>(each.theirs.size() * word_bytes));
  }
}

}  // namespace tributary::data_parallel_programs
