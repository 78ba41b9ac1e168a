// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/data_parallel_programs/ring1d.h>

#include <array>

#include <tributary/algorithms/data_parallel_programs/checks.h>
#include <tributary/algorithms/data_parallel_programs/node_variables.h>
#include <tributary/algorithms/data_parallel_programs/program_parameters.h>
#include <tributary/sim/parameters.h>

namespace tributary::data_parallel_programs {
namespace {

constexpr std::uint32_t line_words = 4;

struct ring1d_layout {
  std::array<std::array<std::uint64_t, 2>, 2> items{};  // by side, and phase modulo 2
  std::array<std::uint64_t, 2> arrivals{};              // by side
  std::uint64_t bytes = 0;

  explicit ring1d_layout(const ring1d_config& config) {
    const std::uint64_t words = std::uint64_t{config.items} * line_words;
    variable_places places;
    for (std::uint32_t side : {0U, 1U}) {
      for (std::uint64_t& each : items[side]) each = places.next(words);
      arrivals[side] = places.next(words);
    }
    bytes = places.bytes();
  }
};

class ring1d_process {
 public:
  ring1d_process(data_parallel& here, const ring1d_config& config)
      : here_(here), config_(config), layout_(config) {}

  void run() {
    write_items(0);
    here_.barrier();
    for (std::uint32_t phase = 0; phase < config_.phases; ++phase) {
      for (const std::uint32_t side : {0U, 1U}) fetch(side, phase);
      write_items(phase + 1);
      here_.context().delay(config_.compute_cycles);
      here_.barrier();
      for (const std::uint32_t side : {0U, 1U}) check(side, phase);
    }
  }

 private:
  /// Spread evenly over the items.
  std::uint32_t words(std::uint32_t item) const {
    const auto wide = [this](std::uint32_t up_to) {
      return static_cast<std::uint64_t>(config_.wide_share * up_to + 1e-9);
    };
    return wide(item + 1) > wide(item) ? 2 : 1;
  }
  static std::uint64_t place(std::uint32_t item) {
    return std::uint64_t{item} * line_words * word_bytes;
  }
  /// Side 0 is to the left; the neighbour there has its items for the right.
  node_id neighbour(std::uint32_t side) const {
    const std::uint32_t step = side == 0 ? here_.nodes() - 1 : 1;
    return node_id{(static_cast<std::uint32_t>(here_.node()) + step) % here_.nodes()};
  }
  static std::uint64_t number(std::uint32_t side, std::uint32_t item, std::uint32_t word) {
    return (std::uint64_t{item} * 2 + side) * line_words + word;
  }

  void write_items(std::uint32_t phase) {
    for (const std::uint32_t side : {0U, 1U}) {
      for (std::uint32_t i = 0; i < config_.items; ++i) {
        for (std::uint32_t w = 0; w < words(i); ++w) {
          here_.write(layout_.items[side][phase % 2] + place(i) + std::uint64_t{word_bytes} * w,
                      stamp(here_.node(), number(side, i, w), phase));
        }
      }
    }
  }

  void fetch(std::uint32_t side, std::uint32_t phase) {
    for (std::uint32_t i = 0; i < config_.items; ++i) {
      here_.get({neighbour(side), layout_.items[1 - side][phase % 2] + place(i)},
                layout_.arrivals[side] + place(i), words(i) * word_bytes);
    }
  }

  void check(std::uint32_t side, std::uint32_t phase) {
    for (std::uint32_t i = 0; i < config_.items; ++i) {
      for (std::uint32_t w = 0; w < words(i); ++w) {
        expect_stamp(here_, layout_.arrivals[side] + place(i) + std::uint64_t{word_bytes} * w,
                     neighbour(side), number(1 - side, i, w), phase);
      }
    }
  }

  data_parallel& here_;
  const ring1d_config& config_;
  ring1d_layout layout_;
};

}  // namespace

void ring1d_config::bind(parameter_set& parameters) {
  using u32 = interval<std::uint32_t>;
  parameters.add("phases", phases, u32{1, 10000}, "phases", "Gets, and a barrier.");
  parameters.add("items", items, u32{1, 4096}, "items",
                 "That a node gets from each of its two neighbours in a phase.");
  parameters.add("wide_share", wide_share, interval<double>{0, 1}, "",
                 "Of the items, those of 16 bytes; others have 8 (0.45, fitted to Klaiber 5.5.2).");
  bind_cycles(parameters, "compute_cycles", compute_cycles, "in a phase");
}

std::unique_ptr<kernel> make_ring1d(const ring1d_config& config, std::uint32_t nodes) {
  require_nodes("ring1d", nodes, 2);
  return std::make_unique<generator_kernel<ring1d_process, ring1d_config>>(
      config, ring1d_layout(config).bytes);
}

}  // namespace tributary::data_parallel_programs
