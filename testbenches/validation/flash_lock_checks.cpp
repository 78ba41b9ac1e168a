// SPDX-License-Identifier: Apache-2.0
// FLASH's rows of locks that the controllers keep: SV1 to SV5, SV8, SV10, SV11, SV14 and SV17, by
// the numbers of the synchronization specification.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "flash_chapter_6.h"
#include "flash_checks.h"
#include "measured_once.h"

namespace tributary::validation {
namespace {

using testing::synchronizing_machine;
using rows_t = std::vector<planned_row>;
using manner = flash_lock::manner;

constexpr std::uint64_t tested_lock = 5;

/// What a call of the library computes before its first access, in cycles of the processor: fitted
/// to a lock that is found in the caches, in SV10.
constexpr std::uint64_t call_cycles = 38;

/// From a word to the next reference: a lock that is found in the caches takes 12 cycles (SV12).
constexpr std::uint32_t turnaround = 5;

void acquire(program_context& context, flash_lock& lock) {
  context.delay(call_cycles);
  lock.acquire();
}

void wait_until(program_context& context, cycle_t when) {
  if (context.now() < when) context.delay(when - context.now());
}

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

/// The lock's home is node 0 of four. Each of `wants` acquires and releases it in turn.
free_acquisitions acquire_in_turn(const std::vector<std::uint32_t>& wants, manner how) {
  constexpr cycle_t apart = 8000;
  synchronizing_machine machine(chapter_6(4, turnaround));
  free_acquisitions found;
  machine.run(
      [&](program_context& context) {
        flash_lock lock(context, machine.lock_place(tested_lock, 0), how);
        for (std::size_t i = 0; i < wants.size(); ++i) {
          wait_until(context, apart * (i + 1));
          if (context.rank() == 0) found.before.emplace_back(machine);
          if (context.rank() != wants[i]) continue;
          const cycle_t begin = context.now();
          acquire(context, lock);
          found.microseconds.push_back(microseconds(context.now() - begin));
          lock.release();
        }
        wait_until(context, apart * (wants.size() + 1));
        if (context.rank() == 0) found.before.emplace_back(machine);
      },
      patience);
  return found;
}

/// The cases of FLASH Table 6.2, by the place of their acquisition in this order.
const std::vector<std::uint32_t> in_turn = {0, 1, 0, 1, 2, 2};
const std::map<std::string, std::size_t> case_places = {
    {"home_to_remote", 1}, {"remote_to_home", 2}, {"third", 4}, {"cached", 5}};

rows_t table_6_2(const claims& flash, const std::string& row, manner how) {
  rows_t rows;
  for (const auto& [name, place] : case_places) {
    rows.push_back(measured_on_blocks(flash["flash." + row + "." + name], {}, [how, at = place] {
      return acquire_in_turn(in_turn, how).microseconds.at(at);
    }));
  }
  return rows;
}

rows_t message_rows(const claims& flash) {
  const auto caused = [](std::size_t place, std::uint64_t lock_traffic::*what) {
    const free_acquisitions found = acquire_in_turn(in_turn, manner::normal);
    return between(found.before.at(place).*what, found.before.at(place + 1).*what);
  };
  const std::size_t third = case_places.at("third");
  const std::size_t cached = case_places.at("cached");
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

/// FLASH's controlled contention (Table 6.3): the home has the lock, all others wait for it, and
/// each releases it at once.
struct contention {
  double hand_over = 0;  ///< from the end of an unlock to the next holder's return; the mean
  double all = 0;        ///< from the home's unlock to the last
  double messages = 0;   ///< of a hand-over
  bool in_order = true;  ///< in the order in which they asked
};

contention measured_contention(const std::uint32_t& nodes) {
  constexpr cycle_t apart = 800;  // between two that ask
  synchronizing_machine machine(chapter_6(nodes, turnaround));
  const cycle_t all_wait = apart * (nodes + 2);
  contention found;
  cycle_t begin = 0;
  cycle_t unlocked = 0;
  std::uint32_t next = 1;
  std::vector<lock_traffic> before;
  machine.run(
      [&](program_context& context) {
        flash_lock lock(context, machine.lock_place(tested_lock, 0));
        const std::uint32_t rank = context.rank();
        wait_until(context, apart * (rank + 1));
        acquire(context, lock);
        if (rank == 0) {
          wait_until(context, all_wait);
          before.emplace_back(machine);
          begin = context.now();
        } else {
          found.hand_over += microseconds(context.now() - unlocked) / (nodes - 1);
          found.in_order = found.in_order && rank == next++;
        }
        lock.release();
        unlocked = context.now();
        found.all = microseconds(unlocked - begin);
      },
      patience);
  const lock_traffic after(machine);
  found.messages = between(before.at(0).messages, after.messages) / (nodes - 1);
  return found;
}

using contentions = measured_once<std::uint32_t, contention>;
using shared_contentions = std::shared_ptr<contentions>;

/// A row for each of the family's "processors", whose published values are its "values".
rows_t by_size(const family& claim, const shared_contentions& all, double contention::*what) {
  const std::vector<double> sizes = claim.numbers("processors");
  const std::vector<double> values = claim.numbers("values");
  rows_t rows;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    planned_row row = claim.row_with(id_text(sizes[i]), values.at(i));
    row.shape.configuration = json_value::make_object();
    row.shape.configuration.set("processors", json_value(sizes[i]));
    const auto nodes = static_cast<std::uint32_t>(sizes[i]);
    row.measure = [all, nodes, what](const point_results&) { return all->at(nodes).*what; };
    rows.push_back(std::move(row));
  }
  return rows;
}

rows_t contention_rows(const claims& flash) {
  constexpr std::uint32_t some = 16;
  const auto all = std::make_shared<contentions>(measured_contention);
  rows_t rows{
      measured_on_blocks(flash["flash.SV2"], {}, [all, some] { return all->at(some).messages; }),
      measured_on_blocks(flash["flash.SV4"], {},
                         [all, some] { return all->at(some).in_order ? 1.0 : 0.0; })};
  const auto add = [&](const char* id, double contention::*what) {
    for (planned_row& each : by_size(flash[id], all, what)) rows.push_back(std::move(each));
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
    wait_until(context, apart * context.rank());
    if (context.rank() == 2) {
      lock.try_acquire(1000);
      return;
    }
    lock.acquire();
    wait_until(context, 4 * apart);
    lock.release();
  });
  return periods;
}

rows_t full_lanes_and_time_outs(const claims& flash) {
  return {
      measured_on_blocks(flash["flash.SV5.deferred"], {}, [] { return crowd_the_home().deferred; }),
      measured_on_blocks(flash["flash.SV5.order"], {},
                         [] { return crowd_the_home().out_of_order; }),
      measured_on_blocks(flash["flash.SV8"], {}, periods_of_an_unused_token)};
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
