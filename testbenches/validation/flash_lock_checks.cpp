// SPDX-License-Identifier: Apache-2.0
// FLASH's rows of locks that the controllers keep: SV1 to SV5, SV8 to SV11, SV14 and SV17, by the
// numbers of the synchronization specification.
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <tributary/controller/address_layout.h>
#include <tributary/controller/message.h>
#include <tributary/memory/line.h>
#include <tributary/protocols/locks/lock_handlers.h>

#include "flash_chapter_6.h"
#include "flash_checks.h"
#include "lock_measurements.h"
#include "measured_once.h"

namespace tributary::validation {
namespace {

using testing::synchronizing_machine;
using rows_t = std::vector<planned_row>;
using manner = flash_lock::manner;

constexpr std::uint64_t tested_lock = 5;

// --- a free lock ---------------------------------------------------------------------------------

/// Messages and handlers of locks on all nodes.
struct lock_traffic {
  std::uint64_t messages = 0;
  std::uint64_t commands = 0;
  std::uint64_t reads = 0;

  explicit lock_traffic(synchronizing_machine& of)
      : messages(of.runs("locks.request_token") + of.runs("locks.grant_token")),
        commands(of.runs("locks.processor_write")),
        reads(of.runs("locks.read_state")) {}
};

double between(std::uint64_t begin, std::uint64_t end) { return static_cast<double>(end - begin); }

/// What a lock's acquisitions take that nobody holds, each while all else is at rest, and what they
/// cause: by the node that had it before, and the one that wants it.
struct free_acquisitions {
  std::vector<double> microseconds;
  std::vector<lock_traffic> before;  ///< and after the last
};

free_acquisitions free_locks(manner how) {
  free_acquisitions found;
  found.microseconds =
      acquire_in_turn(chapter_6(4), measured_flash_lock(how), turns_of_table_6_2,
                      [&](synchronizing_machine& machine) { found.before.emplace_back(machine); });
  return found;
}

rows_t table_6_2(const claims& flash, const std::string& row, manner how) {
  rows_t rows;
  for (const auto& [name, place] : cases_of_table_6_2) {
    rows.push_back(measured_on_blocks(flash["flash." + row + "." + name], {}, [how, at = place] {
      return free_locks(how).microseconds.at(at);
    }));
  }
  return rows;
}

rows_t message_rows(const claims& flash) {
  const auto caused = [](std::size_t place, std::uint64_t lock_traffic::*what) {
    const free_acquisitions found = free_locks(manner::normal);
    return between(found.before.at(place).*what, found.before.at(place + 1).*what);
  };
  constexpr std::size_t third = 4;  // of the turns
  constexpr std::size_t cached = 5;
  return {measured_on_blocks(flash["flash.SV1.messages"], {},
                             [=] { return caused(third, &lock_traffic::messages); }),
          measured_on_blocks(flash["flash.SV1.commands"], {},
                             [=] { return caused(third, &lock_traffic::commands); }),
          measured_on_blocks(flash["flash.SV3"], {}, [=] {
            return caused(cached, &lock_traffic::messages) +
                   caused(cached, &lock_traffic::commands) + caused(cached, &lock_traffic::reads);
          })};
}

// --- contention ----------------------------------------------------------------------------------

struct flash_contention : contention {
  double messages = 0;  ///< of a hand-over
};

flash_contention contention_on(const std::uint32_t& nodes) {
  flash_contention found;
  std::uint64_t before = 0;
  std::uint64_t after = 0;
  contention_watch watch;
  watch.begins = [&](synchronizing_machine& machine) { before = lock_traffic(machine).messages; };
  watch.ended = [&](synchronizing_machine& machine) { after = lock_traffic(machine).messages; };
  static_cast<contention&>(found) =
      measured_contention(chapter_6(nodes), measured_flash_lock(), watch);
  found.messages = between(before, after) / (nodes - 1);
  return found;
}

rows_t contention_rows(const claims& flash) {
  constexpr std::uint32_t some = 16;
  const auto all = std::make_shared<measured_once<std::uint32_t, flash_contention>>(contention_on);
  rows_t rows{
      measured_on_blocks(flash["flash.SV2"], {}, [all, some] { return all->at(some).messages; }),
      measured_on_blocks(flash["flash.SV4"], {},
                         [all, some] { return all->at(some).in_order ? 1.0 : 0.0; })};
  const auto add = [&](const char* id, double contention::*what) {
    for (planned_row& each : measured_by_processors(
             flash[id], {}, [all, what](std::uint32_t nodes) { return all->at(nodes).*what; })) {
      rows.push_back(std::move(each));
    }
  };
  add("flash.SV14", &contention::hand_over);
  add("flash.SV17", &contention::all);
  add("flash.SV17.shown", &contention::all);
  return rows;
}

// --- full lanes ----------------------------------------------------------------------------------

/// What a home does that has no room to pass requests on.
struct deferral {
  double deferred = 0;      ///< requests
  double out_of_order = 0;  ///< grants to others than who asked next
};

/// Grants against the order in which the home, node 0, took the requests.
class grant_order {
 public:
  explicit grant_order(deferral& found) : found_(found) {}

