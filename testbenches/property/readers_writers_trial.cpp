// SPDX-License-Identifier: Apache-2.0
#include "readers_writers_trial.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include <tributary/sim/error.h>

#include "support/algorithm_runs.h"

namespace tributary::testing {
namespace {

std::string name_of(const lock_request& request) {
  return std::string(request.writer ? "writer" : "reader") + " " + std::to_string(request.element) +
         " (asked in cycle " + std::to_string(request.began) + ", first reference over in " +
         std::to_string(request.announced()) + ", granted in " + std::to_string(request.granted) +
         ")";
}

bool exclude(const lock_request& x, const lock_request& y) { return x.writer || y.writer; }

template <class Concerned>
std::string find_overtaken(const std::vector<lock_request>& history, const Concerned& concerned) {
  for (const lock_request& first : history) {
    for (const lock_request& second : history) {
      if (first.announced() <= second.began && concerned(first, second) &&
          second.granted <= first.granted) {
        return name_of(second) + " overtakes " + name_of(first);
      }
    }
  }
  return "";
}

}  // namespace

/// Words beside the lock's.
struct readers_writers_trial::words {
  explicit words(program_context& context)
      : ready(context.shared_address(mm_id{0}, 40)),
        finished(context.shared_address(mm_id{0}, 41)) {
    for (std::size_t i = 0; i < data.size(); ++i) {
      data[i] =
          context.shared_address(mm_id{static_cast<std::uint32_t>(i) % context.size()}, 42 + i);
    }
  }

