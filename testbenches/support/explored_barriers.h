// SPDX-License-Identifier: Apache-2.0
// A barrier whose handlers run on explored nodes, and programs that cross it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <tributary/protocols/barriers/barriers.h>

#include "named_bodies.h"
#include "synchronizing_node.h"

namespace tributary::testing {

struct explored_barriers_setup {
  barrier_trees trees;  ///< of all nodes
  std::uint8_t episodes = 2;
  /// Whether the programs begin with telling their nodes the trees; else they know them.
  bool tell_trees = false;
  bool late_deliveries = false;
  bool in_order = true;
  /// A fault: an invalidation that wakes a processor is lost.
  bool keeps_lines = false;
};

/// One barrier, number 0.
class explored_barriers {
 public:
  explicit explored_barriers(const explored_barriers_setup& setup)
      : setup_(setup), real_(config(), {}) {
    place_memory();
    plan_.nodes = setup.trees.nodes;
    plan_.layout.space_bits = barrier_command::space_bits;
    plan_.space = barrier_command::space;
    plan_.offsets = {barrier_command::join(0), barrier_command::trees(0),
                     barrier_command::status(0, line_size())};
    plan_.late_deliveries = setup.late_deliveries;
    plan_.in_order = setup.in_order;
    plan_.keeps_lines = setup.keeps_lines;
    plan_.seen_by_program = [](word_t word) { return word; };
    rules_ = real_.rules();
    names_ = real_.handler_names();
    bodies_ = bodies();
    settings_.join_later = number_named(names_, "join_later");
    settings_.release_later = number_named(names_, "release_later");
  }

  const synchronizing_plan& plan() const { return plan_; }
  const std::vector<dispatch_rule>& rules() const { return rules_; }
  const std::vector<std::string>& names() const { return names_; }
  void run(std::size_t handler, synchronizing_node& node) const {
    barriers::handlers<synchronizing_node> all(node, settings_);
    (all.*bodies_[handler])();
  }

  synchronizing_state initial() const {
    synchronizing_state begin;
    for (std::uint32_t i = 0; i < plan_.nodes; ++i) {
      begin.nodes[i].programs[0].phase = setup_.tell_trees ? making : crossing;
      if (!setup_.tell_trees)
        begin.nodes[i].words[1] = trees_at(i).with_trees_of(trees_at(i)).word();
    }
    return begin;
  }

  barrier_state state_of(const synchronizing_node_state& node) const {
    return barrier_state(node.words[1]);
  }

  // --- the programs: those of flash_barrier.cpp --------------------------------------------------

  static bool wants_line(const program_place& program) { return program.phase == waiting; }

  /// One step; false if there is nothing to do.
  bool advance(synchronizing_node_state& node, program_place& program, std::uint32_t number) const {
    constexpr auto read = common_type::uncached_read;
    constexpr auto write = common_type::uncached_write;
    switch (program.phase) {
      case making:
        return command(node, program, write, trees_place, trees_at(number).word(), crossing);
      case crossing:
        return command(node, program, read, join_place, 0, joining);
      case joining:
        return take_answer(program);
      case waiting:
        return look(node, program, number);
      case releasing:
        command(node, program, write, join_place, 0, releasing);
        return end_round(program);
      default:
        return false;
    }
  }
  static std::string text(const program_place& program) {
    static const char* const texts[] = {"tells the trees", "joins",    "has its answer",
                                        "sees the sense",  "releases", "has ended"};
    return texts[program.phase];
  }
  static void forget_stale(synchronizing_node_state&) {}
  /// Each node has a place of its own in the trees.
  template <class Use>
  static void for_each_renumbered(const synchronizing_state&, Use&&) {}

  // --- what must be so ---------------------------------------------------------------------------

