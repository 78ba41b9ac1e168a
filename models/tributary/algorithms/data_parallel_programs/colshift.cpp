// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/data_parallel_programs/colshift.h>

#include <array>

#include <tributary/algorithms/data_parallel_programs/checks.h>
#include <tributary/algorithms/data_parallel_programs/node_variables.h>
#include <tributary/algorithms/data_parallel_programs/program_parameters.h>
#include <tributary/sim/parameters.h>

namespace tributary::data_parallel_programs {
namespace {

struct colshift_layout {
  std::array<std::uint64_t, 2> words{};    // that the neighbour gets, by phase modulo 2
  std::array<std::uint64_t, 2> columns{};  // that the other neighbour sends to, likewise
  std::uint64_t arrivals = 0;              // of gets
  std::uint64_t own_columns = 0;           // that are sent
  std::uint64_t bytes = 0;

  explicit colshift_layout(const colshift_config& config) {
    const std::uint64_t column_words = std::uint64_t{config.sends} * config.words;
    variable_places places;
    for (std::uint64_t& each : words) each = places.next(config.gets);
    for (std::uint64_t& each : columns) each = places.next(column_words);
    arrivals = places.next(config.gets);
    own_columns = places.next(column_words);
    bytes = places.bytes();
  }
};

class colshift_process {
 public:
  colshift_process(data_parallel& here, const colshift_config& config)
      : here_(here), config_(config), layout_(config) {}

  void run() {
    write_words(0);
    here_.barrier();
    for (std::uint32_t phase = 0; phase < config_.phases; ++phase) shift(phase);
  }

 private:
  node_id neighbour(std::uint32_t step) const {
    return node_id{(static_cast<std::uint32_t>(here_.node()) + step) % here_.nodes()};
  }
  node_id right() const { return neighbour(1); }
  node_id left() const { return neighbour(here_.nodes() - 1); }
  std::uint32_t column_words() const { return config_.sends * config_.words; }
  static std::uint64_t place(std::uint32_t word) { return std::uint64_t{word} * word_bytes; }

  void write_words(std::uint32_t phase) {
    for (std::uint32_t i = 0; i < config_.gets; ++i) {
      here_.write(layout_.words[phase % 2] + place(i), stamp(here_.node(), i, phase));
    }
  }

  void write_columns(std::uint64_t to, std::uint32_t phase) {
    for (std::uint32_t i = 0; i < column_words(); ++i) {
      here_.write(to + place(i), stamp(here_.node(), config_.gets + i, phase));
    }
  }

  void shift(std::uint32_t phase) {
    const std::uint64_t there = layout_.columns[phase % 2];
    for (std::uint32_t i = 0; i < config_.gets; ++i) {
      here_.get({right(), layout_.words[phase % 2] + place(i)}, layout_.arrivals + place(i),
                word_bytes);
    }
    write_words(phase + 1);
    write_columns(layout_.own_columns, phase);
    for (std::uint32_t i = 0; i < config_.sends; ++i) {
      const std::uint64_t column = place(i * config_.words);
      here_.send({right(), there + column}, layout_.own_columns + column,
                 config_.words * word_bytes);
    }
    write_columns(layout_.columns[(phase + 1) % 2], phase);
    here_.context().delay(config_.compute_cycles);
    here_.barrier();
    check(there, phase);
  }

  void check(std::uint64_t there, std::uint32_t phase) {
    for (std::uint32_t i = 0; i < config_.gets; ++i) {
      expect_stamp(here_, layout_.arrivals + place(i), right(), i, phase);
    }
    for (std::uint32_t i = 0; i < column_words(); ++i) {
      expect_stamp(here_, there + place(i), left(), config_.gets + i, phase);
    }
  }

  data_parallel& here_;
  const colshift_config& config_;
  colshift_layout layout_;
};

}  // namespace

void colshift_config::bind(parameter_set& parameters) {
  using u32 = interval<std::uint32_t>;
  parameters.add("phases", phases, u32{1, 10000}, "phases", "Gets, sends and a barrier.");
  parameters.add("gets", gets, u32{0, 65536}, "gets", "Of a word, of each node in a phase.");
  parameters.add("sends", sends, u32{0, 1024}, "sends", "Of a column, of each node in a phase.");
  parameters.add("words", words, u32{1, 8192}, "words", "Of a column (Klaiber 5.4: 64).");
  bind_cycles(parameters, "compute_cycles", compute_cycles, "in a phase");
}

std::unique_ptr<kernel> make_colshift(const colshift_config& config, std::uint32_t nodes) {
  require_nodes("colshift", nodes, 2);
  return std::make_unique<generator_kernel<colshift_process, colshift_config>>(
      config, colshift_layout(config).bytes);
}

}  // namespace tributary::data_parallel_programs
