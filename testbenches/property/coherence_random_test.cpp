// SPDX-License-Identifier: Apache-2.0
// Random accesses of all nodes to a few words that share lines, on tiny caches, queues and pools.
// Every word only grows, by fetch-and-adds and by pairs of load-linked and store-conditional, so
// that it tells whether two writers ever had it at once; readers must never see it shrink.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include <tributary/magic/coherence_audit.h>
#include <tributary/sim/random_stream.h>

#include <support/coherent_machine.h>
#include <support/random_choice.h>

namespace tributary {
namespace {

using testing::between;
using testing::cached_processor;
using testing::coherent_config;
using testing::coherent_machine;
using testing::one_of;

struct random_case {
  explicit random_case(std::uint64_t number) : seed(number), config(2) {
    random_stream draws(number, 5U, 6U);
    message_network_config& network = config.machine.network;
    network.topology = one_of(draws, {topology_kind::point_to_point, topology_kind::mesh,
                                      topology_kind::hypercube, topology_kind::omega});
    const bool power_of_two =
        network.topology == topology_kind::hypercube || network.topology == topology_kind::omega;
    config.machine.nodes = power_of_two ? 1U << between(draws, 1, 2) : between(draws, 2, 6);
    network.bandwidth = one_of(draws, {100U, 400U, 800U, 100000U});
    network.base_latency = one_of(draws, {2U, 4U, 16U, 60U});
    network.hop_latency = between(draws, 1, 12);
    network.router_buffers = between(draws, 1, 4);
    network.endpoint_buffers = between(draws, 1, 16);
    magic_node_config& node = config.machine.node;
    node.memory.first_word = between(draws, 1, 30);
    node.buffers.buffers = between(draws, 4, 16);
    node.in.jump_table_cycles = between(draws, 0, 3);
    node.in.software_queue_turn = between(draws, 2, 4);
    node.in.speculative_reads = draws.below(2) == 0;
    node.protocol_processor.speed = between(draws, 1, 3);
    node.network_interface.out_depth = between(draws, 4, 16);
    node.network_interface.own_depth = between(draws, 1, 4);
    node.network_interface.outbound = between(draws, 0, 5);
    node.network_interface.inbound = between(draws, 0, 9);
    node.processor_interface.queue = between(draws, 2, 8);
    node.processor_interface.bus = between(draws, 1, 2);
    node.processor_interface.outbound = between(draws, 0, 5);
    node.caches.clock_ratio = between(draws, 1, 5);
    node.caches.state_cycles = between(draws, 1, 20);
    node.caches.data_cycles = between(draws, 0, 6);
    cache_config& caches = node.caches.levels;
    const std::uint32_t line = one_of(draws, {32U, 64U, 128U, 128U, 256U});
    node.memory.line_bytes = line;
    network.payload_bytes = std::max(line, network.payload_bytes);
    caches.levels = {{std::uint64_t{line} << between(draws, 0, 2), 1, line, 0}};
    if (draws.below(2) == 0) {
      caches.levels.push_back(caches.levels.front());
      caches.levels.back().bytes *= 2;
      caches.levels.back().hit_cycles = 10;
    }
    caches.outstanding = between(draws, 1, 4);
    caches.accesses = between(draws, 1, 8);
    caches.miss_cycles = between(draws, 0, 20);
    caches.retry_cycles = between(draws, 1, 200);
    caches.replacement_hints = draws.below(2) == 0;
    config.coherence.consistency =
        one_of(draws, {consistency_kind::relaxed, consistency_kind::sequential});
    config.coherence.elements = between(draws, 1, 4);
    config.coherence.records = between(draws, 1, 3);
    lines = between(draws, 1, 5);
  }
  std::string text() const {
    return "case " + std::to_string(seed) + ", " + std::to_string(config.machine.nodes) +
           " nodes, " + std::to_string(lines) + " lines";
  }

  std::uint64_t seed;
  coherent_config config;
  std::uint32_t lines;
  std::uint32_t accesses = 150;  // of each processor
};

constexpr std::uint32_t words_of_a_line = 2;  // that are used

/// A processor that asks at random, one access after the other or several at once.
class wanderer {
 public:
  wanderer(const random_case& drawn, coherent_machine& all, std::uint32_t node,
           std::map<std::uint64_t, word_t>& added)
      : case_(drawn),
        all_(all),
        processor_(*all.processors[node]),
        draws_(drawn.seed, node, 7U),
        added_(added) {
    processor_.on_answer = [this](const cached_processor::answer& got) { answered(got); };
    processor_.at(1 + draws_.below(100), [this](cycle_t now) { ask(now); });
  }

  bool done() const { return asked_ == case_.accesses && open_.empty(); }
  /// By word, in the order in which this processor had them.
  std::map<std::uint64_t, std::vector<word_t>> olds;

