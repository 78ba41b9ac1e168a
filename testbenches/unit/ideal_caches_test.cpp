// SPDX-License-Identifier: Apache-2.0
// Coherent ideal caches, on a ring and with homes: what messages accesses are.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <tributary/algorithms/flag_data_parallel.h>
#include <tributary/sim/error.h>

#include <support/block_statistics.h>
#include <support/failure.h>
#include <support/shared_memory_machine.h>
#include <support/text_checks.h>

namespace tributary {
namespace {

using testing::attached_programs;
using testing::failure;
using testing::names;
using testing::shared_memory;
using testing::shared_memory_choice;
using testing::shared_memory_machine;

using sent = std::map<std::string, std::uint64_t>;

constexpr auto as_get = static_cast<std::uint8_t>(communication_purpose::get);
constexpr auto as_send = static_cast<std::uint8_t>(communication_purpose::send);

std::uint64_t word_of(program_context& context, std::uint32_t node, std::uint64_t word) {
  return context.local_address(pe_id{node}, word);
}

/// Steps of programs that take turns: what the nodes do in the order of cycles.
constexpr std::uint64_t turn = 2000;

/// Each node does what it does in its turns: `steps[i]` is step i, of one node.
struct step {
  std::uint32_t node = 0;
  void (*does)(program_context& context) = nullptr;
};

struct stepped_run {
  stepped_run(shared_memory kind, std::uint32_t nodes, const std::vector<step>& steps,
              const ideal_cache_config& caches = {})
      : machine(choice(kind, nodes, caches), [&steps](program_context& context) {
          cycle_t until = 0;
          for (const step& each : steps) {
            until += turn;
            if (each.node != context.rank()) continue;
            context.delay(until - context.now());
            context.set_purpose(0);
            each.does(context);
          }
        }) {
    // What is counted is that of the last step.
    machine.programs.machine.run_until(turn * steps.size() - 1);
    machine.programs.forget();
    EXPECT_TRUE(machine.programs.run());
    EXPECT_EQ(machine.audit(), "");
  }

  static shared_memory_choice choice(shared_memory kind, std::uint32_t nodes,
                                     const ideal_cache_config& caches) {
    shared_memory_choice made;
    made.kind = kind;
    made.nodes = nodes;
    made.caches = caches;
    return made;
  }

