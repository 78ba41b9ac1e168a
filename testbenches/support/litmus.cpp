// SPDX-License-Identifier: Apache-2.0
#include "litmus.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <tributary/sim/error.h>

#include <flash/flash_machine.h>

#include "ideal_machine.h"
#include "late_messages.h"
#include "program_machines.h"
#include "random_choice.h"

namespace tributary::testing {
namespace {

// Streams of random numbers: what the rounds are, and what an element does in them.
constexpr std::uint32_t plan_stream = 105;  // one that shows independent reads, which are rare
constexpr std::uint32_t element_stream = 101;

// A round has long ended when the next begins: a few hundred references to one word take 4 cycles
// each where nothing combines.
constexpr cycle_t round_cycles = 600;
constexpr std::uint64_t latest_litmus = 60;       // start in its round
constexpr std::uint64_t latest_thread = 16;       // start in its litmus
constexpr std::uint64_t latest_traffic = 3;       // reference after the one before it
constexpr std::uint64_t traffic_references = 20;  // of an element in a round, at most
constexpr std::uint32_t most_hot_modules = 2;

// Row 0 of module 0 counts the elements that have ended; the litmuses' rows come behind it.
constexpr std::uint64_t ended_row = 0;
constexpr std::uint64_t first_row = 1;

constexpr unsigned x = 0;
constexpr unsigned y = 1;

litmus_reference write(unsigned word, word_t value) {
  return {operation::store, word, value, false};
}
litmus_reference read(unsigned word) { return {operation::load, word, 0, false}; }
litmus_reference await(unsigned word) { return {operation::load, word, 0, true}; }
litmus_reference add(unsigned word, word_t value) {
  return {operation::fetch_add, word, value, false};
}

using observation = litmus_observation;

std::vector<litmus> across_words() {
  const auto kind = litmus_kind::across_words;
  return {
      {"message passing",
       "x = 1; y = 1 | a = y; b = x",
       "a = 1, b = 0",
       kind,
       {{{write(x, 1), write(y, 1)}, {}}, {{read(y), read(x)}, {}}},
       [](const observation& o) { return o.replies[2] == 1 && o.replies[3] == 0; }},
      {"message passing, polled",
       "x = 1; y = 1 | poll y; b = x",
       "b = 0",
       kind,
       {{{write(x, 1), write(y, 1)}, {}}, {{await(y), read(x)}, {}}},
       [](const observation& o) { return o.replies[3] == 0; }},
      {"store buffering",
       "x = 1; a = y | y = 1; b = x",
       "a = 0, b = 0",
       kind,
       {{{write(x, 1), read(y)}, {}}, {{write(y, 1), read(x)}, {}}},
       [](const observation& o) { return o.replies[1] == 0 && o.replies[3] == 0; }},
      {"load buffering",
       "a = x; y = 1 | b = y; x = 1",
       "a = 1, b = 1",
       kind,
       {{{read(x), write(y, 1)}, {}}, {{read(y), write(x, 1)}, {}}},
       [](const observation& o) { return o.replies[0] == 1 && o.replies[2] == 1; }},
      {"stores crossed",
       "x = 1; y = 2 | y = 1; x = 2",
       "x = 1, y = 1",
       kind,
       {{{write(x, 1), write(y, 2)}, {}}, {{write(y, 1), write(x, 2)}, {}}},
       [](const observation& o) { return o.words[x] == 1 && o.words[y] == 1; }},
      {"store and load (R)",
       "x = 1; y = 1 | y = 2; a = x",
       "y = 2, a = 0",
       kind,
       {{{write(x, 1), write(y, 1)}, {}}, {{write(y, 2), read(x)}, {}}},
       [](const observation& o) { return o.words[y] == 2 && o.replies[3] == 0; }},
      {"load and store (S)",
       "x = 2; y = 1 | a = y; x = 1",
       "a = 1, x = 2",
       kind,
       {{{write(x, 2), write(y, 1)}, {}}, {{read(y), write(x, 1)}, {}}},
       [](const observation& o) { return o.replies[2] == 1 && o.words[x] == 2; }},
      {"handed on",
       "x = 1 | a = x; y = 1 | b = y; c = x",
       "a = 1, b = 1, c = 0",
       kind,
       {{{write(x, 1)}, {}}, {{read(x), write(y, 1)}, {}}, {{read(y), read(x)}, {}}},
       [](const observation& o) {
         return o.replies[1] == 1 && o.replies[3] == 1 && o.replies[4] == 0;
       }},
      {"independent reads",
       "x = 1 | y = 1 | a = x; b = y | c = y; d = x",
       "a = 1, b = 0, c = 1, d = 0",
       kind,
       {{{write(x, 1)}, {}},
        {{write(y, 1)}, {}},
        {{read(x), read(y)}, {}},
        {{read(y), read(x)}, {}}},
       [](const observation& o) {
         return o.replies[2] == 1 && o.replies[3] == 0 && o.replies[4] == 1 && o.replies[5] == 0;
       }},
      {"real time",
       "x = 1; then the clock is read | the clock is read, later; a = x",
       "a = 0",
       kind,
       {{{write(x, 1)}, {}}, {{read(x)}, {}}},
       [](const observation& o) { return o.began[1] >= o.done[0] && o.replies[1] == 0; }},
  };
}

std::vector<litmus> one_word() {
  const auto kind = litmus_kind::one_word;
  return {
      {"load, load",
       "x = 1 | a = x; b = x",
       "a = 1, b = 0",
       kind,
       {{{write(x, 1)}, {}}, {{read(x), read(x)}, {}}},
       [](const observation& o) { return o.replies[1] == 1 && o.replies[2] == 0; }},
      {"store, store",
       "x = 1; x = 2",
       "x = 1",
       kind,
       {{{write(x, 1), write(x, 2)}, {}}},
       [](const observation& o) { return o.words[x] != 2; }},
      {"fetch-and-add, store",
       "x += 1; x = 2",
       "x = 3",
       kind,
       {{{add(x, 1), write(x, 2)}, {}}},
       [](const observation& o) { return o.words[x] != 2; }},
      {"load, store",
       "a = x; x = 1",
       "a = 1",
       kind,
       {{{read(x), write(x, 1)}, {}}},
       [](const observation& o) { return o.replies[0] != 0; }},
      {"fetch-and-add, load",
       "x += 1; a = x",
       "a = 0",
       kind,
       {{{add(x, 1), read(x)}, {}}},
       [](const observation& o) { return o.replies[1] != 1; }},
  };
}

std::vector<litmus> atomic_and_allowed() {
  const auto fenced = litmus_form::fenced;
  const auto issued = litmus_form::issued;
  return {
      {"fetch-and-add",
       "a = x++ | b = x++",
       "a = b or x not 2",
       litmus_kind::atomic,
       {{{add(x, 1)}, {}}, {{add(x, 1)}, {}}},
       [](const observation& o) { return o.replies[0] == o.replies[1] || o.words[x] != 2; }},
      {"test-and-set",
       "a = test-and-set x | b = test-and-set x",
       "a = b",
       litmus_kind::atomic,
       {{{{operation::test_and_set, x, 0, false}}, {}},
        {{{operation::test_and_set, x, 0, false}}, {}}},
       [](const observation& o) { return o.replies[0] == o.replies[1]; }},
      {"compare-and-swap",
       "a = x, 1 if 0 | b = x, 2 if 0",
       "a = 0, b = 0",
       litmus_kind::atomic,
       {{{{operation::compare_and_swap, x, 1, false}}, {}},
        {{{operation::compare_and_swap, x, 2, false}}, {}}},
       [](const observation& o) { return o.replies[0] == 0 && o.replies[1] == 0; }},
      {"a fence at the writer only",
       "x = 1; fence; y = 1 | a = y; b = x",
       "a = 1, b = 0",
       litmus_kind::allowed,
       {{{write(x, 1), write(y, 1)}, fenced}, {{read(y), read(x)}, issued}},
       [](const observation& o) { return o.replies[2] == 1 && o.replies[3] == 0; }},
      {"a fence at the reader only",
       "x = 1; y = 1 | a = y; fence; b = x",
       "a = 1, b = 0",
       litmus_kind::allowed,
       {{{write(x, 1), write(y, 1)}, issued}, {{read(y), read(x)}, fenced}},
       [](const observation& o) { return o.replies[2] == 1 && o.replies[3] == 0; }},
      {"load, then store",
       "a = x; fence; x = a + 1 | b = x; fence; x = b + 1",
       "a = 0, b = 0, x = 1",
       litmus_kind::allowed,
       {{{read(x), write(x, 1)}, fenced}, {{read(x), write(x, 1)}, fenced}},
       [](const observation& o) {
         return o.replies[0] == 0 && o.replies[2] == 0 && o.words[x] == 1;
       }},
  };
}

std::vector<litmus> make_all() {
  std::vector<litmus> all = across_words();
  for (auto&& some : {one_word(), atomic_and_allowed()})
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

/// An operation that leaves every word as it is, with its operand. Where there are caches most are
/// loads: the others take the line from all who share it.
std::pair<operation, word_t> draw_reading(random_stream& random, bool is_cached) {
  switch (random.below(is_cached ? 16 : 5)) {
    case 0:
      return {operation::fetch_add, 0};
    case 1:
      return {operation::fetch_or, 0};
    case 2:
      return {operation::fetch_max_unsigned, 0};
    default:
      return {operation::load, 0};
  }
}

/// A reference as it is made: compare-and-swap takes the value as the second operand, after 0.
struct made_reference {
  operation what;
  word_t e;
  word_t f;
};

made_reference draw_reference(const litmus_reference& asked, random_stream& random,
                              bool is_cached) {
  switch (asked.what) {
    case operation::load: {
      const auto drawn = draw_reading(random, is_cached);
      return {drawn.first, drawn.second, 0};
    }
    case operation::store:
      return {random.below(3) == 0 ? operation::swap : operation::store, asked.value, 0};
    case operation::compare_and_swap:
      return {asked.what, 0, asked.value};
    default:
      return {asked.what, asked.value, 0};
  }
}

std::size_t references_of(const litmus& what) {
  std::size_t count = 0;
  for (const litmus_thread& each : what.threads) count += each.references.size();
  return count;
}

/// Number of the first reference of a thread among those of its litmus.
std::size_t first_of(const litmus& what, std::size_t thread) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < thread; ++i) count += what.threads[i].references.size();
  return count;
}

template <class T>
void shuffle(std::vector<T>& all, random_stream& random) {
  for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[random.below(i)]);
}

}  // namespace

