// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/application_process.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <tributary/algorithms/mcs_queue_lock.h>
#include <tributary/algorithms/memory_place.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

namespace tributary {
namespace {

// Words of a process's own line, for its node of MCS locks, and those behind it, for its barrier.
constexpr std::uint64_t lock_words_at = 0;
constexpr std::uint64_t barrier_words_at = application_process::line_words;

/// Processes that have come to the end; no barrier has this row.
constexpr std::uint64_t ended_row = 8;

/// What is asked outside of the machine's memory in this cycle, without time.
template <class Look>
word_t ask(program_context& context, const Look& look) {
  return context.outside(0, [&] { return std::optional<word_t>(look()); });
}

void check_rows(const std::string& key, const char* region, const char* whose, std::uint64_t words,
                std::uint64_t there) {
  if (words <= there) return;
  throw configuration_error(
      {key, "", fmt::format("it needs {} words of the region {} {}", words, region, whose),
       fmt::format("0 to {}", there),
       "choose a smaller problem, more nodes, fewer node.processes or larger memories"});
}

}  // namespace

void application_config::bind(parameter_set& parameters) {
  parameters.add_choice("lock", lock,
                        lock_algorithms({lock_algorithm::ll_sc, lock_algorithm::flash}),
                        "Locks: ll_sc needs caches, and flash a FLASH machine with locks.count "
                        "above 0.");
  parameters.add_choice("barrier", barrier, barrier_algorithms({barrier_algorithm::flash}),
                        "Barriers; flash needs a FLASH machine with barriers.count above 0.");
  parameters.add_choice(
      "placement", placement,
      {{"striped", lock_placement::striped}, {"central", lock_placement::central}},
      "Lock i on node i mod N, or all on node 0 (FLASH 6.3.2).");
  const interval<std::uint64_t> bounds{1, std::uint64_t{1} << 40};
  parameters.add("back_off_least", back_off.least, bounds, "cycles",
                 "Bound of the first delay after a failure, of the locks ll_sc and test_and_set.");
  parameters.add("back_off_most", back_off.most, bounds, "cycles",
                 "Bound of the last delay; it doubles with each failure before.");
  parameters.add("radix", radix, interval<std::uint32_t>{1, barrier_state::most_children},
                 "children", "Children of a node in both trees of the barrier flash.");
}

void check_application(const std::string& key, const application_config& config,
                       const address_map& map, const kept_synchronization& machine,
                       std::uint32_t locks, std::uint64_t own_rows, std::uint64_t own_words) {
  config.back_off.validate(key);
  check_lock(key, config.lock, machine, locks);
  check_barrier(key, config.chosen_barrier(), machine);
  const auto rows = [&map](const char* region) { return map.rows(*map.region_named(region)); };
  check_rows(key, "shared", "on a node",
             application_process::free_row + own_rows + locks * application_process::line_words,
             rows("shared"));
  check_rows(key, "local", "of a process", application_process::free_words + own_words,
             local_words(rows("local"), machine.processes));
}

application_process::application_process(program_context& context, const application_config& config,
                                         const kept_synchronization& machine, std::uint32_t locks,
                                         std::uint64_t own_rows, application_figures& figures)
    : context_(context), config_(config), figures_(figures) {
  memory_place words;
  words.local = barrier_words_at;
  barrier_ = make_barrier(config.chosen_barrier(), context, words, machine);
  make_locks(locks, free_row + own_rows, machine);
  // A home knows of its locks before anybody asks for them.
  barrier_->cross();
}

/// Each lock has rows of its own, because a ticket lock's two words are in two modules; no two
/// locks share a line. A process has one node for all MCS locks, since it has one lock at a time.
void application_process::make_locks(std::uint32_t count, std::uint64_t first_row,
                                     const kept_synchronization& kept) {
  lock_choice chosen = config_.lock;
  chosen.back_off = config_.back_off;
  chosen.clearing = mcs_queue_lock::clearing::in_acquire;
  memory_place place;
  place.local = lock_words_at;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (config_.placement == lock_placement::striped) place.module = i % context_.nodes();
    place.row = first_row + std::uint64_t{i} * line_words;
    locks_.push_back(make_lock(chosen, context_, place, kept, i));
  }
}

