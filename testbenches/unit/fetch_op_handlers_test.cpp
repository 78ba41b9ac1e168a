// SPDX-License-Identifier: Apache-2.0
// Fetch-and-phi by handlers of the word's home: all operations, wherever the word's line is, what
// they cost, and those that wait for their lines (rows S.V45, S.V46).
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <flash/flash_machine.h>
#include <tributary/sim/error.h>

#include <support/handler_statistics.h>

namespace tributary {
namespace {

using testing::handler_total;

constexpr cycle_t patience = 5'000'000;

/// Nodes of FLASH; without caches `method` does not matter.
flash_config nodes_of(std::uint32_t nodes, bool caches, fetch_op_method method) {
  flash_config config;
  config.machine.nodes = nodes;
  config.machine.node.caches.present = caches;
  config.machine.node.memory.bytes = std::uint64_t{1} << 20;
  config.processor.start_window = 1;
  config.fetch_op.method = method;
  return config;
}

/// A machine on which `run` has run to its end, and which is at rest.
class machine_at_rest {
 public:
  machine_at_rest(const flash_config& config, const std::function<void(program_context&)>& run)
      : machine_(config, 1, make_program(run)) {
    machine_.run_until(patience);
    if (!machine_.finished()) throw error("programs have not ended");
    machine_.drain({});
  }

  std::uint64_t runs(const std::string& handler) { return handler_total(nodes(), handler); }
  std::uint64_t cycles(const std::string& handler) {
    return handler_total(nodes(), handler, "sum");
  }
  /// What caches or memory have of a word.
  word_t newest(std::uint64_t address) {
    const address_layout& layout = machine_.config().machine.node.addresses;
    for (std::size_t i = 0; i < machine_.nodes().size(); ++i) {
      const cache* const caches = machine_.nodes().node(i).caches();
      if (caches != nullptr && caches->state_of(address) != line_state::invalid) {
        return caches->word_at(address);
      }
    }
    const magic_node& home = machine_.nodes().node(index(layout.node_of(address)));
    return home.memory().read(layout.offset_of(address));
  }
  std::uint32_t buffers_in_use() {
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < machine_.nodes().size(); ++i) {
      sum += machine_.nodes().node(i).buffers().in_use();
    }
    return sum;
  }

 private:
  magic_machine& nodes() { return dynamic_cast<magic_machine&>(machine_.nodes()); }

