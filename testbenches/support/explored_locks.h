// SPDX-License-Identifier: Apache-2.0
// A lock whose handlers run on explored nodes, and programs that acquire it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include <tributary/protocols/locks/locks.h>

#include "named_bodies.h"
#include "synchronizing_node.h"

namespace tributary::testing {

/// A rule of the locks that is broken, by its name in flash-synchronization 2.5.
enum class lock_fault : std::uint8_t {
  none,
  n1,  ///< the unlock leaves the token in its copy
  n2,  ///< who takes the token reads the copy and leaves it there
  n3,  ///< a time-out believes the controller's state although there is a copy
  n4,  ///< so does who takes the token where the copy is on its way
  w2   ///< a copy that comes back gives the token to nobody
};

struct explored_locks_setup {
  std::uint32_t nodes = 3;
  std::uint32_t processes = 1;  ///< of a node, with one cache
  std::uint32_t home = 0;
  std::uint8_t acquisitions = 1;  ///< of each process
  /// Whether they ask before they look (FLASH 6.1.8).
  bool aggressive = false;
  /// Whether the programs begin with telling their nodes the home; else they know it.
  bool tell_home = false;
  /// Whether tokens that a processor has not used may be taken away, after any time.
  bool timeouts = false;
  bool late_deliveries = false;
  bool in_order = true;
  lock_fault fault = lock_fault::none;
};

/// One lock, number 0.
class explored_locks {
 public:
  explicit explored_locks(const explored_locks_setup& setup)
      : setup_(setup), real_(config(), {}, setup.nodes, line_size()) {
    place_memory();
    plan_.nodes = setup.nodes;
    plan_.processes = setup.processes;
    plan_.layout.space_bits = lock_command::space_bits;
    plan_.space = lock_command::space;
    plan_.offsets = {lock_command::token(0), lock_command::unlock(0), lock_command::home(0),
                     lock_command::state(0, line_size())};
    plan_.late_deliveries = setup.late_deliveries;
    plan_.in_order = setup.in_order;
    plan_.keeps_copies = setup.fault == lock_fault::n2;
    plan_.believes_memory = setup.fault == lock_fault::n4;
    plan_.seen_by_program = seen_by_program;
    plan_.seen_in_write_back = seen_in_write_back;
    rules_ = real_.rules();
    names_ = real_.handler_names();
    bodies_ = bodies();
    settings_.request_later = number_named(names_, "request_later");
    settings_.steal_later = number_named(names_, "steal_later");
    settings_.tick = number_named(names_, "tick");
    settings_.check = number_named(names_, "check");
    settings_.timeout = setup.timeouts ? 1 : 0;
    number_nodes();
  }

  const synchronizing_plan& plan() const { return plan_; }
  const std::vector<dispatch_rule>& rules() const { return rules_; }
  const std::vector<std::string>& names() const { return names_; }
  void run(std::size_t handler, synchronizing_node& node) const {
    if (setup_.fault == lock_fault::n3 && names_[handler] == "check") node.look_away();
    if (setup_.fault == lock_fault::w2 && names_[handler] == "write_back") {
      take_back(node);
      return;
    }
    locks::handlers<synchronizing_node> all(node, settings_);
    (all.*bodies_[handler])();
  }

  synchronizing_state initial() const {
    synchronizing_state begin;
    for (std::uint32_t i = 0; i < setup_.nodes; ++i) {
      for (std::uint32_t j = 0; j < setup_.processes; ++j) {
        begin.nodes[i].programs[j].phase = setup_.tell_home ? making : first();
      }
      if (!setup_.tell_home) begin_node(begin.nodes[i], i);
    }
    return begin;
  }

  lock_state state_of(const synchronizing_node_state& node) const {
    return lock_state(node.words[0]);
  }

  // --- the programs: those of flash_lock.cpp -----------------------------------------------------

  static bool wants_line(const program_place& program) {
    return program.phase == wanting || program.phase == holding;
  }
  static bool holds(const program_place& program) { return program.phase == holding; }

