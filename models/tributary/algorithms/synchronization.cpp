// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/synchronization.h>

#include <array>

#include <fmt/format.h>

#include <tributary/algorithms/centralized_barrier.h>
#include <tributary/algorithms/dissemination_barrier.h>
#include <tributary/algorithms/ll_sc_lock.h>
#include <tributary/algorithms/mcs_tree_barrier.h>
#include <tributary/algorithms/resting_barrier.h>
#include <tributary/algorithms/test_and_set_lock.h>
#include <tributary/algorithms/ticket_lock.h>
#include <tributary/algorithms/tournament_barrier.h>
#include <tributary/sim/error.h>

namespace tributary {
namespace {

// By number of the algorithm; those of every machine come first.
constexpr std::size_t barriers_of_all = 4;
constexpr std::array<const char*, 5> barrier_names = {"centralized", "dissemination", "tournament",
                                                      "mcs_tree", "flash"};
constexpr std::size_t locks_of_all = 3;
constexpr std::array<const char*, 5> lock_names = {"test_and_set", "ticket", "mcs_queue", "ll_sc",
                                                   "flash"};

template <class Algorithm, std::size_t N>
std::vector<std::pair<std::string, Algorithm>> named(const std::array<const char*, N>& names,
                                                     std::size_t of_all,
                                                     std::initializer_list<Algorithm> more) {
  std::vector<std::pair<std::string, Algorithm>> found;
  for (std::size_t i = 0; i < of_all; ++i) found.emplace_back(names[i], static_cast<Algorithm>(i));
  for (const Algorithm each : more) {
    found.emplace_back(names.at(static_cast<std::size_t>(each)), each);
  }
  return found;
}

template <class Place>
const Place& kept_place(const std::optional<Place>& kept) {
  if (!kept) throw error("the barrier or lock flash needs its kept_synchronization");
  return *kept;
}

template <class Lock>
lock_words words_of_a(std::uint32_t elements) {
  return {Lock::central_words, Lock::own_words(elements)};
}

}  // namespace

// --- barriers ------------------------------------------------------------------------------------

std::vector<std::pair<std::string, barrier_algorithm>> barrier_algorithms(
    std::initializer_list<barrier_algorithm> more) {
  return named(barrier_names, barriers_of_all, more);
}

void check_barrier(const std::string& key, const barrier_choice& chosen,
                   const kept_synchronization& kept) {
  if (chosen.algorithm != barrier_algorithm::flash) return;
  if (!kept.barriers) {
    throw configuration_error({key + ".barrier", "",
                               "the controllers of this machine keep no barriers",
                               "flash where barriers.count is not 0",
                               "set barriers.count of a FLASH machine, or choose another barrier"});
  }
  const std::uint32_t most = barrier_state::most_joins - chosen.join_radix;
  if (kept.processes <= most) return;
  throw configuration_error(
      {"node.processes", "",
       fmt::format("{} processes and {} children of a node are more joins than the barrier flash "
                   "counts",
                   kept.processes, chosen.join_radix),
       fmt::format("1 to {} where {} has the barrier flash with joins of radix {}", most, key,
                   chosen.join_radix),
       "run fewer processes on a node, or choose a smaller radix"});
}

namespace {

/// Whatever the processor is at meanwhile.
std::unique_ptr<barrier> make_plain_barrier(const barrier_choice& chosen, program_context& context,
                                            const memory_place& place,
                                            const kept_synchronization& kept) {
  switch (chosen.algorithm) {
    case barrier_algorithm::centralized:
      return std::make_unique<centralized_barrier>(context, place);
    case barrier_algorithm::dissemination:
      return std::make_unique<dissemination_barrier>(context, place);
    case barrier_algorithm::tournament:
      return std::make_unique<tournament_barrier>(context, place);
    case barrier_algorithm::mcs_tree:
      return std::make_unique<mcs_tree_barrier>(context, place);
    case barrier_algorithm::flash:
      return std::make_unique<flash_barrier>(
          context, kept_place(kept.barriers),
          barrier_trees{context.nodes(), chosen.join_radix, chosen.release_radix, false,
                        context.processes()});
  }
  throw error("no such barrier");
}

}  // namespace

std::unique_ptr<barrier> make_barrier(const barrier_choice& chosen, program_context& context,
                                      const memory_place& place, const kept_synchronization& kept) {
  return resting_at(make_plain_barrier(chosen, context, place, kept), context, kept);
}

std::unique_ptr<barrier> resting_at(std::unique_ptr<barrier> made, program_context& context,
                                    const kept_synchronization& kept) {
  if (!kept.rest) return made;
  return std::make_unique<resting_barrier>(context, *kept.rest, std::move(made));
}

// --- locks ---------------------------------------------------------------------------------------

std::vector<std::pair<std::string, lock_algorithm>> lock_algorithms(
    std::initializer_list<lock_algorithm> more) {
  return named(lock_names, locks_of_all, more);
}

lock_words words_of(lock_algorithm algorithm, std::uint32_t elements) {
  switch (algorithm) {
    case lock_algorithm::test_and_set:
      return words_of_a<test_and_set_lock>(elements);
    case lock_algorithm::ticket:
      return words_of_a<ticket_lock>(elements);
    case lock_algorithm::mcs_queue:
      return words_of_a<mcs_queue_lock>(elements);
    case lock_algorithm::ll_sc:
      return words_of_a<ll_sc_lock>(elements);
    case lock_algorithm::flash:
      return {};
  }
  throw error("no such lock");
}

void check_lock(const std::string& key, lock_algorithm algorithm, const kept_synchronization& kept,
                std::uint32_t count) {
  if (algorithm == lock_algorithm::ll_sc && !kept.serves_pairs) {
    throw configuration_error({key + ".lock", "", "the processors of this machine have no caches",
                               "ll_sc where node.processor_caches.present is true",
                               "choose another lock, or a FLASH machine with caches"});
  }
  const bool are_enough = kept.locks && kept.locks->count >= count;
  if (algorithm != lock_algorithm::flash || are_enough) return;
  throw configuration_error(
      {key + ".lock", "",
       kept.locks ? fmt::format("the controllers of this machine keep {} locks, {} are needed",
                                kept.locks->count, count)
                  : "the controllers of this machine keep no locks",
       fmt::format("flash where locks.count is {} or more", count),
       "raise locks.count of a FLASH machine, or choose another lock"});
}

std::unique_ptr<mutual_exclusion_lock> make_lock(const lock_choice& chosen,
                                                 program_context& context,
                                                 const memory_place& place,
                                                 const kept_synchronization& kept,
                                                 std::uint32_t number) {
  switch (chosen.algorithm) {
    case lock_algorithm::test_and_set:
      return std::make_unique<test_and_set_lock>(context, place, chosen.back_off);
    case lock_algorithm::ticket:
      return std::make_unique<ticket_lock>(context, place);
    case lock_algorithm::mcs_queue:
      return std::make_unique<mcs_queue_lock>(context, place, chosen.clearing);
    case lock_algorithm::ll_sc:
      return std::make_unique<ll_sc_lock>(context, place, chosen.back_off);
    case lock_algorithm::flash: {
      flash_lock_place here = kept_place(kept.locks);
      here.number = number;
      here.home = node_id{place.module};
      return std::make_unique<flash_lock>(context, here, chosen.manner);
    }
  }
  throw error("no such lock");
}

}  // namespace tributary