const char* const ideal_memory = "ideal memory";

const std::vector<litmus>& all_litmus() {
  static const std::vector<litmus> all = make_all();
  return all;
}

litmus_program::litmus_program(litmus_form form, std::uint64_t seed, std::uint32_t elements,
                               std::uint32_t rounds, context_fault fault, std::uint32_t pace)
    : form_(form), seed_(seed), elements_(elements), rounds_(rounds), fault_(fault), pace_(pace) {
  random_stream random(seed, 0U, plan_stream);
  for (std::size_t i = 0; i < rounds_.size(); ++i) plan_round(rounds_[i], i, random);
}

void litmus_program::plan_round(round& planned, std::uint64_t number, random_stream& random) const {
  std::vector<std::uint32_t> free(elements_);
  std::iota(free.begin(), free.end(), 0U);
  shuffle(free, random);
  std::vector<std::size_t> order(all_litmus().size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  shuffle(order, random);
  planned.roles.resize(elements_);
  const std::size_t traffic = elements_ / 3;  // at least so many elements send only that
  const auto hot = static_cast<std::uint32_t>(random.below(elements_));
  for (const std::size_t each : order) {
    const litmus& what = all_litmus()[each];
    const std::size_t threads = what.threads.size();
    if (free.size() < threads + traffic) continue;
    instance made;
    made.what = each;
    made.observed.replies.resize(references_of(what));
    made.observed.began.resize(threads);
    made.observed.done.resize(threads);
    const std::vector<std::uint32_t> chosen(free.end() - static_cast<std::ptrdiff_t>(threads),
                                            free.end());
    free.resize(free.size() - threads);
    const std::uint64_t row = first_row + 2 * (number * all_litmus().size() + each);
    made.words[x] = draw_place(chosen, hot, row, random);
    made.words[y] = draw_place(chosen, hot, row + 1, random);
    const std::uint64_t begin = random.below(latest_litmus * pace_);
    const std::uint64_t window = thread_window(random);
    for (std::uint32_t thread = 0; thread < threads; ++thread) {
      planned.roles[chosen[thread]] = {static_cast<std::int32_t>(planned.instances.size()), thread,
                                       static_cast<std::uint32_t>(begin + random.below(window))};
    }
    planned.instances.push_back(std::move(made));
  }
  planned.hot = hot;
  planned.hot_modules = 1 + static_cast<std::uint32_t>(random.below(most_hot_modules));
  planned.combines = random.below(2) == 0;
}

/// Where there are caches, threads begin together, or so that one may begin when another has made
/// a reference or two.
std::uint64_t litmus_program::thread_window(random_stream& random) const {
  if (!is_cached()) return latest_thread;
  return latest_thread * one_of(random, {1 + pace_ / 8, pace_, 4 * pace_});
}

litmus_program::place litmus_program::draw_place(const std::vector<std::uint32_t>& threads,
                                                 std::uint32_t hot, std::uint64_t row,
                                                 random_stream& random) const {
  const auto drawn = static_cast<std::uint32_t>(random.below(4));
  if (drawn < most_hot_modules) return {false, (hot + drawn) % elements_, row};
  if (drawn == most_hot_modules) {
    return {false, static_cast<std::uint32_t>(random.below(elements_)), row};
  }
  return {true, threads[random.below(threads.size())], row};
}

std::uint64_t litmus_program::address_of(const program_context& context, const place& where) {
  return where.local ? context.local_address(pe_id{where.owner}, where.row)
                     : context.shared_address(mm_id{where.owner}, where.row);
}

void litmus_program::run(program_context& context) {
  faulty_context judged(context, fault_);
  random_stream random(seed_, context.rank(), element_stream);
  cycle_t start = 0;
  for (round& now : rounds_) {
    start += round_cycles * pace_;
    const cycle_t cycle = context.now();
    if (cycle < start) context.delay(start - cycle);
    const role& own = now.roles[context.rank()];
    if (own.instance < 0) {
      send_traffic(context, now, random);
    } else {
      take_part(judged, now.instances[static_cast<std::size_t>(own.instance)], own, random);
    }
    context.fence();
  }
  context.fetch_add(context.shared_address(mm_id{0}, ended_row), 1);
  if (context.rank() == 0) read_words(context);
}

/// Whoever has the words in its caches can read what was there before, and must lose it.
void litmus_program::fill_caches(program_context& context, const instance& filled,
                                 const litmus_thread& thread) const {
  const cycle_t end = context.now() + latest_litmus * pace_;
  for (const litmus_reference& each : thread.references) {
    context.load(address_of(context, filled.words[each.word]));
  }
  const cycle_t now = context.now();
  if (now < end) context.delay(end - now);
}

void litmus_program::take_part(program_context& context, instance& what, const role& own,
                               random_stream& random) {
  const litmus& played = all_litmus()[what.what];
  const litmus_thread& thread = played.threads[own.thread];
  const litmus_form form = thread.always.value_or(form_);
  word_t* const replies = &what.observed.replies[first_of(played, own.thread)];
  std::vector<std::pair<std::size_t, pending>> later;
  if (is_cached()) fill_caches(context, what, thread);
  context.delay(own.delay);
  what.observed.began[own.thread] = context.now();
  for (std::size_t i = 0; i < thread.references.size(); ++i) {
    const litmus_reference& each = thread.references[i];
    const std::uint64_t address = address_of(context, what.words[each.word]);
    if (form == litmus_form::fenced && i != 0) context.fence();
    if (each.spins) {
      replies[i] = context.spin(address, [](word_t value) { return value != 0; });
      continue;
    }
    const made_reference made = draw_reference(each, random, is_cached());
    if (form == litmus_form::awaited) {
      replies[i] = context.perform(made.what, address, made.e, made.f);
    } else {
      later.emplace_back(i, context.issue(made.what, address, made.e, made.f));
    }
  }
  if (form == litmus_form::fenced) context.fence();
  what.observed.done[own.thread] = context.now();
  for (const auto& each : later) replies[each.first] = context.wait(each.second);
}

void litmus_program::send_traffic(program_context& context, const round& now,
                                  random_stream& random) const {
  const std::uint64_t count = random.below(traffic_references + 1);
  const std::uint64_t own_row =
      first_row + 2 * rounds_.size() * all_litmus().size() + context.rank() * traffic_references;
  for (std::uint64_t i = 0; i < count; ++i) {
    context.delay(random.below(latest_traffic * pace_));
    // Where much combines, one word for all; else the element's own in a hot module; and any words
    // of the litmuses.
    place where{false,
                (now.hot + static_cast<std::uint32_t>(random.below(now.hot_modules))) % elements_,
                own_row + i};
    if (now.combines) where = now.instances.front().words[x];
    if (random.below(3) == 0) {
      where = now.instances[random.below(now.instances.size())].words[random.below(2)];
    }
    const auto drawn = draw_reading(random, is_cached());
    context.post(drawn.first, address_of(context, where), drawn.second);
  }
}

void litmus_program::read_words(program_context& context) {
  context.spin(context.shared_address(mm_id{0}, ended_row),
               [this](word_t ended) { return ended == elements_; });
  for (round& now : rounds_) {
    for (instance& each : now.instances) {
      const pending first = context.issue(operation::load, address_of(context, each.words[x]));
      const pending second = context.issue(operation::load, address_of(context, each.words[y]));
      each.observed.words[x] = context.wait(first);
      each.observed.words[y] = context.wait(second);
    }
  }
}

litmus_counts litmus_program::counts() const {
  litmus_counts counts(all_litmus().size());
  for (const round& each : rounds_) {
    for (const instance& made : each.instances) {
      litmus_count& counted = counts[made.what];
      ++counted.runs;
      if (all_litmus()[made.what].seen(made.observed)) ++counted.seen;
    }
  }
  return counts;
}

const std::vector<std::string>& litmus_machines() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> names{ideal_memory};
    for (const named_design& each : designs_for_programs()) names.emplace_back(each.name);
    return names;
  }();
  return all;
}

