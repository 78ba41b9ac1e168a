// SPDX-License-Identifier: Apache-2.0
// Random accesses of all nodes to a few words that share lines, on tiny caches, queues and pools.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <tributary/sim/random_stream.h>

#include "coherent_machine.h"
#include "location_history.h"
#include "random_choice.h"

namespace tributary::testing {

/// Words of each line that are used, and where the first line is in each node.
inline constexpr std::uint32_t words_of_a_line = 2;
inline constexpr std::uint64_t first_offset = 0x1000;

/// A coherent machine whose every part is drawn.
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
    node.caches.invalidation_cycles = node.caches.state_cycles;
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
    config.coherence.owned_lines = between(draws, 1, 4);
    config.coherence.exclusive_on_read = draws.below(3) == 0;
    random_stream delays(number, 14U, 6U);
    config.seed = number;
    config.handlers_late = one_of(delays, {0U, 30U, 300U});
    messages_late = one_of(delays, {0U, 100U, 1000U, 5000U});
    node.caches.patience = messages_late == 0 ? 200'000 : 1'000'000;
  }
  /// Of a word that all use; lines of the test, which are not those of the caches.
  std::uint64_t address(const coherent_machine& all, std::uint32_t line, std::uint32_t word) const {
    return all.address(line % config.machine.nodes, first_offset + 128 * line + 40 * word);
  }
  /// Of a word that is stored to, between the words that grow.
  std::uint64_t stored_address(const coherent_machine& all, std::uint32_t line,
                               std::uint32_t word) const {
    return all.address(line % config.machine.nodes, first_offset + 128 * line + 16 + 32 * word);
  }
  /// Of all words that are used.
  std::set<std::uint64_t> addresses(const coherent_machine& all) const {
    std::set<std::uint64_t> used;
    for (std::uint32_t line = 0; line < lines; ++line) {
      for (std::uint32_t word = 0; word < words_of_a_line; ++word) {
        used.insert(address(all, line, word));
        used.insert(stored_address(all, line, word));
      }
    }
    return used;
  }
  std::string text() const {
    return "case " + std::to_string(seed) + ", " + std::to_string(config.machine.nodes) +
           " nodes, " + std::to_string(lines) + " lines";
  }

  std::uint64_t seed;
  coherent_config config;
  std::uint32_t lines;
  std::uint32_t accesses = 150;  // of each processor
  std::uint32_t messages_late;   // at most, between the network and a node
};

/// What all processors saw of the words that are stored to. Every store has a value of its own.
class stored_words {
 public:
  word_t new_value(std::uint64_t address) {
    by_address_[address].will_write(++last_);
    return last_;
  }
  bool has(std::uint64_t address) const { return by_address_.count(address) != 0; }
  void will_load(std::uint64_t address) { by_address_[address]; }
  void add(std::uint64_t address, const location_history::event& seen) {
    by_address_.at(address).add(seen);
  }
  std::map<std::uint64_t, location_history>& all() { return by_address_; }

 private:
  std::map<std::uint64_t, location_history> by_address_;
  word_t last_ = 0;
};

/// A processor that asks at random, one access after the other or several at once.
class wanderer {
 public:
  /// `added`: what has been added to each word.
  wanderer(const random_case& drawn, coherent_machine& all, std::uint32_t node,
           std::map<std::uint64_t, word_t>& added)
      : case_(drawn),
        all_(all),
        node_(node),
        processor_(*all.processors[node]),
        draws_(drawn.seed, node, 7U),
        added_(added) {
    processor_.on_answer = [this](const cached_processor::answer& got) { answered(got); };
    processor_.at(1 + draws_.below(100), [this](cycle_t now) { ask(now); });
  }

  /// Words that it reads and also writes, without changing them.
  void set_copies(const std::vector<std::uint64_t>& copies) { copies_ = &copies; }

  /// Words that it loads, stores to and exchanges as well.
  void set_stored(stored_words& words) { stored_ = &words; }

