// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/readers_writers.h>

#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <tributary/algorithms/memory_place.h>
#include <tributary/algorithms/scattered_references.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

namespace tributary {
namespace {

constexpr const char* grant = "grant";
constexpr const char* reader_grant = "reader_grant";
constexpr const char* writer_grant = "writer_grant";
constexpr const char* rotation = "rotation";
constexpr const char* acquire = "acquire";
constexpr const char* held = "held";

/// Binary digits of a drawn number: as many as a probability has.
constexpr int draw_digits = 53;

class readers_writers_program final : public program {
 public:
  readers_writers_program(const readers_writers_config& config, std::uint32_t elements)
      : config_(config),
        writers_(config.roles == readers_writers_roles::all_writers
                     ? draws()
                     : static_cast<std::uint64_t>(
                           std::ldexp(config.expected_writers / elements, draw_digits))) {}

  std::vector<std::string> marks() const override {
    return {grant, reader_grant, writer_grant, rotation};
  }
  bool endless() const override { return true; }

  void run(program_context& context) override {
    const std::unique_ptr<readers_writers_lock> lock =
        make_readers_writers_lock(config_.lock, context, memory_place{});
    scattered_references work(context);
    while (true) {
      const bool writes = context.random(draws()) < writers_;
      hold(context, *lock, writes, work);
      context.delay(config_.delay);
    }
  }

 private:
  static constexpr std::uint64_t draws() { return std::uint64_t{1} << draw_digits; }

  void hold(program_context& context, readers_writers_lock& lock, bool writes,
            scattered_references& work) const {
    context.begin(acquire);
    writes ? lock.acquire_write() : lock.acquire_read();
    context.end(acquire);
    context.mark(grant);
    context.mark(writes ? writer_grant : reader_grant);
    if (context.rank() == 0) context.mark(rotation);
    context.begin(held);
    work.perform(config_.work);
    context.end(held);
    writes ? lock.release_write() : lock.release_read();
  }

  readers_writers_config config_;
  std::uint64_t writers_;  // numbers drawn below it make a writer
};

}  // namespace

void readers_writers_config::bind(parameter_set& parameters) {
  using u64 = interval<std::uint64_t>;
  parameters.add_choice("lock", lock, readers_writers_algorithms(), "Lock that all use.");
  parameters.add_choice("roles", roles,
                        {{"drawn", readers_writers_roles::drawn},
                         {"all_writers", readers_writers_roles::all_writers}},
                        "Who writes: what each element draws each time; every element every time "
                        "(FG 4.3).");
  parameters.add("expected_writers", expected_writers, interval<double>{0, 65536}, "elements",
                 "FG's E_W: where roles are drawn, an element is a writer with this divided by the "
                 "number of elements as its probability; at most the number of elements.");
  parameters.add("work", work, u64{0, std::uint64_t{1} << 40}, "",
                 "Shared references of an element while it holds the lock.");
  parameters.add("delay", delay, u64{0, std::uint64_t{1} << 40}, "cycles",
                 "Cycles from the release to the next draw.");
}

std::unique_ptr<program> make_readers_writers_program(const readers_writers_config& config,
                                                      std::uint32_t elements) {
  const bool drawn = config.roles == readers_writers_roles::drawn;
  if (drawn && config.expected_writers > elements) {
    throw configuration_error(
        {"workload.program.readers_writers.expected_writers", "",
         fmt::format("{:g} writers are more than there are elements", config.expected_writers),
         fmt::format("0 to {}", elements),
         "choose fewer writers, or a larger network.processing_elements"});
  }
  return std::make_unique<readers_writers_program>(config, elements);
}

}  // namespace tributary