  /// One step; false if there is nothing to do. A load-linked and the store-conditional behind it
  /// are one: where the copy leaves in between, the second does nothing.
  bool advance(synchronizing_node_state& node, program_place& program, std::uint32_t) const {
    const bool moved = step(node, program);
    if (!remembers(program)) program.answer = 0;
    // Processes of a node are alike.
    std::sort(node.programs.begin(), node.programs.begin() + setup_.processes,
              [](const program_place& x, const program_place& y) {
                return std::tie(x.phase, x.rounds, x.answer) <
                       std::tie(y.phase, y.rounds, y.answer);
              });
    return moved;
  }
  bool step(synchronizing_node_state& node, program_place& program) const {
    switch (program.phase) {
      case making:
        return write(node, program, home_place, setup_.home, first());
      case asking_first:
        return ask_first(node, program);
      case wanting:
        return attempt(node, program);
      case asking:
        return write(node, program, token_place, program.answer, wanting);
      case holding:
        return release(node, program);
      case telling:
        write(node, program, unlock_place, program.answer, telling);
        return end_round(program);
      default:
        return false;
    }
  }
  static std::string text(const program_place& program) {
    static const char* const texts[] = {"tells the home",  "asks first",       "looks at the lock",
                                        "wants the token", "unlocks its copy", "tells the unlock",
                                        "has ended",       "has given up"};
    return texts[program.phase];
  }

  /// Words of free places in the deferral queue mean nothing, and arrivals only how long ago.
  void forget_stale(synchronizing_node_state& node) const {
    count_from_last(node);
    const locks::lock_memory& places = settings_.places;
    const locks::deferral_ends ends(node.words[plan_.word_at(places.queue(0))]);
    std::uint64_t place = ends.place_of_next(places.nodes);
    if (!ends.empty() && place == ends.first()) return;
    do {
      node.words[plan_.word_at(places.queue_entry(0, place))] = 0;
      place = (place + 1) % places.nodes;
    } while (place != ends.first());
  }

  /// Calls `use` for all states that differ by the numbers of nodes that are alike: those that are
  /// not the home.
  template <class Use>
  void for_each_renumbered(const synchronizing_state& from, Use&& use) const {
    for (const numbering& each : numberings_) use(renumbered(from, each));
  }

  // --- what must be so ---------------------------------------------------------------------------

  std::string fault_of(const synchronizing_state& at) const {
    for (std::uint32_t i = 0; i < setup_.nodes; ++i) {
      if (holders(at.nodes[i]) != 0 && !state_of(at.nodes[i]).token()) {
        return "a processor holds the lock without the token";
      }
    }
    const std::size_t all = tokens(at);
    if (all > 1) return "there are two tokens";
    if (all == 0 && !setup_.tell_home) return "the token is lost";
    return fault_of_exclusion(at);
  }
  std::string fault_of_exclusion(const synchronizing_state& at) const {
    std::size_t all = 0;
    for (std::uint32_t i = 0; i < setup_.nodes; ++i) all += holders(at.nodes[i]);
    return all > 1 ? "two processes hold the lock" : "";
  }
  std::string fault_of_end(const synchronizing_state& at) const {
    for (std::uint32_t i = 0; i < setup_.nodes; ++i) {
      const lock_state state = state_of(at.nodes[i]);
      bool gives_up = false;
      for (std::uint32_t j = 0; j < setup_.processes; ++j) {
        const std::uint8_t where = at.nodes[i].programs[j].phase;
        gives_up = gives_up || where == gave_up;
        if (where != finished && where != gave_up) return "a process waits for ever";
      }
      if (gives_up) continue;
      if (state.locked() && !state.cached()) return "a lock stays locked";
      if (state.awaited() || state.requested() || state.deferring()) return "a node waits for ever";
    }
    return tokens(at) == 1 ? "" : "the token is lost";
  }

 private:
  using run_type = locks::handlers<synchronizing_node>;
  using body = void (run_type::*)();

  enum phase : std::uint8_t {
    making,
    asking_first,
    wanting,
    asking,
    holding,
    telling,
    finished,
    gave_up
  };
  static constexpr std::uint8_t token_place = 0;
  static constexpr std::uint8_t unlock_place = 1;
  static constexpr std::uint8_t home_place = 2;

  static locks_config config() {
    locks_config one;
    one.count = one.queues = 1;
    return one;
  }

  void place_memory() {
    locks::lock_memory& places = settings_.places;
    places.base = 0x1000;
    places.count = places.queues = 1;
    places.nodes = setup_.nodes;
    plan_.words = {places.state(0), places.queues_in_use(), places.queue(0)};
    for (std::uint64_t i = 0; i < setup_.nodes; ++i) {
      plan_.words.push_back(places.queue_entry(0, i));
    }
    if (!setup_.timeouts) return;
    for (const std::uint64_t each : {places.installed(0), places.aging(0), places.checking(0)}) {
      plan_.words.push_back(each);
    }
  }
  void begin_node(synchronizing_node_state& node, std::uint32_t number) const {
    lock_state state;
    if (number == setup_.home) {
      state.initialize_home(node_id{number}, 0);
      node.words[1] = 1;
    } else {
      state.initialize(node_id{setup_.home});
    }
    node.words[0] = state.word();
    count_from_last(node);
  }