litmus_counts run_litmus(const std::string& machine, const litmus_setup& setup,
                         std::uint64_t seed) {
  auto made =
      std::make_unique<litmus_program>(setup.form, seed, setup.elements, setup.rounds, setup.fault);
  const litmus_program& played = *made;
  if (machine == ideal_memory) {
    ideal_config config;
    config.elements = setup.elements;
    config.interface = setup.interface;
    config.processor.turnaround = setup.turnaround;
    config.slowest = 100;
    ideal_machine simulated(config, seed, std::move(made));
    simulated.run();
    return played.counts();
  }
  for (const named_design& each : designs_for_programs()) {
    if (machine != each.name) continue;
    ultracomputer_config config = program_machine(each, setup.elements);
    config.interface = setup.interface;
    config.processor.turnaround = setup.turnaround;
    ultracomputer simulated(config, seed, std::move(made));
    run_to_end(simulated);
    return played.counts();
  }
  throw error("there is no machine \"" + machine + "\"");
}

litmus_counts run_coherent_litmus(consistency_kind consistency, const litmus_setup& setup,
                                  std::uint64_t seed) {
  // A miss takes some hundred cycles of the processor, and a contended one more.
  constexpr std::uint32_t pace = 100;
  auto made = std::make_unique<litmus_program>(setup.form, seed, setup.elements, setup.rounds,
                                               setup.fault, pace);
  const litmus_program& played = *made;
  random_stream random(seed, 11U, 0U);
  flash_config config;
  config.machine.nodes = setup.elements;
  config.machine.network.topology = topology_kind::mesh;
  config.machine.network.hop_latency = one_of(random, {1U, 20U});
  config.machine.node.memory.bytes = std::uint64_t{1} << 20;
  config.machine.node.caches.present = true;
  config.machine.node.caches.levels.retry_cycles = between(random, 1, 100);
  config.coherence.consistency = consistency;
  config.processor.turnaround = setup.turnaround;
  config.processor.start_window = 50;
  flash_machine simulated(config, seed, std::move(made));
  // For R an invalidation must be slower than all that goes on meanwhile, which passes through the
  // same nodes. The network does not make it slower, so the test delays some messages.
  const std::uint32_t messages_late = one_of(random, {0U, 5000U, 5000U, 5000U});
  auto& nodes = dynamic_cast<magic_machine&>(simulated.nodes());
  std::vector<std::unique_ptr<late_arrivals>> late;
  for (std::uint32_t i = 0; i < setup.elements; ++i) {
    const random_stream draws(seed, i, 12U);
    late.push_back(
        std::make_unique<late_arrivals>(nodes, i, random_delays(draws, messages_late, 4)));
  }
  simulated.run_until(never - 1);
  return played.counts();
}

void add(litmus_counts& sum, const litmus_counts& more) {
  sum.resize(std::max(sum.size(), more.size()));
  for (std::size_t i = 0; i < more.size(); ++i) {
    sum[i].runs += more[i].runs;
    sum[i].seen += more[i].seen;
  }
}

}  // namespace tributary::testing