  std::uint64_t ready;
  std::uint64_t finished;
  std::array<std::uint64_t, 3> data{};
};

void readers_writers_trial::reset() {
  history_.clear();
  readers_in_ = writers_in_ = writes_ = 0;
}

void readers_writers_trial::prepare(program_context& context, const words& at) {
  if (config_.initial == 0) return;
  if (context.rank() == 0) {
    context.store(config_.place.central(context, 0), config_.initial);
    context.store(at.ready, 1);
  }
  context.spin(at.ready, [](word_t word) { return word == 1; });
}

void readers_writers_trial::run(program_context& context) {
  const words at(context);
  prepare(context, at);
  std::vector<lock_reference> seen;
  const auto see = [&](const made_reference& made, word_t answer) {
    seen.push_back({made, answer, context.now()});
  };
  word_t unwritten = 0;  // what this element has to post, 0 for nothing
  const auto write = [&context, &at, &unwritten] {
    if (unwritten == 0) return;
    for (const std::uint64_t word : at.data) context.post(operation::store, word, unwritten);
    unwritten = 0;
  };
  const auto fence = [this, &context, &write] {
    if (config_.without_fence) return;
    write();
    context.fence();
  };
  const auto ask = [&](const made_reference&) {
    if (config_.hesitation != 0 && context.random(8) == 0) {
      context.delay(context.random(config_.hesitation + 1));
    }
  };
  watched_context watched(context, {ask, see, fence});
  const auto lock = config_.make(watched, config_.place);

  for (std::uint64_t round = 0; round < config_.rounds; ++round) {
    context.delay(context.random(config_.before + 1));
    const bool writer = context.random(100) < config_.writer_percent;
    const std::size_t request = history_.size();
    history_.emplace_back();
    history_[request].element = context.rank();
    history_[request].writer = writer;
    history_[request].began = context.now();
    writer ? lock->acquire_write() : lock->acquire_read();
    history_[request].granted = context.now();
    history_[request].acquiring = std::exchange(seen, {});
    enter(writer);
    hold(context, at);
    if (writer) unwritten = ++writes_;
    if (context.random(2) == 0) write();
    leave(writer);
    history_[request].leaves = context.now();
    writer ? lock->release_write() : lock->release_read();
    history_[request].released = context.now();
    write();
    history_[request].releasing = std::exchange(seen, {});
  }
  const bool last = context.fetch_add(at.finished, 1) + 1 == context.size();
  if (last && config_.at_end) config_.at_end(context.load(config_.place.central(context, 0)));
}

void readers_writers_trial::hold(program_context& context, const words& at) {
  const word_t expected = writes_;
  std::vector<pending> loads;
  for (const std::uint64_t word : at.data) loads.push_back(context.issue(operation::load, word));
  for (const pending& each : loads) {
    if (context.wait(each) == expected) continue;
    throw simulation_error("who holds the lock finds a write that is not over");
  }
  context.delay(context.random(config_.inside + 1));
}

void readers_writers_trial::enter(bool writer) {
  if (writers_in_ != 0 || (writer && readers_in_ != 0)) {
    throw simulation_error(std::string(writer ? "a writer" : "a reader") + " meets " +
                           std::to_string(readers_in_) + " readers and " +
                           std::to_string(writers_in_) + " writers");
  }
  ++(writer ? writers_in_ : readers_in_);
}

void readers_writers_trial::leave(bool writer) { --(writer ? writers_in_ : readers_in_); }

std::unique_ptr<program> make_meeting_of_readers(simple_lock_maker make) {
  return make_program([make = std::move(make)](program_context& context) {
    const auto lock = make(context);
    const std::uint64_t met = context.shared_address(500);
    lock->acquire_read();
    context.fetch_add(met, 1);
    context.spin(met, [all = context.size()](word_t word) { return word == all; });
    lock->release_read();
  });
}

std::unique_ptr<program> make_storm_of_readers(simple_lock_maker make) {
  return make_program([make = std::move(make)](program_context& context) {
    const auto lock = make(context);
    const std::uint64_t over = context.shared_address(500);
    if (context.rank() == 0) {
      context.delay(500);
      lock->acquire_write();
      context.store(over, 1);
      lock->release_write();
      return;
    }
    constexpr int long_enough = 200;
    bool written = false;
    for (int round = 0; !written && round < long_enough; ++round) {
      lock->acquire_read();
      context.delay(context.random(60));
      written = context.load(over) != 0;
      lock->release_read();
    }
    if (!written) throw simulation_error("a writer starves");
  });
}

std::string find_overtaken_writer(const std::vector<lock_request>& history) {
  return find_overtaken(
      history, [](const lock_request& x, const lock_request& y) { return x.writer && y.writer; });
}

std::string find_overtaken_request(const std::vector<lock_request>& history) {
  return find_overtaken(history, exclude);
}

std::string find_overtaking_reader(const std::vector<lock_request>& history,
                                   const waiting_since& since,
                                   const std::vector<boarding>& groups) {
  for (std::size_t i = 0; i < history.size(); ++i) {
    const lock_request& writer = history[i];
    if (!writer.writer) continue;
    const cycle_t waiting = since(i);
    for (const lock_request& reader : history) {
      if (reader.writer || reader.began < waiting || reader.granted >= writer.granted) continue;
      const bool comes_along =
          std::any_of(groups.begin(), groups.end(), [&](const boarding& group) {
            return group.first <= waiting && reader.began <= group.last;
          });
      if (!comes_along) {
        return name_of(reader) + " overtakes " + name_of(writer) + ", which waits since cycle " +
               std::to_string(waiting);
      }
    }
  }
  return "";
}

namespace {

constexpr word_t one_writer = 4;  // in the word of the lock that counts both

/// The writer's request that was the last one of `element` when `behind` joined the queue.
std::size_t find_ahead(const std::vector<lock_request>& history, std::uint32_t element,
                       const lock_request& behind) {
  std::size_t found = history.size();
  for (std::size_t i = 0; i < history.size(); ++i) {
    const lock_request& each = history[i];
    if (each.writer && each.element == element && each.began < behind.announced()) found = i;
  }
  return found;
}

cycle_t made_known(const std::vector<lock_request>& history, std::size_t writer) {
  const lock_request& request = history[writer];
  const lock_reference& joined = request.acquiring.front();
  if (joined.answer != 0) {
    const auto ahead = static_cast<std::uint32_t>(joined.answer - 1);
    return std::max(request.announced(), made_known(history, find_ahead(history, ahead, request)));
  }
  for (const lock_reference& each : request.acquiring) {
    if (each.made.what == operation::fetch_add && each.made.e == one_writer) return each.answered;
  }
  throw simulation_error("a writer found the queue empty and did not make itself known");
}

/// Groups that are taken off the list, from the first reference of whoever does it.
std::vector<boarding> boardings(const std::vector<lock_request>& history) {
  std::vector<boarding> groups;
  for (const lock_request& request : history) {
    const bool writer = request.writer;
    for (const lock_reference& each : writer ? request.releasing : request.acquiring) {
      if (each.made.what != operation::swap || each.made.e != 0) continue;
      groups.push_back({writer ? request.leaves : request.began, each.answered});
    }
  }
  return groups;
}

}  // namespace

std::string find_overtaking_reader_of_list(const std::vector<lock_request>& history) {
  const auto since = [&history](std::size_t writer) { return made_known(history, writer); };
  return find_overtaking_reader(history, since, boardings(history));
}

std::string find_delayed_reader(const std::vector<lock_request>& history) {
  for (const lock_request& reader : history) {
    if (reader.writer) continue;
    int writers = 0;
    bool shared = false;
    for (const lock_request& other : history) {
      if (other.writer) {
        writers += other.granted > reader.announced() && other.granted < reader.granted ? 1 : 0;
      } else {
        shared |= other.granted <= reader.began && other.leaves >= reader.announced();
      }
    }
    if (writers > 1) return name_of(reader) + " waits for " + std::to_string(writers) + " writers";
    if (shared && reader.acquiring.size() != 1) {
      return name_of(reader) + " waits although a reader holds the lock";
    }
  }
  return "";
}

namespace {

/// Trials of one kind, and the history of the last one.
class judged_trials {
 public:
  judged_trials(std::uint32_t elements, std::uint64_t seed, const trial_config& config,
                const history_judge& judge)
      : elements_(elements), seed_(seed), config_(config), judge_(judge) {}