  bool done() const { return asked_ == case_.accesses && open_.empty(); }
  /// By word, in the order in which this processor had them.
  std::map<std::uint64_t, std::vector<word_t>> olds;

 private:
  std::uint64_t draw_address() {
    if (copies_ != nullptr && draws_.below(2) == 0) {
      return (*copies_)[static_cast<std::size_t>(draws_.below(copies_->size()))];
    }
    const auto line = static_cast<std::uint32_t>(draws_.below(case_.lines));
    return case_.address(all_, line, static_cast<std::uint32_t>(draws_.below(words_of_a_line)));
  }
  word_t added_to(std::uint64_t address) const {
    const bool is_copy = copies_ != nullptr &&
                         std::find(copies_->begin(), copies_->end(), address) != copies_->end();
    return is_copy ? 0 : 1;
  }

  void ask(cycle_t now) {
    if (asked_ == case_.accesses) return;
    if (!linking_ && processor_.caches().can_take()) offer(draw(), now);
    processor_.at(now + 1 + draws_.below(one_of(draws_, {2U, 50U, 2000U})),
                  [this](cycle_t then) { ask(then); });
  }

  access draw() {
    if (linked_ != 0) {
      access conditional{linked_, {form::constant, linked_value_ + added_to(linked_), 0}};
      conditional.kind = access_kind::store_conditional;
      linked_ = 0;
      return conditional;
    }
    if (stored_ != nullptr && draws_.below(3) == 0) return draw_stored();
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
        next.function = function_of(operation::fetch_add, added_to(next.address), 0);
        break;
    }
    return next;
  }

  access draw_stored() {
    const auto line = static_cast<std::uint32_t>(draws_.below(case_.lines));
    const auto word = static_cast<std::uint32_t>(draws_.below(words_of_a_line));
    access next{case_.stored_address(all_, line, word), {}};
    stored_->will_load(next.address);
    const std::uint64_t kind = draws_.below(4);
    if (kind < 2) return next;
    next.function = {form::constant, stored_->new_value(next.address), 0};
    next.posted = kind == 2;  // else it is an exchange
    return next;
  }

  void offer(access next, cycle_t now) {
    next.tag = ++asked_;
    open_[next.tag] = {next, now};
    processor_.caches().offer(0, next, now);
  }

  void answered(const cached_processor::answer& got) {
    const auto [request, begun] = open_.at(got.tag);
    open_.erase(got.tag);
    if (stored_ != nullptr && stored_->has(request.address)) {
      const bool loads = request.function.kind == form::identity;
      const word_t left = loads ? got.value : request.function.a;
      const word_t found = request.posted ? left : got.value;
      stored_->add(request.address, {node_, got.tag, begun, got.cycle, found, left});
      return;
    }
    switch (request.kind) {
      case access_kind::prefetch:
      case access_kind::prefetch_exclusive:
        return;
      case access_kind::store_conditional:
        if (got.value == 1) added_[request.address] += added_to(request.address);
        return;
      case access_kind::load_linked:
        linking_ = false;
        linked_ = request.address;
        linked_value_ = got.value;
        break;
      case access_kind::operation:
      case access_kind::word:
        if (request.function.kind != form::identity && added_to(request.address) != 0) {
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
  std::uint32_t node_;
  cached_processor& processor_;
  random_stream draws_;
  std::map<std::uint64_t, word_t>& added_;
  std::map<std::uint64_t, std::pair<access, cycle_t>> open_;  // and when it was asked for
  std::map<std::uint64_t, word_t> seen_;
  const std::vector<std::uint64_t>* copies_ = nullptr;
  stored_words* stored_ = nullptr;
  bool linking_ = false;
  std::uint64_t linked_ = 0;
  word_t linked_value_ = 0;
  std::uint64_t asked_ = 0;
};

/// At rest the directory names everybody who has a line, and one if it is exclusive.
inline void check_directory(const coherent_machine& m, std::uint64_t address,
                            const std::string& text) {
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

}  // namespace tributary::testing
