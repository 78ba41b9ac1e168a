// SPDX-License-Identifier: Apache-2.0
#include "lock_page.h"

#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <support/program_machines.h>
#include <support/reference_count.h>
#include <tributary/algorithms/fetch_add_queue.h>
#include <tributary/algorithms/mcs_queue_lock.h>
#include <tributary/algorithms/test_and_set_lock.h>
#include <tributary/algorithms/ticket_lock.h>

namespace tributary::documentation {
namespace {

using testing::designs_for_programs;
using testing::named_design;
using testing::reference_count;
using testing::reference_counter;

constexpr memory_place place{0, 0, 0};
/// Elements of the machines on which references are counted.
constexpr std::uint32_t counted_elements = 4;

using lock_maker = std::function<std::shared_ptr<mutual_exclusion_lock>(program_context&)>;

struct named_lock {
  std::string name;
  std::uint32_t central_words;
  std::uint32_t own_words;
  lock_maker make;
};

template <class Lock>
named_lock describe(const std::string& name) {
  return {name, Lock::central_words, Lock::own_words(counted_elements),
          [](program_context& context) { return std::make_shared<Lock>(context, place); }};
}

std::vector<named_lock> locks() {
  return {describe<test_and_set_lock>("test_and_set_lock"), describe<ticket_lock>("ticket_lock"),
          describe<mcs_queue_lock>("mcs_queue_lock")};
}

/// The four designs of the paper's figures, among those that programs are tested on.
std::vector<named_design> designs() {
  const std::vector<named_design>& all = designs_for_programs();
  return {all[0], all[1], all[3], all[4]};
}

std::string heading(const std::string& first) {
  std::string names = "| " + first + " | Elements |";
  std::string line = "|---|---|";
  for (const named_design& each : designs()) {
    names += " " + std::string(each.name) + " |";
    line += "---|";
  }
  return names + "\n" + line + "\n";
}

std::string text(const reference_count& count) {
  return std::to_string(count.network) + " + " + std::to_string(count.local);
}

/// Cycles from grant to grant while each element takes the lock ten times without a pause.
double cycles_per_grant(const named_lock& lock, const named_design& design,
                        std::uint32_t elements) {
  std::vector<cycle_t> grants;
  const auto contend = [&](program_context& context) {
    const std::shared_ptr<mutual_exclusion_lock> mine = lock.make(context);
    for (int round = 0; round < 10; ++round) {
      mine->acquire();
      grants.push_back(context.now());
      mine->release();
    }
  };
  ultracomputer machine(testing::program_machine(design, elements), 1, make_program(contend));
  testing::run_to_end(machine);
  return static_cast<double>(grants.back() - grants.front()) /
         static_cast<double>(grants.size() - 1);
}

/// Mean cycles of an enqueue and a dequeue of each element, with room for all.
double cycles_per_pair(const named_design& design, std::uint32_t elements) {
  const auto exchange = [elements](program_context& context) {
    fetch_add_queue queue(context, place, std::uint64_t{2} * elements);
    for (word_t i = 0; i < 20; ++i) {
      queue.enqueue(i);
      queue.dequeue();
      context.mark("pair");
    }
  };
  ultracomputer machine(testing::program_machine(design, elements), 1, make_program(exchange));
  testing::run_to_end(machine);
  return machine.statistics().find("workload.marks.pair.interval.mean");
}

}  // namespace

std::string lock_reference_table() {
  std::string table =
      "| Lock | Central words | Words of each element | acquire | release |\n"
      "|---|---|---|---|---|\n";
  for (const named_lock& each : locks()) {
    const std::vector<reference_count> counts =
        reference_counter::count(counted_elements, [&each](program_context& context) {
          const std::shared_ptr<mutual_exclusion_lock> lock = each.make(context);
          return std::vector<reference_counter::step>{[lock] { lock->acquire(); },
                                                      [lock] { lock->release(); }};
        });
    table += "| `" + each.name + "` | " + std::to_string(each.central_words) + " | " +
             std::to_string(each.own_words) + " | " + text(counts[0]) + " | " + text(counts[1]) +
             " |\n";
  }
  return table;
}

std::string lock_rate_table() {
  std::string table = heading("Lock");
  for (const named_lock& lock : locks()) {
    for (const std::uint32_t elements : {4U, 16U, 64U}) {
      table += "| `" + lock.name + "` | " + std::to_string(elements) + " |";
      for (const named_design& design : designs()) {
        const double cycles = cycles_per_grant(lock, design, elements);
        table += " " + std::to_string(std::lround(cycles)) + " |";
      }
      table += "\n";
    }
  }
  return table;
}

std::string queue_reference_table() {
  const std::vector<reference_count> counts =
      reference_counter::count(counted_elements, [](program_context& context) {
        const auto queue = std::make_shared<fetch_add_queue>(context, place, 1);
        return std::vector<reference_counter::step>{
            [queue] { queue->dequeue(); }, [queue] { queue->enqueue(1); },
            [queue] { queue->enqueue(2); }, [queue] { queue->dequeue(); }};
      });
  const auto row = [](const std::string& call, const reference_count& count) {
    return "| " + call + " | " + std::to_string(count.network) + " |\n";
  };
  return "| Call | References |\n|---|---|\n" + row("`enqueue`", counts[1]) +
         row("`dequeue`", counts[3]) + row("`enqueue`, full", counts[2]) +
         row("`dequeue`, empty", counts[0]);
}

std::string queue_rate_table() {
  std::string table = heading("Calls");
  for (const std::uint32_t elements : {4U, 16U, 64U, 256U}) {
    table += "| `enqueue`, `dequeue` | " + std::to_string(elements) + " |";
    for (const named_design& design : designs()) {
      table += " " + std::to_string(std::lround(cycles_per_pair(design, elements))) + " |";
    }
    table += "\n";
  }
  return table;
}

}  // namespace tributary::documentation