  flash_machine machine_;
};

struct named_machine {
  const char* name;
  bool caches;
  fetch_op_method method;
};

class fetch_op_handlers : public ::testing::TestWithParam<named_machine> {
 protected:
  static flash_config config_of(std::uint32_t nodes) {
    return nodes_of(nodes, GetParam().caches, GetParam().method);
  }
};

INSTANTIATE_TEST_SUITE_P(machines, fetch_op_handlers,
                         ::testing::Values(named_machine{"uncached", false, fetch_op_method::ll_sc},
                                           named_machine{"ll_sc", true, fetch_op_method::ll_sc},
                                           named_machine{"home", true, fetch_op_method::home},
                                           named_machine{"coherent", true,
                                                         fetch_op_method::coherent}),
                         [](const auto& each) { return std::string(each.param.name); });

/// By the processor of node 0 on a word of its own and on one of the other node.
TEST_P(fetch_op_handlers, answer_the_word_before_and_leave_what_the_function_makes_of_it) {
  machine_at_rest(config_of(2), [](program_context& context) {
    for (std::uint32_t home = 0; context.rank() == 0 && home < 2; ++home) {
      const std::uint64_t address = context.local_address(pe_id{home}, 5);
      for (std::size_t i = 0; i < operation_count; ++i) {
        const auto asked = static_cast<operation>(i);
        const word_t was = 17 + i;
        context.store(address, was);
        const word_function function = function_of(asked, 17, 0xf0f0);
        EXPECT_EQ(context.perform(asked, address, 17, 0xf0f0), was) << name_of(asked);
        EXPECT_EQ(context.load(address), apply(function, was)) << name_of(asked);
      }
    }
  });
}

/// FLASH 7.2.1 (row S.V45): whichever of the two comes first, and however close.
TEST_P(fetch_op_handlers, two_increments_of_1000_give_1000_and_1001_and_leave_1002) {
  constexpr std::uint64_t pairs = 160;
  std::array<std::uint32_t, 2> first{};
  for (std::uint32_t home = 0; home < 2; ++home) {
    std::array<std::array<word_t, 2>, pairs> got{};
    machine_at_rest done(config_of(2), [&](program_context& context) {
      for (std::uint64_t late = 0; late < pairs; ++late) {
        const std::uint64_t address = context.local_address(pe_id{home}, 5 + 32 * late);
        const cycle_t begin = 30000 * (1 + late);
        const std::uint64_t wait = late < 80 ? 20 * late : late - 80;
        context.delay(begin - context.now());
        if (context.rank() == 0) context.store(address, 1000);
        context.delay(begin + 4000 + (context.rank() == 0 ? 0 : wait) - context.now());
        got[late][context.rank()] = context.fetch_add(address, 1);
        context.delay(20000);
        EXPECT_EQ(context.load(address), 1002U);
      }
    });
    for (std::uint64_t late = 0; late < pairs; ++late) {
      const auto [least, most] = std::minmax(got[late][0], got[late][1]);
      ASSERT_EQ(least, 1000U) << "home " << home << ", " << late;
      ASSERT_EQ(most, 1001U) << "home " << home << ", " << late;
      ++first[got[late][0] < got[late][1] ? 0 : 1];
    }
  }
  EXPECT_GT(first[0], 0U);
}

/// Who has stored and who has loaded the line before; the words next to it stay.
TEST_P(fetch_op_handlers, find_the_line_wherever_it_is) {
  using nodes = std::vector<std::uint32_t>;
  const std::vector<std::pair<nodes, nodes>> states = {
      {{}, {}},  {{0}, {}}, {{1}, {}},    {{2}, {}},       {{}, {0}},
      {{}, {1}}, {{}, {2}}, {{}, {0, 1}}, {{}, {1, 2, 3}}, {{2}, {0, 1, 3}}};
  for (std::uint32_t asks = 0; asks < 3; ++asks) {
    for (const auto& [writers, readers] : states) {
      std::uint64_t address = 0;
      machine_at_rest done(
          config_of(4), [&, writers = writers, readers = readers](program_context& context) {
            const auto is_in = [&](const nodes& all) {
              return std::find(all.begin(), all.end(), context.rank()) != all.end();
            };
            if (context.rank() == 0) address = context.local_address(pe_id{0}, 5);
            const std::uint64_t word = context.local_address(pe_id{0}, 5);
            if (is_in(writers)) context.store(word + 8, 7);
            context.delay(10000);
            if (is_in(readers)) context.load(word);
            context.delay(10000);
            if (context.rank() == asks) {
              EXPECT_EQ(context.fetch_add(word, 3), 0U);
              EXPECT_EQ(context.swap(word, 9), 3U);
            }
            context.delay(20000);
            EXPECT_EQ(context.load(word), 9U);
            EXPECT_EQ(context.load(word + 8), writers.empty() ? 0U : 7U);
          });
      EXPECT_EQ(done.newest(address), 9U);
      EXPECT_EQ(done.buffers_in_use(), 0U);
    }
  }
}

// --- who performs it -----------------------------------------------------------------------------

TEST(fetch_op_protocol, of_a_window_are_uncached_and_those_beyond_it_are_loops) {
  flash_config config = nodes_of(2, true, fetch_op_method::home);
  config.fetch_op.uncached_bytes = 0x1000;
  machine_at_rest done(config, [](program_context& context) {
    if (context.rank() != 0) return;
    const address_layout layout;
    const std::uint64_t last = layout.address_of(node_id{1}, 0, 0x1000 - 8);
    const std::uint64_t beyond = layout.address_of(node_id{1}, 0, 0x1000);
    EXPECT_EQ(context.fetch_add(last, 2), 0U);
    EXPECT_EQ(context.load(last), 2U);
    EXPECT_EQ(context.fetch_add(beyond, 3), 0U);
    EXPECT_EQ(context.load(beyond), 3U);
    EXPECT_TRUE((context.load_linked(beyond), context.store_conditional(beyond, 4)));
  });
  EXPECT_EQ(done.runs("fetch_op.perform_for_another"), 1U);
  EXPECT_EQ(done.runs("uncached.home_load"), 1U);
}

TEST(fetch_op_protocol, do_not_serve_pairs_where_nothing_is_cached) {
  const auto links = [](program_context& context) {
    context.load_linked(context.local_address(5));
  };
  try {
    machine_at_rest(nodes_of(2, true, fetch_op_method::home), links);
    FAIL() << "an uncached word was linked";
  } catch (const error& problem) {
    EXPECT_NE(std::string(problem.what()).find("load_linked needs caches"), std::string::npos)
        << problem.what();
  }
}

TEST(fetch_op_protocol, wait_until_a_processors_earlier_stores_are_complete) {
  machine_at_rest done(nodes_of(4, true, fetch_op_method::coherent), [](program_context& context) {
    const std::uint64_t data = context.local_address(pe_id{3}, 100);
    const std::uint64_t flag = context.local_address(pe_id{0}, 5);
    context.load(data);  // all share it, so that a store takes long to be complete
    context.delay(20000);
    if (context.rank() == 0) {
      context.post(operation::store, data, 1);
      context.fetch_add(flag, 1);
    } else {
      context.spin(flag, [](word_t seen) { return seen != 0; });
      EXPECT_EQ(context.load(data), 1U);
    }
  });
}

// --- what it costs -------------------------------------------------------------------------------

/// Cycles of the protocol processors for one operation of `asks` on a word of node 0 that `writer`
/// has dirty, or nobody.
struct spent_cycles {
  std::uint64_t at_home = 0;
  std::uint64_t owning = 0;
};
spent_cycles cycles_of_one(std::uint32_t asks, int writer) {
  flash_config config = nodes_of(2, true, fetch_op_method::coherent);
  machine_at_rest done(config, [&](program_context& context) {
    const std::uint64_t address = context.local_address(pe_id{0}, 5);
    if (static_cast<int>(context.rank()) == writer) context.store(address + 8, 7);
    context.delay(10000);
    if (context.rank() == asks) context.fetch_add(address, 1);
  });
  return {done.cycles("fetch_op.perform") + done.cycles("fetch_op.perform_for_another") +
              done.cycles("fetch_op.perform_later") + done.cycles("fetch_op.perform_owned"),
          done.cycles("coherence.ask_owned") + done.cycles("coherence.take_owned")};
}

TEST(fetch_op_protocol, cost_what_owning_a_line_costs) {
  const fetch_op_costs own;
  for (const std::uint32_t asks : {0U, 1U}) {
    const spent_cycles fast = cycles_of_one(asks, -1);
    EXPECT_EQ(fast.at_home - own.perform, 68 + 48) << "FLASH 4.4.2, the fast path";
    EXPECT_EQ(fast.owning, 0U);
    // The home forwards the request to the owner, as it would for others.
    const std::uint64_t service = coherence_costs().ask_owner;
    const spent_cycles robust = cycles_of_one(asks, 1);
    const std::uint64_t owning = robust.at_home + robust.owning - service - own.perform - own.keep;
    // And two cycles in which the word comes behind the line that is still written.
    EXPECT_GE(owning, 169U + 40) << "FLASH 4.4.2, the robust path";
    EXPECT_LE(owning, 169U + 40 + 2) << "FLASH 4.4.2, the robust path";
  }
}

// --- operations that wait ------------------------------------------------------------------------

TEST(fetch_op_protocol, wait_for_their_lines_and_lose_nothing) {
  constexpr std::uint32_t nodes = 8;
  constexpr word_t each = 20;
  flash_config config = nodes_of(nodes, true, fetch_op_method::coherent);
  config.machine.network.topology = topology_kind::mesh;
  config.coherence.owned_lines = 1;
  std::vector<word_t> olds;
  machine_at_rest done(config, [&](program_context& context) {
    for (word_t i = 0; i < each; ++i) {
      const std::uint64_t line = context.local_address(pe_id{0}, 32 * (i % 2));
      olds.push_back(context.fetch_add(line, 1));
      context.store(line + 8 * (1 + context.rank()), i);
      EXPECT_EQ(context.load(line + 8 * (1 + context.rank())), i);
    }
  });
  EXPECT_GT(done.runs("fetch_op.perform_later"), 0U);
  EXPECT_GT(done.runs("fetch_op.perform_owned"), 0U);
  std::sort(olds.begin(), olds.end());
  ASSERT_EQ(olds.size(), nodes * each);
  for (std::size_t i = 0; i < olds.size(); ++i) EXPECT_EQ(olds[i], i / 2);
  EXPECT_EQ(done.buffers_in_use(), 0U);
}

// --- bad input -----------------------------------------------------------------------------------

std::string refusal_of(const flash_config& config) {
  try {
    config.validate();
  } catch (const error& problem) {
    return problem.what();
  }
  return "accepted";
}

TEST(fetch_op_protocol, bad_input_is_refused_by_name) {
  const std::string incoherent = refusal_of(nodes_of(2, false, fetch_op_method::coherent));
  EXPECT_NE(incoherent.find("fetch_op.method"), std::string::npos) << incoherent;
  EXPECT_NE(incoherent.find("caches"), std::string::npos) << incoherent;
  for (const std::uint64_t bytes : {96U, 64U, 384U}) {
    flash_config config = nodes_of(2, true, fetch_op_method::home);
    config.fetch_op.uncached_bytes = bytes;
    const std::string refused = refusal_of(config);
    EXPECT_NE(refused.find("fetch_op.uncached_bytes"), std::string::npos) << refused;
    EXPECT_NE(refused.find("node.memory.line_bytes = 128"), std::string::npos) << refused;
  }
  flash_config config = nodes_of(2, true, fetch_op_method::coherent);
  config.fetch_op.uncached_bytes = 128;
  const std::vector<std::string> warned = config.warnings();
  ASSERT_EQ(warned.size(), 1U);
  EXPECT_NE(warned[0].find("fetch_op.uncached_bytes means nothing"), std::string::npos);
}

}  // namespace
}  // namespace tributary