 private:
  struct open_access {
    access request;
    word_t last_seen = 0;
  };

  std::uint64_t draw_address() {
    const auto line = static_cast<std::uint32_t>(draws_.below(case_.lines));
    return all_.address(line % case_.config.machine.nodes,
                        0x1000 + 128 * line + 8 * 5 * draws_.below(words_of_a_line));
  }

  void ask(cycle_t now) {
    if (asked_ == case_.accesses) return;
    if (!linking_ && processor_.caches().can_take()) offer(draw(), now);
    processor_.at(now + 1 + draws_.below(one_of(draws_, {2U, 50U, 2000U})),
                  [this](cycle_t then) { ask(then); });
  }

  access draw() {
    if (linked_ != 0) {
      access conditional{linked_, {form::constant, linked_value_ + 1, 0}};
      conditional.kind = access_kind::store_conditional;
      linked_ = 0;
      return conditional;
    }
    access next{draw_address(), {}};
    switch (draws_.below(8)) {
      case 0:
        next.kind = access_kind::prefetch;
        break;
      case 1:
        next.kind = access_kind::prefetch_exclusive;
        break;
      case 2:
        // Nothing of this processor comes between the pair.
        if (!open_.empty()) break;
        next.kind = access_kind::load_linked;
        linking_ = true;
        break;
      case 3:
      case 4:
        break;
      default:
        next.function = function_of(operation::fetch_add, 1, 0);
        break;
    }
    return next;
  }

  void offer(access next, cycle_t now) {
    next.tag = ++asked_;
    open_[next.tag] = {next};
    processor_.caches().offer(0, next, now);
  }

  void answered(const cached_processor::answer& got) {
    const access request = open_.at(got.tag).request;
    open_.erase(got.tag);
    switch (request.kind) {
      case access_kind::prefetch:
      case access_kind::prefetch_exclusive:
        return;
      case access_kind::store_conditional:
        if (got.value == 1) added_[request.address] += 1;
        return;
      case access_kind::load_linked:
        linking_ = false;
        linked_ = request.address;
        linked_value_ = got.value;
        break;
      case access_kind::word:
        if (request.function.kind != form::identity) {
          added_[request.address] += 1;
          olds[request.address].push_back(got.value);
        }
        break;
    }
    // Accesses to one word keep their order, and so do their answers.
    word_t& last = seen_[request.address];
    EXPECT_LE(last, got.value) << case_.text() << ": word " << std::hex << request.address;
    last = got.value;
  }

