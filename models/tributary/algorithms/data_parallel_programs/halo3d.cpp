// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/data_parallel_programs/halo3d.h>

#include <array>
#include <cstddef>
#include <vector>

#include <tributary/algorithms/data_parallel_programs/checks.h>
#include <tributary/algorithms/data_parallel_programs/node_variables.h>
#include <tributary/algorithms/data_parallel_programs/program_parameters.h>
#include <tributary/sim/parameters.h>

namespace tributary::data_parallel_programs {
namespace {

constexpr std::uint32_t directions = 3;

/// By direction: x, whose points lie one behind the other, y and z.
using triple = std::array<std::uint32_t, directions>;

triple blocks_of(const halo3d_config& config, std::uint32_t nodes) {
  return {config.blocks_x, config.blocks_y, nodes / config.blocks_x / config.blocks_y};
}

/// Points of a block.
triple size_of(const halo3d_config& config, std::uint32_t nodes) {
  triple size = blocks_of(config, nodes);
  for (std::uint32_t& each : size) each = config.side / each;
  return size;
}

std::uint32_t points_of(const triple& size) { return size[0] * size[1] * size[2]; }

struct halo3d_layout {
  std::uint64_t grid = 0;
  std::array<std::uint64_t, std::size_t{2} * directions> faces{};  // that arrive
  std::uint64_t bytes = 0;

  explicit halo3d_layout(const triple& size) {
    variable_places places;
    grid = places.next(points_of(size));
    for (std::size_t i = 0; i < faces.size(); ++i) {
      faces[i] = places.next(points_of(size) / size[i / 2]);
    }
    bytes = places.bytes();
  }
};

/// One behind the other in memory: `count` pieces of `words`, from `first` on, `step` apart.
struct face_pieces {
  std::uint32_t first;
  std::uint32_t count;
  std::uint32_t words;
  std::uint32_t step;
};

/// The last points along a direction, or the first.
face_pieces pieces_of(const triple& size, std::uint32_t direction, bool last) {
  const std::uint32_t plane = size[0] * size[1];
  const std::array<face_pieces, directions> all = {
      {{0, size[1] * size[2], 1, size[0]}, {0, size[2], size[0], plane}, {0, 1, plane, plane}}};
  const triple stride = {1, size[0], plane};
  face_pieces found = all[direction];
  if (last) found.first = (size[direction] - 1) * stride[direction];
  return found;
}

/// A face of a neighbour.
struct halo3d_face {
  node_id neighbour;
  std::uint64_t arrivals;
  face_pieces own;     // that the neighbour needs
  face_pieces theirs;  // that this node needs
};

class halo3d_process {
 public:
  halo3d_process(data_parallel& here, const halo3d_config& config)
      : here_(here),
        config_(config),
        size_(size_of(config, here.nodes())),
        layout_(size_),
        faces_(faces()) {}

  void run() {
    write_values(0);
    here_.barrier();
    for (std::uint32_t i = 0; i < config_.iterations; ++i) {
      for (const halo3d_face& each : faces_) fetch(each);
      here_.barrier();
      for (const halo3d_face& each : faces_) check(each, i);
      here_.context().delay(config_.compute_cycles);
      write_values(i + 1);
      expect_reduced(here_, i, config_.reduce_bytes);
    }
  }

 private:
  static std::uint64_t place(std::uint32_t word) { return std::uint64_t{word} * word_bytes; }

  std::vector<halo3d_face> faces() const {
    const triple blocks = blocks_of(config_, here_.nodes());
    const auto node = static_cast<std::uint32_t>(here_.node());
    std::vector<halo3d_face> found;
    std::uint32_t step = 1;  // from a node to the next one along the direction
    for (std::uint32_t d = 0; d < directions; ++d) {
      const std::uint32_t at = node / step % blocks[d];
      const face_pieces first = pieces_of(size_, d, false);
      const face_pieces last = pieces_of(size_, d, true);
      const std::size_t face = std::size_t{d} * 2;
      if (at > 0) found.push_back({node_id{node - step}, layout_.faces[face], first, last});
      if (at + 1 < blocks[d]) {
        found.push_back({node_id{node + step}, layout_.faces[face + 1], last, first});
      }
      step *= blocks[d];
    }
    return found;
  }

  /// Calls `look(point, at)` for all points of the pieces, the at-th of them.
  template <class Look>
  static void each_point(const face_pieces& pieces, const Look& look) {
    for (std::uint32_t i = 0; i < pieces.count * pieces.words; ++i) {
      look(pieces.first + i / pieces.words * pieces.step + i % pieces.words, i);
    }
  }

  void fetch(const halo3d_face& face) {
    const face_pieces& from = face.theirs;
    here_.statement([&] {
      for (std::uint32_t i = 0; i < from.count; ++i) {
        here_.get({face.neighbour, layout_.grid + place(from.first + i * from.step)},
                  face.arrivals + place(i * from.words), from.words * word_bytes);
      }
    });
  }

  void check(const halo3d_face& face, std::uint32_t iteration) {
    each_point(face.theirs, [&](std::uint32_t point, std::uint32_t at) {
      expect_stamp(here_, face.arrivals + place(at), face.neighbour, point, iteration);
    });
  }

  void write_values(std::uint32_t iteration) {
    for (const halo3d_face& face : faces_) {
      each_point(face.own, [&](std::uint32_t point, std::uint32_t) {
        here_.write(layout_.grid + place(point), stamp(here_.node(), point, iteration));
      });
    }
  }

  data_parallel& here_;
  const halo3d_config& config_;
  triple size_;
  halo3d_layout layout_;
  std::vector<halo3d_face> faces_;
};

}  // namespace

void halo3d_config::bind(parameter_set& parameters) {
  using u32 = interval<std::uint32_t>;
  parameters.add("side", side, u32{2, 512}, "points", "Of an edge of the grid.");
  parameters.add("iterations", iterations, u32{1, 10000}, "iterations",
                 "Gets, a barrier and a reduction.");
  parameters.add("blocks_x", blocks_x, u32{1, 64}, "blocks", "Along x.");
  parameters.add("blocks_y", blocks_y, u32{1, 64}, "blocks", "Along y; all others are along z.");
  bind_reduce_bytes(parameters, reduce_bytes);
  bind_cycles(parameters, "compute_cycles", compute_cycles, "in an iteration");
}

std::unique_ptr<kernel> make_halo3d(const halo3d_config& config, std::uint32_t nodes) {
  require_divisor("halo3d.blocks_x", config.blocks_x, nodes, "the nodes");
  require_divisor("halo3d.blocks_y", config.blocks_y, nodes / config.blocks_x,
                  "the nodes that have the same place along x");
  for (const std::uint32_t blocks : blocks_of(config, nodes)) {
    require_multiple("halo3d.side", config.side, blocks, "the blocks in one direction");
  }
  check_reduce_bytes("halo3d", config.reduce_bytes);
  return std::make_unique<generator_kernel<halo3d_process, halo3d_config>>(
      config, halo3d_layout(size_of(config, nodes)).bytes);
}

}  // namespace tributary::data_parallel_programs