  shared_memory_machine machine;
};

void load_first_of_0(program_context& context) {
  context.set_purpose(as_get);
  context.load(word_of(context, 0, 0));
}
void store_first_of_0(program_context& context) {
  context.set_purpose(as_send);
  context.store(word_of(context, 0, 0), context.rank() + 10);
}

sent messages_of_last(shared_memory kind, std::uint32_t nodes, const std::vector<step>& steps) {
  return stepped_run(kind, nodes, steps).machine.programs.sent;
}

/// V6: two messages on the ring; with homes two, or three if another node has written the line.
TEST(ideal_caches, a_read_miss_is_2_messages_or_3_by_way_of_a_home) {
  const std::vector<step> clean{{1, load_first_of_0}};
  const std::vector<step> written{{2, store_first_of_0}, {1, load_first_of_0}};
  const sent two{{"fetch_line for get", 1}, {"line for get", 1}};
  EXPECT_EQ(messages_of_last(shared_memory::ring, 4, clean), two);
  EXPECT_EQ(messages_of_last(shared_memory::ring, 4, written), two);
  EXPECT_EQ(messages_of_last(shared_memory::home, 4, clean), two);
  EXPECT_EQ(messages_of_last(shared_memory::home, 4, written),
            (sent{{"fetch_line for get", 1}, {"forward for get", 1}, {"line for get", 1}}));
  const std::vector<step> by_home{{2, store_first_of_0}, {0, load_first_of_0}};
  EXPECT_EQ(messages_of_last(shared_memory::home, 4, by_home), two) << "the home is who asks";
}

/// One broadcast for any number of copies on the ring; one message a copy with homes.
TEST(ideal_caches, an_invalidation_is_one_message_on_the_ring_and_one_a_copy_with_homes) {
  const std::vector<step> by_home{
      {1, load_first_of_0}, {2, load_first_of_0}, {3, load_first_of_0}, {0, store_first_of_0}};
  EXPECT_EQ(messages_of_last(shared_memory::ring, 5, by_home),
            (sent{{"invalidate for send", 1}, {"invalidated for send", 1}}));
  EXPECT_EQ(messages_of_last(shared_memory::home, 5, by_home),
            (sent{{"invalidate for send", 3}, {"invalidated for send", 3}}));
  const std::vector<step> by_sharer{
      {1, load_first_of_0}, {2, load_first_of_0}, {3, load_first_of_0}, {2, store_first_of_0}};
  EXPECT_EQ(messages_of_last(shared_memory::ring, 5, by_sharer),
            (sent{{"invalidate for send", 1}, {"invalidated for send", 1}}));
  EXPECT_EQ(messages_of_last(shared_memory::home, 5, by_sharer),
            (sent{{"invalidate for send", 3}, {"invalidated for send", 3}}))
      << "to the home, from there to two others; three answers";
}

/// A line that is written here and there in turns: each time a request and a line.
TEST(ideal_caches, a_store_without_a_copy_brings_the_line) {
  const std::vector<step> steps{{1, store_first_of_0}, {0, store_first_of_0}};
  const sent two{{"fetch_line for send", 1}, {"line for send", 1}};
  EXPECT_EQ(messages_of_last(shared_memory::ring, 4, steps), two);
  EXPECT_EQ(messages_of_last(shared_memory::home, 4, steps), two);
  const std::vector<step> with_copies{
      {1, load_first_of_0}, {2, load_first_of_0}, {3, store_first_of_0}};
  EXPECT_EQ(messages_of_last(shared_memory::ring, 4, with_copies), two);
  EXPECT_EQ(messages_of_last(shared_memory::home, 4, with_copies),
            (sent{{"fetch_line for send", 1},
                  {"line for send", 1},
                  {"invalidate for send", 2},
                  {"invalidated for send", 2}}));
}

/// Two programs that hand a flag from node 1 to node 0, over and over, as runs of the run-time do.
/// V5: 4 messages with exactly one line, or one update.
TEST(ideal_caches, a_flag_is_handed_over_by_4_messages_with_one_line_or_by_one_update) {
  constexpr word_t rounds = 10;
  const auto count = [](shared_memory kind, bool updates) {
    shared_memory_choice choice;
    choice.kind = kind;
    const std::uint64_t local = choice.remote.memory_bytes / 2;
    if (updates) choice.caches.update_from = local + 64;
    if (updates) choice.caches.update_to = local + 96;
    shared_memory_machine b(choice, [](program_context& context) {
      for (word_t i = 1; i <= rounds; ++i) {
        const std::uint64_t flag = word_of(context, 0, 8);
        const std::uint64_t back = word_of(context, 1, 0);
        context.set_purpose(as_send);
        if (context.rank() == 1) context.store(flag, i);
        if (context.rank() == 0) context.spin(flag, [i](word_t seen) { return seen == i; });
        context.set_purpose(0);  // not counted: so that the two take turns
        if (context.rank() == 0) context.store(back, i);
        if (context.rank() == 1) context.spin(back, [i](word_t seen) { return seen == i; });
      }
    });
    EXPECT_TRUE(b.programs.run());
    EXPECT_EQ(b.audit(), "");
    sent counted;
    for (const auto& [what, times] : b.programs.sent) {
      if (what.find("computing") == std::string::npos) counted[what] = times;
    }
    return counted;
  };
  for (const shared_memory kind : {shared_memory::ring, shared_memory::home}) {
    // The first store of node 1 finds no copy: a cold miss.
    EXPECT_EQ(count(kind, false), (sent{{"invalidate for send", rounds - 1},
                                        {"invalidated for send", rounds - 1},
                                        {"fetch_line for send", rounds + 1},
                                        {"line for send", rounds + 1}}));
  }
  EXPECT_EQ(count(shared_memory::ring, true), (sent{{"update for send", rounds}}));
  EXPECT_EQ(count(shared_memory::home, true),
            (sent{{"update for send", rounds}, {"acknowledgement for send", rounds}}));
}

/// With homes an update is a message to the home, and one from there to each other copy.
TEST(ideal_caches, an_update_with_homes_is_a_message_to_the_home_and_one_a_copy) {
  ideal_cache_config caches;
  caches.update_from = shared_memory_choice().remote.memory_bytes / 2;
  caches.update_to = caches.update_from + 4096;
  const auto counted = [&](const std::vector<step>& steps) {
    return stepped_run(shared_memory::home, 5, steps, caches).machine.programs.sent;
  };
  const std::vector<step> loads{{1, load_first_of_0}, {2, load_first_of_0}, {3, load_first_of_0}};
  std::vector<step> by_sharer = loads;
  by_sharer.push_back({2, store_first_of_0});
  EXPECT_EQ(counted(by_sharer),
            (sent{{"update for send", 1 + 2}, {"acknowledgement for send", 1 + 2}}));
  std::vector<step> by_home = loads;
  by_home.push_back({0, store_first_of_0});
  EXPECT_EQ(counted(by_home), (sent{{"update for send", 3}, {"acknowledgement for send", 3}}));
  std::vector<step> by_another = loads;
  by_another.push_back({4, store_first_of_0});
  EXPECT_EQ(counted(by_another),
            (sent{{"update for send", 1 + 3}, {"acknowledgement for send", 1 + 3}}));
}

// ---- lines that are fetched ahead

ideal_cache_config prefetching() {
  ideal_cache_config caches;
  caches.sequential_prefetch = true;
  return caches;
}

/// The first word of each line of node 0, from line `First` on.
template <std::uint64_t First, std::uint64_t Lines>
void load_lines_of_0(program_context& context) {
  context.set_purpose(as_get);
  for (std::uint64_t line = First; line < First + Lines; ++line) {
    context.load(word_of(context, 0, 4 * line));
  }
}
void store_second_of_0(program_context& context) {
  context.set_purpose(as_send);
  context.store(word_of(context, 0, 4), 77);
}
void expect_77(program_context& context) {
  context.set_purpose(as_get);
  EXPECT_EQ(context.load(word_of(context, 0, 4)), 77U);
}

/// A run of n lines: one is asked for by a load, n ahead, of which the last is not used.
TEST(ideal_caches, only_the_first_of_a_run_of_lines_is_not_fetched_ahead) {
  for (const shared_memory kind : {shared_memory::ring, shared_memory::home}) {
    stepped_run run(kind, 4, {{1, load_lines_of_0<0, 5>}}, prefetching());
    const attached_programs& seen = run.machine.programs;
    EXPECT_EQ(seen.sent, (sent{{"fetch_line for get", 6}, {"line for get", 6}}));
    EXPECT_EQ(seen.ahead, (sent{{"fetch_line for get", 5}, {"line for get", 5}}));
    stepped_run goes_on(kind, 4, {{1, load_lines_of_0<0, 5>}, {1, load_lines_of_0<5, 1>}},
                        prefetching());
    EXPECT_EQ(goes_on.machine.programs.sent, (sent{{"fetch_line for get", 1}, {"line for get", 1}}))
        << "line 6, ahead";
    stepped_run again(kind, 4, {{1, load_lines_of_0<0, 5>}, {1, load_lines_of_0<1, 4>}},
                      prefetching());
    EXPECT_EQ(again.machine.programs.sent, sent()) << "all are there, line 5 too";
  }
}

/// Line 1 is fetched ahead, then lost before it is used.
TEST(ideal_caches, a_line_that_was_fetched_ahead_is_kept_coherent) {
  for (const shared_memory kind : {shared_memory::ring, shared_memory::home}) {
    const std::vector<step> steps{
        {1, load_lines_of_0<0, 1>}, {2, store_second_of_0}, {1, expect_77}};
    stepped_run run(kind, 4, steps, prefetching());
    EXPECT_EQ(run.machine.programs.of("fetch_line for get"), 2U) << "line 1, and 2 ahead";
  }
}

/// The last line of a node's memory has none behind it.
TEST(ideal_caches, nothing_is_fetched_from_beyond_the_memory_of_a_node) {
  for (const shared_memory kind : {shared_memory::ring, shared_memory::home}) {
    shared_memory_choice choice;
    choice.kind = kind;
    choice.caches = prefetching();
    const std::uint64_t last = choice.remote.memory_bytes / 2 / word_bytes - 1;
    shared_memory_machine b(choice, [&](program_context& context) {
      if (context.rank() == 1) context.load(word_of(context, 0, last));
    });
    ASSERT_TRUE(b.programs.run());
    EXPECT_EQ(b.programs.ahead, sent());
    EXPECT_EQ(b.programs.of("line for computing"), 1U);
  }
}

/// A load that needs a line which is under way waits for it, and asks for no other.
TEST(ideal_caches, a_load_waits_for_a_line_that_is_under_way) {
  for (const shared_memory kind : {shared_memory::ring, shared_memory::home}) {
    shared_memory_choice choice;
    choice.kind = kind;
    choice.nodes = 4;
    choice.caches = prefetching();
    std::vector<cycle_t> took;
    shared_memory_machine b(choice, [&](program_context& context) {
      if (context.rank() != 1) return;
      for (std::uint64_t line = 0; line < 4; ++line) {
        const cycle_t begun = context.now();
        context.load(word_of(context, 0, 4 * line));
        took.push_back(context.now() - begun);
        if (line == 1) context.delay(1000);
      }
    });
    ASSERT_TRUE(b.programs.run());
    ASSERT_EQ(took.size(), 4U);
    EXPECT_LT(took[1], took[0]) << "under way since the first";
    EXPECT_GT(took[1], 5U);
    EXPECT_LT(took[2], 5U) << "there for long";
    EXPECT_EQ(b.programs.of("fetch_line for computing"), 5U);
  }
}

// ---- places for lines

ideal_cache_config with_places(std::uint32_t lines) {
  ideal_cache_config caches;
  caches.lines = lines;
  return caches;
}

/// The copy that was used least recently leaves, without a message.
TEST(ideal_caches, a_copy_leaves_for_another_without_a_message) {
  for (const shared_memory kind : {shared_memory::ring, shared_memory::home}) {
    const std::vector<step> three{
        {1, load_lines_of_0<0, 2>}, {1, load_lines_of_0<0, 1>}, {1, load_lines_of_0<2, 1>}};
    const sent a_miss{{"fetch_line for get", 1}, {"line for get", 1}};
    EXPECT_EQ(stepped_run(kind, 4, three, with_places(2)).machine.programs.sent, a_miss);
    std::vector<step> used = three;
    used.push_back({1, load_lines_of_0<0, 1>});
    EXPECT_EQ(stepped_run(kind, 4, used, with_places(2)).machine.programs.sent, sent());
    std::vector<step> gone = three;
    gone.push_back({1, load_lines_of_0<1, 1>});
    EXPECT_EQ(stepped_run(kind, 4, gone, with_places(2)).machine.programs.sent, a_miss);
  }
}

void load_line_2_of_0(program_context& context) { load_lines_of_0<2, 1>(context); }
void expect_12(program_context& context) {
  context.set_purpose(as_get);
  EXPECT_EQ(context.load(word_of(context, 0, 0)), 12U);
}

/// Node 2 has the only line 0, and no room: the home takes it, and node 1 finds the value there.
TEST(ideal_caches, an_owned_line_goes_to_its_home_when_there_is_no_room) {
  for (const shared_memory kind : {shared_memory::ring, shared_memory::home}) {
    const std::vector<step> leaves{{2, store_first_of_0}, {2, load_line_2_of_0}};
    EXPECT_EQ(stepped_run(kind, 4, leaves, with_places(1)).machine.programs.sent,
              (sent{{"fetch_line for get", 1},
                    {"line for get", 1},
                    {"replace for computing", 1},
                    {"fetch_line for computing", 1},
                    {"line for computing", 1}}));
    std::vector<step> read = leaves;
    read.push_back({1, expect_12});
    EXPECT_EQ(stepped_run(kind, 4, read, with_places(1)).machine.programs.sent,
              (sent{{"fetch_line for get", 1}, {"line for get", 1}}))
        << "from the home";
    std::vector<step> own = leaves;
    own.push_back({0, store_first_of_0});
    EXPECT_EQ(stepped_run(kind, 4, own, with_places(1)).machine.programs.sent, sent())
        << "the home has the only one";
  }
}

/// Copies elsewhere stay when an owner has no room, and are invalidated by the home's next store.
TEST(ideal_caches, copies_stay_when_an_owner_has_no_room) {
  for (const shared_memory kind : {shared_memory::ring, shared_memory::home}) {
    const std::vector<step> leaves{
        {2, store_first_of_0}, {1, expect_12}, {2, load_line_2_of_0}, {1, expect_12}};
    EXPECT_EQ(stepped_run(kind, 4, leaves, with_places(1)).machine.programs.sent, sent());
    std::vector<step> stored = leaves;
    stored.push_back({0, store_first_of_0});
    EXPECT_EQ(stepped_run(kind, 4, stored, with_places(1)).machine.programs.sent,
              (sent{{"invalidate for send", 1}, {"invalidated for send", 1}}));
    std::vector<step> upgraded = leaves;
    upgraded.push_back({1, store_first_of_0});
    EXPECT_EQ(stepped_run(kind, 4, upgraded, with_places(1)).machine.programs.sent,
              (sent{{"invalidate for send", 1}, {"invalidated for send", 1}}))
        << "the new owner knows of the copy, and sends no line";
  }
}

/// Line 1 is fetched ahead, and leaves for another line or is taken by a store of node 2.
TEST(ideal_caches, only_lines_that_others_took_are_lost_ahead) {
  ideal_cache_config caches = prefetching();
  caches.lines = 2;
  const step first{1, load_lines_of_0<0, 1>};
  for (const shared_memory kind : {shared_memory::ring, shared_memory::home}) {
    const auto count = [&](const step& then, const char* what) {
      const stepped_run run(kind, 4, {first, then}, caches);
      const network_attachment& node = run.machine.programs.machine.node(1).attachment();
      const char* const name = kind == shared_memory::ring ? "ring_coherence" : "home_coherence";
      return testing::statistic(node, fmt::format("{}.{}", name, what));
    };
    const step leaves{1, load_lines_of_0<6, 1>};  // and line 7 ahead
    EXPECT_EQ(count(leaves, "dropped"), 2);
    EXPECT_EQ(count(leaves, "lost_ahead"), 0);
    const step stores{2, store_second_of_0};
    EXPECT_EQ(count(stores, "dropped"), 0);
    EXPECT_EQ(count(stores, "lost_ahead"), 1);
  }
}

/// Node 2 has the only line 0 of node 0 and no room for it at about the time at which node 1 stores
/// to it. `delay` tells when the line that takes its place is asked for.
sent messages_of_a_return(std::uint32_t delay) {
  constexpr cycle_t begin = 4000;
  constexpr cycle_t stored_at = begin + 200;
  shared_memory_choice choice = stepped_run::choice(shared_memory::home, 4, with_places(1));
  shared_memory_machine b(choice, [delay](program_context& context) {
    const auto until = [&](cycle_t cycle) { context.delay(cycle - context.now()); };
    if (context.rank() == 2) {
      store_first_of_0(context);
      until(begin + delay);
      load_line_2_of_0(context);
    }
    if (context.rank() == 1) {
      until(stored_at);
      store_first_of_0(context);
      until(2 * begin);
      context.set_purpose(static_cast<std::uint8_t>(communication_purpose::barrier));
      context.store(word_of(context, 0, 0), 1);
    }
  });
  EXPECT_TRUE(b.programs.run());
  EXPECT_EQ(b.audit(), "");
  return b.programs.sent;
}

/// A home knows whose store came before an owner's word that it has no room.
TEST(ideal_caches, a_return_that_comes_behind_another_nodes_store_takes_nothing_from_it) {
  std::uint64_t taken = 0;
  std::uint64_t too_late = 0;
  for (std::uint32_t delay = 0; delay < 400; delay += 4) {
    sent counted = messages_of_a_return(delay);
    const std::uint64_t returns = counted["replace for computing"];
    const std::uint64_t takes = counted["line for computing"];
    taken += takes;
    too_late += returns - takes;
    EXPECT_EQ(counted["fetch_line for barrier"], 0U)
        << "delay " << delay << ": node 1 lost the line to its home, though it stored last";
  }
  EXPECT_GT(taken, 0U);
  EXPECT_GT(too_late, 0U);
}

// ---- random programs

/// Each node stores rising numbers to a word of data and then to its flag, in lines next to each
/// other; all look at flags and then at data, and scan. So nothing goes back, and no flag overtakes
/// its data, whichever of the two update.
struct random_programs {
  static constexpr std::uint32_t nodes = 4;
  static constexpr word_t rounds = 24;