  /// The controller's own count is 0 then.
  void count_from_last(synchronizing_node_state& node) const {
    const std::uint32_t last = state_of(node).arrivals();
    if (last == 0) return;
    const auto earlier = [last](word_t word) {
      lock_state state(word);
      state.set_arrivals(state.arrivals() - last);
      return state.word();
    };
    node.words[0] = earlier(node.words[0]);
    if (node.copy.present) node.copy.word = earlier(node.copy.word);
    for (program_place& each : node.programs) {
      if (remembers(each)) each.answer = earlier(each.answer);
    }
    for (std::size_t i = 0; i < node.deliveries.size(); ++i) {
      line_on_its_way& each = node.deliveries[i];
      if (each.what == line_on_its_way::kind::line) each.word = earlier(each.word);
    }
    for (std::size_t i = 0; i < node.commands.size(); ++i) {
      command_on_its_way& each = node.commands[i];
      if (each.place != home_place && !asks_for_line(each)) each.word = earlier(each.word);
    }
  }

  phase first() const { return setup_.aggressive ? asking_first : wanting; }

  // --- symmetry ----------------------------------------------------------------------------------

  /// By the old number of a node.
  using numbering = std::array<std::uint8_t, most_synchronizing_nodes>;

  /// All ways to number nodes anew. Only if node 0 is the home: messages that name no node name 0.
  void number_nodes() {
    numbering next{};
    for (std::uint8_t i = 0; i < next.size(); ++i) next[i] = i;
    if (setup_.home != 0) return;
    const auto end = next.begin() + setup_.nodes;
    while (std::next_permutation(next.begin() + 1, end)) numberings_.push_back(next);
  }
  synchronizing_state renumbered(const synchronizing_state& from, const numbering& to) const {
    synchronizing_state result = from;
    for (std::uint32_t i = 0; i < setup_.nodes; ++i) {
      result.nodes[to[i]] = from.nodes[i];
      renumber(result.nodes[to[i]], to);
      for (std::uint32_t j = 0; j < setup_.nodes; ++j) {
        auto& lanes = result.channels[to[i]][to[j]];
        lanes = from.channels[i][j];
        for (synchronizing_channel& each : lanes) renumber(each, to);
      }
    }
    return result;
  }
  void renumber(synchronizing_node_state& node, const numbering& to) const {
    lock_state state = state_of(node);
    if (state.awaited()) state.set_next(node_id{to[index(state.next())]});
    if (state.is_home()) state.set_tail(node_id{to[index(state.tail())]});
    node.words[0] = state.word();
    for (std::uint64_t i = 0; i < setup_.nodes; ++i) {
      word_t& entry = node.words[plan_.word_at(settings_.places.queue_entry(0, i))];
      entry = to[entry];
    }
    renumber(node.put_off, to);
  }
  template <class Queue>
  static void renumber(Queue& queue, const numbering& to) {
    for (std::size_t i = 0; i < queue.size(); ++i) queue[i].aux = to[queue[i].aux];
  }

  std::vector<body> bodies() const {
    static constexpr named_body<run_type> all[] = {{"read_state", &run_type::read_state},
                                                   {"write_back", &run_type::write_back},
                                                   {"processor_write", &run_type::processor_write},
                                                   {"request_token", &run_type::request_token},
                                                   {"grant_token", &run_type::grant_token},
                                                   {"unknown_lock", &run_type::unknown_lock},
                                                   {"request_later", &run_type::request_later},
                                                   {"steal_later", &run_type::steal_later},
                                                   {"tick", &run_type::tick},
                                                   {"check", &run_type::check}};
    return bodies_named(names_, all);
  }

  /// `write_back` without rule W2: it does not see that a node waits.
  void take_back(synchronizing_node& node) const {
    const std::uint64_t place = settings_.places.state(0);
    const lock_state before(node.load(place));
    lock_state alone = before;
    alone.clear_next();
    node.store(place, alone.word());
    locks::handlers<synchronizing_node>(node, settings_).write_back();
    lock_state after(node.load(place));
    if (before.awaited()) after.set_next(before.next());
    node.store(place, after.word());
  }