void application_process::lock(std::uint32_t number) {
  lock_history& history = figures_.locks;
  const word_t found = ask(context_, [&] { return history.found(number); });
  const cycle_t begin = context_.now();
  context_.begin("lock");
  locks_[number]->acquire();
  context_.end("lock");
  const cycle_t end = context_.now();
  const word_t waited = ask(context_, [&] { return history.waited(number, found, end); });
  history.acquired(number);
  if (warming_up_) return;
  if (waited == 0) {
    context_.sample("acquire", end - begin);
  } else {
    context_.sample("hand_off", waited - 1);
  }
  lock_cycles_ += end - begin;
}

void application_process::unlock(std::uint32_t number) {
  const cycle_t begin = context_.now();
  context_.begin("unlock");
  locks_[number]->release();
  context_.end("unlock");
  const cycle_t end = context_.now();
  figures_.locks.released(number, end);
  lock_cycles_ += end - begin;
}

void application_process::cross() {
  const cycle_t begin = context_.now();
  figures_.crossings.arrived(crossed_, begin);
  context_.begin("barrier");
  // What others shall see behind the barrier is there before; the read by which a processor joins
  // the barrier flash waits for that itself (FLASH 6.3.4).
  if (config_.barrier != barrier_algorithm::flash) context_.fence();
  barrier_->cross();
  context_.end("barrier");
  const cycle_t end = context_.now();
  figures_.crossings.left(crossed_, end);
  ++crossed_;
  barrier_cycles_ += end - begin;
}

void application_process::begin_measurement() {
  warming_up_ = false;
  first_crossing_ = crossed_;
  begin_ = context_.now();
  lock_cycles_ = 0;
  barrier_cycles_ = 0;
}

void application_process::end_of_measurement() {
  context_.sample("time", context_.now() - begin_);
  context_.sample("synchronization", lock_cycles_ + barrier_cycles_);
  context_.sample("lock_time", lock_cycles_);
  const std::uint64_t ended = context_.shared_address(mm_id{0}, ended_row);
  if (context_.fetch_add(ended, 1) + 1 == context_.size()) sample_crossings();
}

word_t application_process::look(word_t (*what)(const barrier_history::crossing&),
                                 std::size_t number) {
  return ask(context_, [&] { return what(figures_.crossings.of(number)); });
}

void application_process::sample_crossings() {
  using crossing = barrier_history::crossing;
  std::vector<std::uint64_t> fall_through;
  const auto sample = [&](const char* name, word_t (*what)(const crossing&), std::size_t number) {
    context_.sample(name, look(what, number));
  };
  for (std::size_t i = first_crossing_; i < crossed_; ++i) {
    fall_through.push_back(
        look([](const crossing& c) { return c.first_release - c.last_arrival; }, i));
    context_.sample("fall_through", fall_through.back());
    sample(
        "release", [](const crossing& c) { return c.last_release - c.first_release; }, i);
    sample(
        "last_arrival", [](const crossing& c) { return c.last_arrival - c.last_but_one; }, i);
    sample(
        "all_arrivals", [](const crossing& c) { return c.last_arrival - c.first_arrival; }, i);
  }
  if (fall_through.empty()) return;
  const auto middle = fall_through.begin() + static_cast<std::ptrdiff_t>(fall_through.size() / 2);
  std::nth_element(fall_through.begin(), middle, fall_through.end());
  context_.sample("fall_through_median", *middle);
}

double double_of(word_t word) {
  double value = 0;
  static_assert(sizeof value == sizeof word);
  std::memcpy(&value, &word, sizeof value);
  return value;
}

word_t word_of(double value) {
  word_t word = 0;
  std::memcpy(&word, &value, sizeof word);
  return word;
}

}  // namespace tributary