  explicit random_programs(const shared_memory_choice& choice, std::uint64_t seed)
      : machine(
            choice, [this](program_context& context) { run(context); }, seed) {}

  /// Data of nodes are in lines 0 to 3 of the next node's memory, flags in lines 4 to 7.
  static std::uint64_t data_of(program_context& context, std::uint32_t node) {
    return word_of(context, (node + 1) % nodes, 4 * node + node);
  }
  static std::uint64_t flag_of(program_context& context, std::uint32_t node) {
    return word_of(context, (node + 2) % nodes, 16 + 4 * node);
  }
  static std::uint64_t counter_of(program_context& context) { return word_of(context, 0, 4 * 9); }

  void look(program_context& context, std::vector<word_t>& last) {
    const auto at = static_cast<std::uint32_t>(context.random(nodes));
    const word_t flag = context.load(flag_of(context, at));
    const word_t data = context.load(data_of(context, at));
    if (data < flag) problem = "a flag is before its data";
    if (flag < last[at]) problem = "a flag goes back";
    last[at] = flag;
  }
  void run(program_context& context) {
    std::vector<word_t> last(nodes);
    const std::uint32_t own = context.rank();
    for (word_t i = 1; i <= rounds; ++i) {
      if (context.random(2) == 0) context.delay(context.random(300));
      context.store(data_of(context, own), i);
      // The word behind, in bytes: to be merged.
      context.store_bytes(data_of(context, own) + word_bytes, i << 8, 0x0f);
      context.store(flag_of(context, own), i);
      if (context.load(data_of(context, own)) != i) problem = "the own store is not seen";
      for (int n = 0; n < 3; ++n) look(context, last);
      const auto scanned = static_cast<std::uint32_t>(context.random(nodes));
      for (std::uint64_t line = 0; line < 10; ++line)
        context.load(word_of(context, scanned, 4 * line));
      if (context.random(3) == 0) context.fetch_add(counter_of(context), 1), ++added;
    }
    context.fence();
  }

