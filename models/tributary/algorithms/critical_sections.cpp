// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/critical_sections.h>

#include <string>
#include <utility>
#include <vector>

#include <tributary/algorithms/memory_place.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

namespace tributary {
namespace {

class critical_sections_program final : public program {
 public:
  critical_sections_program(const critical_sections_config& config, std::uint32_t modules,
                            const kept_synchronization& kept)
      : config_(config), modules_(modules), kept_(kept) {}

  void run(program_context& context) override {
    std::vector<std::unique_ptr<mutual_exclusion_lock>> locks;
    for (std::uint32_t i = 0; i < config_.locks; ++i) locks.push_back(make(context, i));
    // A home knows of its locks before anybody asks for them.
    if (config_.lock == lock_algorithm::flash) meet(context);
    for (std::uint64_t i = 0; i < config_.count; ++i) {
      const auto drawn = static_cast<std::uint32_t>(context.random(config_.locks));
      perform_section(context, *locks[drawn], protected_word(context, drawn));
      context.delay(context.random(2 * config_.idle + 1));
    }
    if (context.fetch_add(met(context, 1), 1) + 1 == context.size()) check(context);
  }

 private:
  void perform_section(program_context& context, mutual_exclusion_lock& lock,
                       std::uint64_t word) const {
    context.begin("acquire");
    lock.acquire();
    context.end("acquire");
    context.begin("section");
    const word_t before = context.load(word);
    context.delay(config_.held);
    context.store(word, before + 1);
    context.end("section");
    lock.release();
  }

  void check(program_context& context) const {
    const std::uint64_t all = config_.count * context.size();
    std::uint64_t seen = 0;
    for (std::uint32_t i = 0; i < config_.locks; ++i)
      seen += context.load(protected_word(context, i));
    if (seen == all) return;
    throw simulation_error("critical sections incremented their words " + std::to_string(seen) +
                           " times instead of " + std::to_string(all) +
                           "; two were in one section at once");
  }

  void meet(program_context& context) const {
    context.fetch_add(met(context, 0), 1);
    const std::uint32_t all = context.size();
    context.spin(met(context, 0), [all](word_t here) { return here == all; });
  }

  /// Words 0 and 1 count elements; the others are protected, each in a module of its own.
  static std::uint64_t met(const program_context& context, std::uint64_t i) {
    return memory_place{}.central(context, i);
  }
  static std::uint64_t protected_word(const program_context& context, std::uint64_t lock) {
    return memory_place{}.central(context, 2 + lock);
  }

  std::unique_ptr<mutual_exclusion_lock> make(program_context& context,
                                              std::uint32_t number) const {
    lock_choice chosen = config_.lock;
    if (config_.aggressive) chosen.manner = flash_lock::manner::aggressive;
    const lock_words words = words_of(config_.lock, context.size());
    memory_place place;
    place.module = number % modules_;
    place.row = memory_place::rows(2 + std::uint64_t{config_.locks}, modules_) +
                number * memory_place::rows(words.central, modules_);
    place.local = std::uint64_t{number} * words.own;
    return make_lock(chosen, context, place, kept_, number);
  }

  critical_sections_config config_;
  std::uint32_t modules_;
  kept_synchronization kept_;
};

}  // namespace

void critical_sections_config::bind(parameter_set& parameters) {
  using u64 = interval<std::uint64_t>;
  parameters.add_choice("lock", lock,
                        lock_algorithms({lock_algorithm::ll_sc, lock_algorithm::flash}),
                        "Lock of each section; ll_sc needs caches, and the controllers of a FLASH "
                        "machine with locks.count above 0 keep the lock flash.");
  parameters.add("locks", locks, interval<std::uint32_t>{1, 4096}, "locks",
                 "Locks, of which an element draws one for each section.");
  parameters.add("count", count, u64{1, std::uint64_t{1} << 40}, "", "Sections of each element.");
  parameters.add("held", held, u64{0, std::uint64_t{1} << 40}, "cycles",
                 "Between the load and the store of a section.");
  parameters.add("idle", idle, u64{0, std::uint64_t{1} << 40}, "cycles",
                 "The mean from one section to the next; from none to twice as many are drawn.");
  parameters.add(
      "aggressive", aggressive,
      "Whether a processor asks for the lock flash before it looks at it (FLASH 6.1.8).");
}

std::unique_ptr<program> make_critical_sections_program(const critical_sections_config& config,
                                                        const address_map& map,
                                                        const kept_synchronization& kept) {
  const std::string key = "workload.program.critical_sections";
  check_lock(key, config.lock, kept, 1);
  if (config.lock == lock_algorithm::flash && config.locks > kept.locks->count) {
    throw configuration_error(
        {key + ".locks", "", std::to_string(config.locks) + " are more than locks.count",
         "1 to " + std::to_string(kept.locks->count), "take fewer, or raise locks.count"});
  }
  if (config.aggressive && config.lock != lock_algorithm::flash) {
    throw configuration_error({key + ".aggressive", "",
                               "only the lock flash can be asked for first", "false",
                               "leave it out, or set lock to \"flash\""});
  }
  return std::make_unique<critical_sections_program>(config, map.modules(), kept);
}

}  // namespace tributary