  program_maker maker() {
    return [this](const std::string&) {
      return std::make_unique<readers_writers_trial>(config_, history_);
    };
  }
  /// The failure of the run, or what is wrong with its history.
  std::string judged(const std::string& machine, std::string failure) const {
    if (!failure.empty()) return failure;
    failure = judge_(history_);
    if (failure.empty()) return failure;
    return machine + ", " + std::to_string(elements_) + " elements, seed " + std::to_string(seed_) +
           ": " + failure;
  }

 private:
  std::uint32_t elements_;
  std::uint64_t seed_;
  const trial_config& config_;
  const history_judge& judge_;
  std::vector<lock_request> history_;
};

}  // namespace

std::string trial_failure(std::uint32_t elements, std::uint64_t seed, const trial_config& config,
                          const history_judge& judge) {
  judged_trials trials(elements, seed, config, judge);
  const program_maker make = trials.maker();
  std::string failure =
      trials.judged("ideal memory", failure_on_ideal_memory(elements, seed, make));
  if (failure.empty() && elements <= most_nodes) {
    failure = trials.judged("FLASH", failure_on_nodes(elements, seed, make));
  }
  for (const named_design& each : designs_for_programs()) {
    if (!failure.empty()) break;
    failure = trials.judged(each.name, failure_on(each, elements, seed, make));
  }
  return failure;
}

std::string trial_failure_on_coherent_nodes(std::uint32_t nodes, std::uint64_t seed,
                                            const trial_config& config,
                                            const history_judge& judge) {
  judged_trials trials(nodes, seed, config, judge);
  for (const auto each : {consistency_kind::sequential, consistency_kind::relaxed}) {
    const char* const name =
        each == consistency_kind::relaxed ? "FLASH, relaxed" : "FLASH, sequential";
    std::string failure =
        trials.judged(name, failure_on_coherent_nodes(nodes, seed, each, trials.maker()));
    if (!failure.empty()) return failure;
  }
  return "";
}

}  // namespace tributary::testing