  std::string problem;
  word_t added = 0;
  shared_memory_machine machine;
};

TEST(ideal_caches, random_programs_see_what_a_sequential_memory_allows) {
  std::uint64_t seed = 1;
  for (const shared_memory kind : {shared_memory::ring, shared_memory::home}) {
    for (const bool asynchronous : {false, true}) {
      for (const bool ahead : {false, true}) {
        // Lines from and to: none, data, flags, both.
        for (const auto& [from, to, lines] : {std::tuple{0, 0, 0},
                                              {0, 4, 0},
                                              {4, 8, 0},
                                              {0, 8, 0},
                                              {0, 0, 1},
                                              {0, 0, 4},
                                              {0, 4, 2},
                                              {4, 8, 3},
                                              {0, 8, 5}}) {
          shared_memory_choice choice;
          choice.kind = kind;
          choice.nodes = random_programs::nodes;
          choice.caches.asynchronous_writes = asynchronous;
          choice.caches.sequential_prefetch = ahead;
          choice.caches.lines = static_cast<std::uint32_t>(lines);
          const std::uint64_t local = choice.remote.memory_bytes / 2;
          choice.caches.update_from = local + static_cast<std::uint64_t>(from) * 32;
          choice.caches.update_to = local + static_cast<std::uint64_t>(to) * 32;
          random_programs all(choice, ++seed);
          const std::string where = fmt::format(
              "{}, asynchronous {}, ahead {}, updates in lines {} to {}, places {}",
              kind == shared_memory::ring ? "ring" : "homes", asynchronous, ahead, from, to, lines);
          ASSERT_TRUE(all.machine.programs.run()) << where;
          EXPECT_EQ(all.problem, "") << where;
          EXPECT_EQ(all.machine.audit(), "") << where;
          EXPECT_EQ(all.machine.programs.local(0, 36), all.added) << where;
          EXPECT_EQ(all.machine.programs.ahead.empty(), !ahead) << where;
          for (std::uint32_t node = 0; node < random_programs::nodes; ++node) {
            const std::uint32_t home = (node + 1) % random_programs::nodes;
            EXPECT_EQ(all.machine.programs.local(home, 5 * node), random_programs::rounds) << where;
          }
        }
      }
    }
  }
}

/// The words of a line go out together, and only those that are stored.
TEST(ideal_caches, an_update_carries_the_words_that_were_stored_and_everybody_sees_them) {
  shared_memory_choice choice;
  choice.kind = shared_memory::ring;
  choice.nodes = 3;
  const std::uint64_t local = choice.remote.memory_bytes / 2;
  choice.caches.update_from = local;
  choice.caches.update_to = local + 4096;
  std::vector<word_t> seen;
  shared_memory_machine b(choice, [&](program_context& context) {
    if (context.rank() == 2) {
      for (std::uint64_t i = 0; i < 9; ++i) context.load(word_of(context, 0, i));
      context.delay(5000);
      for (std::uint64_t i = 0; i < 9; ++i) seen.push_back(context.load(word_of(context, 0, i)));
    }
    if (context.rank() != 1) return;
    context.delay(2000);
    context.set_purpose(as_send);
    for (std::uint64_t i = 0; i < 6; ++i) context.store(word_of(context, 0, i), i + 1);
    context.store_bytes(word_of(context, 0, 8), 0xffff0000000000aa, 0x0f);
    EXPECT_EQ(context.load(word_of(context, 0, 8)), 0xaaU) << "the own store";
    EXPECT_EQ(context.load(word_of(context, 0, 4)), 5U);
    context.fence();
  });
  ASSERT_TRUE(b.programs.run());
  EXPECT_EQ(seen, (std::vector<word_t>{1, 2, 3, 4, 5, 6, 0, 0, 0xaa}));
  EXPECT_EQ(b.programs.of("update for send"), 3U);
  EXPECT_EQ(b.programs.bytes_of("update for send"), 32U + 16 + 4);
  EXPECT_EQ(b.audit(), "");
}

/// No time is lost on stores; loads that come behind see them, others see them in order.
TEST(ideal_caches, asynchronous_writes_are_complete_at_once_and_a_fence_waits) {
  for (const shared_memory kind : {shared_memory::ring, shared_memory::home}) {
    shared_memory_choice choice;
    choice.kind = kind;
    choice.nodes = 3;
    choice.caches.asynchronous_writes = true;
    cycle_t stored = 0;
    cycle_t fenced = 0;
    word_t own = 0;
    bool in_order = true;
    shared_memory_machine b(choice, [&](program_context& context) {
      const std::uint64_t first = word_of(context, 0, 0);
      const std::uint64_t second = word_of(context, 2, 0);
      if (context.rank() == 0) {
        context.spin(second, [](word_t seen) { return seen == 4; });
        in_order = context.load(first) == 4;
      }
      if (context.rank() != 1) return;
      const cycle_t begun = context.now();
      for (word_t i = 1; i <= 4; ++i) {
        context.store(first, i);
        context.store(second, i);
      }
      own = context.load(first);
      stored = context.now() - begun;
      context.fence();
      fenced = context.now() - begun;
      context.store(word_of(context, 0, 8), 7);
      context.store(word_of(context, 2, 8), 8);
      EXPECT_EQ(context.fetch_add(word_of(context, 2, 8), 1), 8U) << "behind the stores";
      EXPECT_EQ(context.swap(word_of(context, 0, 8), 1), 7U);
    });
    ASSERT_TRUE(b.programs.run());
    EXPECT_EQ(own, 4U);
    EXPECT_LT(stored, 30U);
    EXPECT_GE(fenced, 80U) << "two misses, one after the other";
    EXPECT_TRUE(in_order);
    EXPECT_EQ(b.audit(), "");
  }
}

/// Two that store and then load what the other stores: both cannot find nothing.
TEST(ideal_caches, memory_is_sequentially_consistent) {
  for (const shared_memory kind : {shared_memory::ring, shared_memory::home}) {
    shared_memory_choice choice;
    choice.kind = kind;
    choice.nodes = 4;
    constexpr std::uint64_t rounds = 60;
    std::vector<std::vector<word_t>> found(2, std::vector<word_t>(rounds));
    shared_memory_machine b(choice, [&](program_context& context) {
      if (context.rank() > 1) return;
      for (std::uint64_t i = 0; i < rounds; ++i) {
        const auto flag = [&](std::uint32_t of) {
          return word_of(context, 2 + (of + static_cast<std::uint32_t>(i)) % 2, 4 * i + 1000 * of);
        };
        // Copies, so that both stores invalidate.
        if (i % 3 != 0) context.load(flag(0));
        if (i % 3 != 0) context.load(flag(1));
        context.delay(context.random(20) + (i + 1) * 500 - context.now() % 500);
        context.store(flag(context.rank()), 1);
        found[context.rank()][i] = context.load(flag(1 - context.rank()));
      }
    });
    ASSERT_TRUE(b.programs.run());
    bool both = false;
    for (std::uint64_t i = 0; i < rounds; ++i) {
      EXPECT_TRUE(found[0][i] == 1 || found[1][i] == 1) << i;
      both = both || (found[0][i] == 1 && found[1][i] == 1);
    }
    EXPECT_TRUE(both) << "else the two did not meet";
    EXPECT_EQ(b.audit(), "");
  }
}

/// All nodes want the same lines at once: copies that are lost while they are being upgraded too.
TEST(ideal_caches, functions_are_indivisible_whoever_wants_the_line) {
  for (const shared_memory kind : {shared_memory::ring, shared_memory::home}) {
    for (const bool asynchronous : {false, true}) {
      shared_memory_choice choice;
      choice.kind = kind;
      choice.nodes = 7;
      choice.caches.asynchronous_writes = asynchronous;
      constexpr word_t rounds = 40;
      shared_memory_machine b(choice, [&](program_context& context) {
        word_t last = 0;
        for (word_t i = 0; i < rounds; ++i) {
          const std::uint64_t counter = word_of(context, 3, 0);
          const word_t seen = context.load(counter);
          EXPECT_GE(seen, last);
          if (i % 2 == 0) context.delay(context.random(100));
          last = context.fetch_add(counter, 1) + 1;
          EXPECT_GT(last, seen);
          context.store(word_of(context, 3, 1 + context.rank()), i);
        }
      });
      ASSERT_TRUE(b.programs.run());
      EXPECT_EQ(b.programs.local(3, 0), 7 * rounds);
      for (std::uint64_t i = 0; i < 7; ++i) EXPECT_EQ(b.programs.local(3, 1 + i), rounds - 1);
      EXPECT_EQ(b.audit(), "");
    }
  }
}

/// 4 (2p - 2) messages: each flag 4; what the first of them costs is cold.
TEST(ideal_caches, a_barrier_is_4_messages_a_flag) {
  constexpr std::uint32_t nodes = 8;
  for (const shared_memory kind : {shared_memory::ring, shared_memory::home}) {
    shared_memory_choice choice;
    choice.kind = kind;
    choice.nodes = nodes;
    const auto barriers = [&](std::uint64_t times) {
      shared_memory_machine b(choice, [times](program_context& context) {
        flag_data_parallel all(context, 64);
        for (std::uint64_t i = 0; i < times; ++i) all.barrier();
      });
      EXPECT_TRUE(b.programs.run());
      EXPECT_EQ(b.audit(), "");
      return b.programs.sent;
    };
    sent more = barriers(5);
    for (const auto& [what, times] : barriers(2)) more[what] -= times;
    const std::uint64_t flags = 3 * (2 * nodes - 2);
    EXPECT_EQ(more, (sent{{"invalidate for barrier", flags},
                          {"invalidated for barrier", flags},
                          {"fetch_line for barrier", flags},
                          {"line for barrier", flags}}));
  }
}

TEST(ideal_caches, cold_misses_are_told_apart) {
  const std::vector<step> steps{{1, load_first_of_0}, {0, store_first_of_0}, {1, load_first_of_0}};
  const auto cold = [&](const std::vector<step>& some) {
    return stepped_run(shared_memory::ring, 3, some).machine.programs.cold;
  };
  EXPECT_EQ(cold({steps[0]}), (sent{{"fetch_line for get", 1}, {"line for get", 1}}));
  EXPECT_EQ(cold(steps), sent());
}

TEST(ideal_caches, machines_that_cannot_be_are_refused) {
  const auto refusal = [](shared_memory kind, auto&& change) {
    shared_memory_choice choice;
    choice.kind = kind;
    choice.nodes = 4;
    change(choice);
    return failure<configuration_error>(
        [&] { shared_memory_machine(choice, [](program_context&) {}); });
  };
  EXPECT_TRUE(names(refusal(shared_memory::ring, [](auto& c) { c.nodes = 257; }),
                    {"node_bits", "257 nodes", "256"}));
  EXPECT_TRUE(names(refusal(shared_memory::ring, [](auto& c) { c.caches.line_bytes = 48; }),
                    {"line_bytes", "48"}));
  EXPECT_TRUE(names(refusal(shared_memory::ring, [](auto& c) { c.network.payload_bytes = 16; }),
                    {"network.payload_bytes", "16", "32"}));
  EXPECT_TRUE(names(refusal(shared_memory::ring, [](auto& c) { c.caches.update_to = 100; }),
                    {"update_to", "100"}));
  coherence_message_pool messages;
  const auto on_mesh = [&](const attachment_place& place) {
    return std::make_unique<ring_coherence>(ideal_cache_config(), address_layout(), place,
                                            messages);
  };
  message_network_config mesh = testing::two_lanes();
  mesh.broadcast = true;  // in no order
  EXPECT_TRUE(names(
      failure<configuration_error>([&] { attached_machine("mesh", mesh, 4, messages, on_mesh); }),
      {"network.topology", "one order", "ring"}));
}

}  // namespace
}  // namespace tributary