  static word_t seen_by_program(word_t word) {
    const lock_state all(word);
    lock_state seen(seen_in_write_back(word));
    if (all.awaited()) seen.set_next(node_id{0});
    seen.set_requested(all.requested());
    seen.set_unknown(all.unknown());
    if (all.initialized()) seen.initialize(node_id{0});
    return seen.word();
  }
  static word_t seen_in_write_back(word_t word) {
    const lock_state all(word);
    lock_state seen;
    seen.set_token(all.token());
    seen.set_locked(all.locked());
    seen.set_seen(all.seen());
    seen.set_arrivals(all.arrivals());
    seen.set_uses(all.uses());
    return seen.word();
  }

  /// Those of the nodes, and those on their way.
  std::size_t tokens(const synchronizing_state& at) const {
    std::size_t all = 0;
    for (std::uint32_t i = 0; i < setup_.nodes; ++i) {
      if (state_of(at.nodes[i]).token()) ++all;
      for (std::uint32_t j = 0; j < setup_.nodes; ++j) {
        for (const synchronizing_channel& each : at.channels[i][j]) all += grants(each);
      }
    }
    return all;
  }
  static std::size_t grants(const synchronizing_channel& of) {
    std::size_t all = 0;
    for (std::size_t i = 0; i < of.size(); ++i) {
      if (of[i].type == static_cast<std::uint8_t>(locks::message_type::grant)) ++all;
    }
    return all;
  }

  /// Processes that hold the lock.
  std::size_t holders(const synchronizing_node_state& node) const {
    return static_cast<std::size_t>(
        std::count_if(node.programs.begin(), node.programs.begin() + setup_.processes, holds));
  }

  static bool write(synchronizing_node_state& node, program_place& program, std::uint8_t place,
                    word_t word, phase next) {
    node.commands.push({static_cast<std::uint8_t>(common_type::uncached_write), place, word});
    program.phase = next;
    return true;
  }
  static bool attempt(synchronizing_node_state& node, program_place& program) {
    lock_state mine(node.copy.word);
    if (!mine.initialized()) throw broken_rule("a program sees a lock that nobody made");
    if (mine.unknown()) {
      program.phase = gave_up;
    } else if (mine.token() && !mine.locked()) {
      mine.lock();
      program.phase = holding;
    } else if (!mine.token() && !mine.requested()) {
      mine.set_requested(true);
      program.phase = asking;
    } else {
      return false;
    }
    node.copy.word = mine.word();
    remember(program, mine);
    return true;
  }
  /// Whether a command will say what the process has seen.
  bool remembers(const program_place& program) const {
    if (program.phase == finished || program.phase == gave_up) return false;
    return setup_.aggressive || program.phase == asking || program.phase == telling;
  }
  static void remember(program_place& program, lock_state seen) {
    lock_state kept;
    kept.set_token(seen.token());
    kept.set_arrivals(seen.arrivals());
    kept.set_uses(seen.uses());
    program.answer = kept.word();
  }
  static bool ask_first(synchronizing_node_state& node, program_place& program) {
    lock_state known(program.answer);
    known.set_token(true);
    return write(node, program, token_place, known.word(), wanting);
  }
  bool release(synchronizing_node_state& node, program_place& program) const {
    lock_state mine(node.copy.word);
    const bool is_right = mine.token() && mine.locked();
    if (!is_right && setup_.fault == lock_fault::none) {
      throw broken_rule("a holder's copy is not locked");
    }
    const bool awaited = mine.awaited();
    mine.set_locked(false);
    if (awaited && setup_.fault != lock_fault::n1) {
      mine.set_token(false);
      mine.clear_next();
    }
    node.copy.word = mine.word();
    remember(program, mine);
    if (!awaited) return end_round(program);
    program.phase = telling;
    return true;
  }
  bool end_round(program_place& program) const {
    program.phase = ++program.rounds == setup_.acquisitions ? finished : first();
    return true;
  }

  explored_locks_setup setup_;
  locks_protocol real_;
  synchronizing_plan plan_;
  locks::handler_settings settings_;
  std::vector<dispatch_rule> rules_;
  std::vector<std::string> names_;
  std::vector<body> bodies_;           // by number
  std::vector<numbering> numberings_;  // but for that which changes nothing
};

}  // namespace tributary::testing