  std::string fault_of(const synchronizing_state& at) const {
    for (std::uint32_t i = 0; i < plan_.nodes; ++i) {
      const barrier_state state = state_of(at.nodes[i]);
      const bool knows = state.initialized();
      if (knows && state.joined() >= state.joins()) return "a node counts too many joins";
      if (knows && state.told() > state.children()) return "a node tells too many children";
      if (passed(at.nodes[i].programs[0]) > least_joined(at)) return "a processor leaves early";
      if (setup_.trees.two_phase && i != 0 &&
          passed(at.nodes[i].programs[0]) > at.nodes[0].programs[0].rounds) {
        return "a processor leaves before the master's release";
      }
    }
    return "";
  }
  std::string fault_of_end(const synchronizing_state& at) const {
    for (std::uint32_t i = 0; i < plan_.nodes; ++i) {
      const barrier_state state = state_of(at.nodes[i]);
      if (at.nodes[i].programs[0].phase != finished) return "a processor waits for ever";
      if (state.joined() != 0 || state.told() != 0) return "a node is not done with an episode";
      if (state.sense() != setup_.episodes % 2) return "the senses of nodes differ";
    }
    return "";
  }

 private:
  using run_type = barriers::handlers<synchronizing_node>;
  using body = void (run_type::*)();

  enum phase : std::uint8_t { making, crossing, joining, waiting, releasing, finished };
  static constexpr std::uint8_t join_place = 0;
  static constexpr std::uint8_t trees_place = 1;

  static barriers_config config() {
    barriers_config one;
    one.count = 1;
    return one;
  }
  void place_memory() {
    settings_.count = 1;
    settings_.lie_at(0x1000, settings_.line);
    plan_.words = {settings_.status, settings_.states};
  }

  std::vector<body> bodies() const {
    static constexpr named_body<run_type> all[] = {{"processor_join", &run_type::processor_join},
                                                   {"processor_write", &run_type::processor_write},
                                                   {"read_status", &run_type::read_status},
                                                   {"child_joined", &run_type::child_joined},
                                                   {"released", &run_type::released},
                                                   {"join_later", &run_type::join_later},
                                                   {"release_later", &run_type::release_later}};
    return bodies_named(names_, all);
  }
  barrier_state trees_at(std::uint32_t node) const { return setup_.trees.at(node_id{node}); }

  /// Episodes that a program has come back from, and those that it has joined.
  static std::uint32_t passed(const program_place& program) {
    return program.rounds + (program.phase == releasing ? 1U : 0U);
  }
  static std::uint32_t joined(const program_place& program) {
    const bool is_in = program.phase == joining || program.phase == waiting;
    return passed(program) + (is_in ? 1U : 0U);
  }
  std::uint32_t least_joined(const synchronizing_state& at) const {
    std::uint32_t least = setup_.episodes;
    for (std::uint32_t i = 0; i < plan_.nodes; ++i) {
      least = std::min(least, joined(at.nodes[i].programs[0]));
    }
    return least;
  }

  static bool command(synchronizing_node_state& node, program_place& program, common_type type,
                      std::uint8_t place, word_t word, phase next) {
    node.commands.push({static_cast<std::uint8_t>(type), place, word});
    program.phase = next;
    return true;
  }
  static bool take_answer(program_place& program) {
    if (!program.answered) return false;
    if (program.answer == barrier_command::unknown) {
      throw broken_rule("a program joins a barrier that nobody made");
    }
    program.answered = false;
    program.phase = waiting;
    return true;
  }
  bool look(const synchronizing_node_state& node, program_place& program,
            std::uint32_t number) const {
    if (node.copy.word == program.answer) return false;
    program.answer = 0;
    if (!setup_.trees.two_phase || number != 0) return end_round(program);
    program.phase = releasing;
    return true;
  }
  bool end_round(program_place& program) const {
    program.phase = ++program.rounds == setup_.episodes ? finished : crossing;
    return true;
  }

  explored_barriers_setup setup_;
  barriers_protocol real_;
  synchronizing_plan plan_;
  barriers::kept_barriers settings_;
  std::vector<dispatch_rule> rules_;
  std::vector<std::string> names_;
  std::vector<body> bodies_;  // by number
};

}  // namespace tributary::testing