  const random_case& case_;
  coherent_machine& all_;
  cached_processor& processor_;
  random_stream draws_;
  std::map<std::uint64_t, word_t>& added_;
  std::map<std::uint64_t, open_access> open_;
  std::map<std::uint64_t, word_t> seen_;
  bool linking_ = false;
  std::uint64_t linked_ = 0;
  word_t linked_value_ = 0;
  std::uint64_t asked_ = 0;
};

/// What memory and caches have of a word, when all is at rest.
word_t final_value(const coherent_machine& m, std::uint64_t address) {
  const address_layout& layout = m.machine.config().node.addresses;
  for (std::size_t i = 0; i < m.machine.size(); ++i) {
    if (m.machine.node(i).caches()->state_of(address) != line_state::invalid) {
      return m.machine.node(i).caches()->word_at(address);
    }
  }
  return m.machine.node(index(layout.node_of(address))).memory().read(layout.offset_of(address));
}

/// At rest the directory names everybody who has a line, and one if it is exclusive.
void check_directory(const coherent_machine& m, std::uint64_t address, const std::string& text) {
  const address_layout& layout = m.machine.config().node.addresses;
  const std::uint32_t home = index(layout.node_of(address));
  const coherence::directory_entry entry = m.entry(home, layout.offset_of(address));
  EXPECT_FALSE(entry.pending()) << text;
  std::uint32_t exclusive = 0;
  std::uint32_t shared = 0;
  for (std::uint32_t i = 0; i < m.machine.size(); ++i) {
    const line_state state = m.machine.node(i).caches()->state_of(address);
    if (state == line_state::invalid) continue;
    (state == line_state::shared ? shared : exclusive) += 1;
    EXPECT_TRUE(m.names(home, layout.offset_of(address), node_id{i}))
        << text << ": node " << i << " has " << std::hex << address << " and is not known";
    EXPECT_EQ(entry.dirty(), state != line_state::shared) << text;
  }
  EXPECT_LE(exclusive, 1U) << text;
  EXPECT_TRUE(exclusive == 0 || shared == 0) << text;
}

/// What has happened in all cases: sources of answers, causes of refusals, handlers, by their
/// names.
using occurrences = std::map<std::string, double>;

/// The last part of a path, if it has `part` in it.
std::string name_behind(const std::string& path, const std::string& part) {
  const std::size_t found = path.find(part);
  return found == std::string::npos ? "" : path.substr(found + part.size());
}

void add_occurrences(const flat_statistic& from, occurrences& to) {
  for (const char* group : {".protocols.coherence.refused.", ".protocols.coherence.served."}) {
    const std::string name = name_behind(from.path, group);
    if (!name.empty()) to[name] += from.value;
  }
  const std::string handler = name_behind(from.path, ".handler.coherence.");
  const std::size_t dot = handler.find(".count");
  if (dot != std::string::npos) to[handler.substr(0, dot)] += from.value;
}

/// Each refusal that a cache got has one cause, and each answer one source.
void check_statistics(coherent_machine& m, const random_case& drawn, occurrences& all) {
  statistics_tree tree;
  m.machine.report(tree.root());
  double refused = 0;
  double refusals = 0;
  double served = 0;
  double answers = 0;
  double conversions = 0;
  double elements = 0;
  double records = 0;
  for (const flat_statistic& each : tree.flatten()) {
    add_occurrences(each, all);
    const auto is = [&](const char* part) { return each.path.find(part) != std::string::npos; };
    if (is(".protocols.coherence.refused.")) refused += each.value;
    if (is(".protocols.coherence.served.")) served += each.value;
    if (is(".cache.refused")) refusals += each.value;
    if (is(".cache.miss_latency.count")) answers += each.value;
    if (is(".line_interface.conversions")) conversions += each.value;
    if (is(".protocols.coherence.elements")) elements = std::max(elements, each.value);
    if (is(".protocols.coherence.records")) records = std::max(records, each.value);
  }
  EXPECT_EQ(refused + conversions, refusals);
  EXPECT_EQ(served, answers + conversions);
  EXPECT_LE(elements, static_cast<double>(drawn.config.coherence.elements));
  EXPECT_LE(records, static_cast<double>(drawn.config.coherence.records));
}

void run_case(const random_case& drawn, occurrences& all_cases) {
  const std::string text = drawn.text();
  SCOPED_TRACE(text);
  coherent_machine m(drawn.config);
  std::map<std::uint64_t, word_t> added;
  std::vector<std::unique_ptr<wanderer>> all;
  for (std::uint32_t i = 0; i < m.machine.size(); ++i) {
    all.push_back(std::make_unique<wanderer>(drawn, m, i, added));
  }
  const auto done = [&] {
    return std::all_of(all.begin(), all.end(), [](const auto& each) { return each->done(); });
  };
  m.machine.run_until(20'000'000, [&] { return done() && m.machine.idle(); });
  ASSERT_TRUE(done()) << "some access is under way after 20 million cycles";
  ASSERT_TRUE(m.machine.idle());
  m.machine.run_until(m.machine.now() + 1000);  // until words that nobody waits for have come
  for (const auto& [address, count] : added) {
    EXPECT_EQ(final_value(m, address), count) << std::hex << address;
    check_directory(m, address, text);
    // No two fetch-and-adds found the same value.
    std::vector<word_t> olds;
    for (const auto& each : all) {
      const auto& own = each->olds[address];
      olds.insert(olds.end(), own.begin(), own.end());
    }
    std::sort(olds.begin(), olds.end());
    EXPECT_EQ(std::adjacent_find(olds.begin(), olds.end()), olds.end()) << std::hex << address;
  }
  for (std::uint32_t i = 0; i < m.machine.size(); ++i) {
    EXPECT_EQ(m.unexpected(i), 0U);
    EXPECT_EQ(m.machine.node(i).buffers().in_use(), 0U);
  }
  EXPECT_NO_THROW(coherence_audit(m.machine).check_rest());
  check_statistics(m, drawn, all_cases);
}

TEST(coherence_random, words_grow_by_what_is_added_and_never_shrink) {
  occurrences all;
  const std::uint64_t seeds = std::getenv("TRIBUTARY_FULL") != nullptr ? 100000 : 300;
  for (std::uint64_t seed = 0; seed < seeds && !::testing::Test::HasFailure(); ++seed) {
    run_case(random_case(seed), all);
  }
  for (const auto& [name, count] : all) {
    std::cout << name << " " << count << "\n";
    EXPECT_GT(count, 0) << name << " never occurs";
  }
  const coherent_machine any(coherent_config(2));
  for (const std::string& handler : any.machine.node(0).protocols().handler_names()) {
    EXPECT_EQ(all.count(name_behind(handler, "coherence.")), 1U) << handler << " never runs";
  }
}

TEST(coherence_random, the_largest_machine_drains) {
  random_case drawn(1);
  drawn.config = coherent_config(128);
  drawn.config.machine.network.topology = topology_kind::hypercube;
  drawn.lines = 64;
  drawn.accesses = 10;
  occurrences all;
  run_case(drawn, all);
}

}  // namespace
}  // namespace tributary
