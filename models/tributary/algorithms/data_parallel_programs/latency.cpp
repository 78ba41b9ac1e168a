// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/data_parallel_programs/latency.h>

#include <tributary/algorithms/data_parallel_programs/checks.h>
#include <tributary/algorithms/data_parallel_programs/node_variables.h>
#include <tributary/algorithms/data_parallel_programs/program_parameters.h>
#include <tributary/sim/parameters.h>

namespace tributary::data_parallel_programs {
namespace {

constexpr node_id holder{0};
constexpr node_id asker{1};

class latency_process {
 public:
  latency_process(data_parallel& here, const latency_config& config)
      : here_(here), config_(config) {}

  void run() {
    for (std::uint32_t i = 0; i < words(); ++i) here_.write(own(i), stamp(here_.node(), i, 0));
    here_.barrier();
    for (std::uint32_t round = 0; round <= config_.rounds; ++round) measure(round);
  }

 private:
  // Three items: the own one, what was got, what was sent.
  std::uint32_t words() const { return config_.bytes / std::uint32_t{word_bytes}; }
  std::uint64_t own(std::uint32_t word) const { return word * word_bytes; }
  std::uint64_t got(std::uint32_t word) const { return (words() + word) * word_bytes; }
  std::uint64_t sent(std::uint32_t word) const { return (2 * words() + word) * word_bytes; }

  /// Cycles that it takes.
  template <class Action>
  std::uint64_t time(Action&& action) {
    const std::uint64_t begin = here_.context().now();
    action();
    return here_.context().now() - begin;
  }

  void measure(std::uint32_t round) {
    const bool is_asker = here_.node() == asker;
    const std::uint64_t alone = time([&] { here_.barrier(); });
    const std::uint64_t get = time([&] {
      if (is_asker) here_.get({holder, own(0)}, got(0), config_.bytes);
      here_.barrier();
    });
    const std::uint64_t send = time([&] {
      if (is_asker) here_.send({holder, sent(0)}, own(0), config_.bytes);
      here_.barrier();
    });
    reduce(round);
    check();
    here_.barrier();
    if (round == 0) return;
    program_context& context = here_.context();
    if (is_asker) context.sample("get", get > alone ? get - alone : 0);
    if (here_.node() != holder) return;
    context.sample("barrier", alone);
    context.sample("hand_off", send);
  }

  void reduce(std::uint32_t round) {
    if (round != 0) here_.context().begin("reduction");
    expect_reduced(here_, round, word_bytes);
    if (round != 0) here_.context().end("reduction");
  }

  void check() {
    for (std::uint32_t i = 0; i < words(); ++i) {
      if (here_.node() == asker) expect_stamp(here_, got(i), holder, i, 0);
      if (here_.node() == holder) expect_stamp(here_, sent(i), asker, i, 0);
    }
  }

  data_parallel& here_;
  const latency_config& config_;
};

}  // namespace

void latency_config::bind(parameter_set& parameters) {
  using u32 = interval<std::uint32_t>;
  parameters.add("rounds", rounds, u32{1, 100000}, "rounds", "That are measured, behind one.");
  parameters.add("bytes", bytes, u32{8, 65536}, "bytes", "Of an item, whole words.");
}

std::unique_ptr<kernel> make_latency(const latency_config& config, std::uint32_t nodes) {
  require_nodes("latency", nodes, 2);
  require_multiple("latency.bytes", config.bytes, word_bytes, "the bytes of a word");
  variable_places places;
  places.next(std::uint64_t{3} * config.bytes / word_bytes);
  return std::make_unique<generator_kernel<latency_process, latency_config>>(config,
                                                                             places.bytes());
}

}  // namespace tributary::data_parallel_programs