  void ended(const std::string& handler, handler_context& context) {
    const message& about = context.arrived();
    std::deque<std::uint32_t>& queue =
        queues_[lock_command::number(context.addresses().offset_of(about.address), line_size{})];
    const std::uint32_t here = index(context.here());
    if (handler == "request_later") ++found_.deferred;
    if (handler == "request_token" && here == 0) queue.push_back(about.aux);
    if (handler != "grant_token") return;
    if (queue.empty() || queue.front() != here) ++found_.out_of_order;
    if (!queue.empty()) queue.pop_front();
  }

 private:
  deferral& found_;
  std::map<std::uint64_t, std::deque<std::uint32_t>> queues_;
};

/// All but the home ask for many locks at once, over slow links behind short queues.
deferral crowd_the_home() {
  constexpr std::uint32_t nodes = 8;
  constexpr std::uint32_t wanted = 20;
  constexpr std::uint32_t rounds = 3;
  deferral found;
  grant_order order(found);
  testing::synchronizing_config config = testing::crowded(nodes);
  config.lock_handler_ended = [&](const std::string& handler, handler_context& context) {
    order.ended(handler, context);
  };
  synchronizing_machine machine(config);
  machine.run([&](program_context& context) {
    std::vector<std::unique_ptr<flash_lock>> locks;
    for (std::uint32_t i = 0; i < wanted; ++i) {
      locks.push_back(std::make_unique<flash_lock>(context, machine.lock_place(i, 0)));
    }
    flash_barrier together(context, machine.barrier_place(), {nodes, 4, 4});
    for (std::uint32_t round = 0; round < rounds; ++round) {
      together.cross();
      if (context.rank() == 0) continue;
      for (const auto& each : locks) each->try_acquire(0);
      for (const auto& each : locks) {
        if (!each->held()) each->acquire();
        each->release();
      }
    }
  });
  return found;
}

// --- time-outs -----------------------------------------------------------------------------------

/// Node 2 gives up before the token comes, and node 3 waits behind it: how many of the periods of
/// node 2 end while it has the token.
double periods_of_an_unused_token() {
  testing::synchronizing_config config(4);
  config.locks.timeout = 5000;
  config.machine.node.timed.period = 100;
  bool has_token = false;
  double periods = 0;
  config.lock_handler_ended = [&](const std::string& handler, handler_context& context) {
    if (context.here() == node_id{2} && handler == "grant_token") has_token = true;
    if (context.here() == node_id{2} && handler == "tick" && has_token) ++periods;
    if (context.here() == node_id{3} && handler == "grant_token") has_token = false;
  };
  synchronizing_machine machine(config);
  machine.run([&](program_context& context) {
    flash_lock lock(context, machine.lock_place(tested_lock, 0));
    constexpr cycle_t apart = 8000;
    if (context.rank() == 0) return;
    context.delay(apart * context.rank() - context.now());
    if (context.rank() == 2) {
      lock.try_acquire(1000);
      return;
    }
    lock.acquire();
    if (context.rank() == 1) context.delay(4 * apart - context.now());
    lock.release();
  });
  return periods;
}

/// What the handlers of time-outs ask of a node, which remembers the lines that they touch.
class touched_lines {
 public:
  const address_layout& addresses() const { return layout_; }
  const message& arrived() const { return arrived_; }
  node_id here() const { return node_id{0}; }
  void spend(std::uint64_t) {}
  word_t load(std::uint64_t address) {
    lines_.insert(address / line_size{}.bytes());
    return words_[address];
  }
  void store(std::uint64_t address, word_t value) {
    lines_.insert(address / line_size{}.bytes());
    words_[address] = value;
  }
  void later(std::uint64_t, handler_id, const message&) { throw error("nothing is put off"); }
  void after(std::uint64_t, handler_id, const message&) { throw error("no other round comes"); }

  std::size_t lines() const { return lines_.size(); }

 private:
  address_layout layout_;
  message arrived_;
  std::map<std::uint64_t, word_t> words_;
  std::set<std::uint64_t> lines_;
};

/// Of a round in which no lock is looked at.
double lines_of_an_idle_round() {
  locks::handler_settings settings;
  settings.places.count = lock_command::most;
  settings.timeout = 1;
  touched_lines node;
  locks::handlers<touched_lines>(node, settings).tick();
  return static_cast<double>(node.lines());
}

rows_t full_lanes_and_time_outs(const claims& flash) {
  return {
      measured_on_blocks(flash["flash.SV5.deferred"], {}, [] { return crowd_the_home().deferred; }),
      measured_on_blocks(flash["flash.SV5.order"], {},
                         [] { return crowd_the_home().out_of_order; }),
      measured_on_blocks(flash["flash.SV8"], {}, periods_of_an_unused_token),
      measured_on_blocks(flash["flash.SV9"], {}, lines_of_an_idle_round)};
}

}  // namespace

std::vector<planned_row> flash_lock_checks(const claims& flash) {
  rows_t rows = message_rows(flash);
  for (rows_t some :
       {table_6_2(flash, "SV10", manner::normal), table_6_2(flash, "SV11", manner::aggressive),
        contention_rows(flash), full_lanes_and_time_outs(flash)}) {
    rows.insert(rows.end(), std::make_move_iterator(some.begin()),
                std::make_move_iterator(some.end()));
  }
  return rows;
}

}  // namespace tributary::validation
