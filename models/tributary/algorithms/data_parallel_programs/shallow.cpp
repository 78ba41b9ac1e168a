// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/data_parallel_programs/shallow.h>

#include <utility>
#include <vector>

#include <tributary/algorithms/data_parallel_programs/checks.h>
#include <tributary/algorithms/data_parallel_programs/node_variables.h>
#include <tributary/algorithms/data_parallel_programs/program_parameters.h>
#include <tributary/algorithms/data_parallel_programs/shallow_model.h>
#include <tributary/sim/parameters.h>

namespace tributary::data_parallel_programs {
namespace {

/// The variables of which columns move; old_v has the place of new_v, too.
struct shallow_layout {
  std::uint64_t u = 0, v = 0, p = 0, cu = 0, cv = 0, z = 0, h = 0, old_v = 0;
  std::uint64_t bytes = 0;

  shallow_layout(std::uint64_t side, std::uint64_t width) {
    variable_places places;
    for (std::uint64_t* each : {&u, &v, &p, &cu, &cv, &z, &h, &old_v}) {
      *each = places.next((width + 1) * side);
    }
    bytes = places.bytes();
  }
};

class shallow_process {
 public:
  shallow_process(data_parallel& here, const shallow_config& config)
      : here_(here),
        config_(config),
        width_(config.side / here.nodes()),
        layout_(config.side, width_),
        water_(config.system, config.side, static_cast<std::uint32_t>(here.node()) * width_,
               width_) {}

  void run() {
    for (std::uint32_t step = 0; step < config_.steps; ++step) {
      send_values();
      send_fluxes();
      send_new_column();
      here_.context().delay(config_.point_cycles * config_.side * width_);
      water_.smooth();
    }
  }

  void compare(const shallow_water& with) const {
    compare("of u, point", water_.u, with.u);
    compare("of v, point", water_.v, with.v);
    compare("of p, point", water_.p, with.p);
  }

  static shallow_water expected(const shallow_config& config) {
    return simulate_water(config.system, config.side, config.steps);
  }

 private:
  node_id neighbour(std::uint32_t step) const {
    return node_id{(static_cast<std::uint32_t>(here_.node()) + step) % here_.nodes()};
  }
  node_id right() const { return neighbour(1); }
  node_id left() const { return neighbour(here_.nodes() - 1); }
  std::uint64_t place(std::uint64_t variable, std::uint32_t column, std::uint32_t row = 0) const {
    return variable + (std::uint64_t{column} * config_.side + row) * word_bytes;
  }

  void write_column(std::uint64_t variable, std::uint32_t column,
                    const std::vector<double>& values) {
    for (std::uint32_t i = 0; i < config_.side; ++i) {
      write_double(here_, place(variable, column, i), values[i]);
    }
  }
  void read_column(std::uint64_t variable, std::uint32_t column, std::vector<double>& values) {
    for (std::uint32_t i = 0; i < config_.side; ++i) {
      values[i] = read_double(here_, place(variable, column, i));
    }
  }

  /// Sends the first column to where the left neighbour has the one behind its own.
  void send_left(std::uint64_t variable, const water_columns& values) {
    write_column(variable, 0, values[0]);
    here_.send({left(), place(variable, width_)}, place(variable, 0), config_.side * word_bytes);
  }
  /// Sends the column behind one's own to its owner.
  void send_right(std::uint64_t variable, const water_columns& values) {
    write_column(variable, width_, values[width_]);
    here_.send({right(), place(variable, 0)}, place(variable, width_), config_.side * word_bytes);
  }

  void send_values() {
    send_left(layout_.u, water_.u);
    send_left(layout_.v, water_.v);
    send_left(layout_.p, water_.p);
    write_column(layout_.old_v, 0, water_.old_v[0]);
    here_.barrier();
    read_column(layout_.u, width_, water_.u[width_]);
    read_column(layout_.v, width_, water_.v[width_]);
    read_column(layout_.p, width_, water_.p[width_]);
  }

  void send_fluxes() {
    water_.find_fluxes();
    send_right(layout_.cv, water_.cv);
    send_right(layout_.z, water_.z);
    send_left(layout_.cu, water_.cu);
    send_left(layout_.h, water_.h);
    for (std::uint32_t i = 0; i < config_.side; ++i) {
      here_.get({right(), place(layout_.old_v, 0, i)}, place(layout_.old_v, width_, i), word_bytes);
    }
    here_.barrier();
    read_column(layout_.cv, 0, water_.cv[0]);
    read_column(layout_.z, 0, water_.z[0]);
    read_column(layout_.cu, width_, water_.cu[width_]);
    read_column(layout_.h, width_, water_.h[width_]);
    read_column(layout_.old_v, width_, water_.old_v[width_]);
  }

  void send_new_column() {
    water_.advance();
    send_right(layout_.old_v, water_.new_v);
    here_.barrier();
    read_column(layout_.old_v, 0, water_.new_v[0]);
  }

  void compare(const char* what, const water_columns& own, const water_columns& all) const {
    const std::uint32_t first = static_cast<std::uint32_t>(here_.node()) * width_;
    for (std::uint32_t j = 0; j < width_; ++j) {
      for (std::uint32_t i = 0; i < config_.side; ++i) {
        expect_same(here_, what, std::uint64_t{first + j} * config_.side + i, own[j][i],
                    all[first + j][i]);
      }
    }
  }

  data_parallel& here_;
  const shallow_config& config_;
  std::uint32_t width_;
  shallow_layout layout_;
  shallow_water water_;
};

}  // namespace

void shallow_config::bind(parameter_set& parameters) {
  using u32 = interval<std::uint32_t>;
  parameters.add("side", side, u32{2, 1024}, "points",
                 "Of a column, and columns (Klaiber 5.4: 64).");
  parameters.add("steps", steps, u32{1, 10000}, "steps", "In time (not published).");
  bind_cycles(parameters, "point_cycles", point_cycles, "to change a point in a step");
  bind_system(parameters, system, "the ripples that the water begins with");
}

std::unique_ptr<kernel> make_shallow(const shallow_config& config, std::uint32_t nodes) {
  require_nodes("shallow", nodes, 2);
  require_multiple("shallow.side", config.side, nodes, "the nodes");
  return std::make_unique<compared_kernel<shallow_process, shallow_config>>(
      config, shallow_layout(config.side, config.side / nodes).bytes);
}

}  // namespace tributary::data_parallel_programs
