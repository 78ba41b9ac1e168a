// SPDX-License-Identifier: Apache-2.0
// V51 and V19: block transfers with pending lines, odd pages, refusals and few buffers.
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tributary/algorithms/fbcopy.h>
#include <tributary/magic/magic_machine.h>
#include <tributary/processor/node_elements.h>
#include <tributary/protocols/block_transfer/block_transfer.h>
#include <tributary/protocols/costs/protocol_costs.h>
#include <tributary/protocols/uncached.h>
#include <tributary/sim/error.h>
#include <tributary/sim/random_stream.h>

#include <support/usual_line.h>

#include "flash_checks.h"

namespace tributary::validation {
namespace {

/// Lines that are pending the first time somebody asks.
class once_pending final : public line_states {
 public:
  void hold(std::uint64_t first, std::uint64_t lines) {
    for (std::uint64_t i = 0; i < lines; ++i) held_[first / line_bytes + i] = true;
  }
  bool is_uncached(handler_context& context, std::uint64_t address) override {
    const auto found = held_.find(context.addresses().offset_of(address) / line_bytes);
    if (found == held_.end() || !found->second) return true;
    found->second = false;
    return false;
  }

 private:
  std::map<std::uint64_t, bool> held_;
};

struct bench_config {
  magic_machine_config machine;
  block_transfer_config transfer;
};

/// Nodes with random memories, whose processors run one program.
class copy_bench {
 public:
  explicit copy_bench(bench_config config)
      : config_(std::move(config)),
        states_(config_.machine.nodes),
        machine_((config_.machine.network.topology = topology_kind::point_to_point,
                  config_.transfer.user_bytes = config_.machine.node.protocol_storage(),
                  config_.machine),
                 [this](node_id node) { return protocols_of(node); }) {
    constexpr std::uint64_t used = std::uint64_t{1} << 17;
    for (std::uint32_t i = 0; i < config_.machine.nodes; ++i) {
      random_stream draws(1, i, 0U);
      for (std::uint64_t at = line_bytes; at < used; at += 8) {
        machine_.node(i).memory().write(at, draws.next_u64());
      }
    }
  }

  once_pending& states(std::uint32_t node) { return states_[node]; }
  magic_machine& machine() { return machine_; }

  std::uint64_t address(std::uint32_t node, std::uint64_t offset, std::uint32_t space = 0) const {
    return config_.machine.node.addresses.address_of(node_id{node}, space, offset);
  }
  fbcopy_mapping mapping(std::uint32_t node) const {
    return physical_mapping(config_.machine.node.addresses, node_id{node},
                            config_.transfer.page_bytes);
  }
  /// The flag of a node's processor.
  std::uint64_t flag(std::uint32_t node) const { return address(node, 0); }

  std::uint8_t byte(std::uint32_t node, std::uint64_t offset) {
    const word_t word = machine_.node(node).memory().read(offset - offset % 8);
    return static_cast<std::uint8_t>(word >> offset % 8 * 8);
  }
  std::vector<std::uint8_t> bytes(std::uint32_t node, std::uint64_t offset, std::uint64_t length) {
    std::vector<std::uint8_t> read;
    for (std::uint64_t i = 0; i < length; ++i) read.push_back(byte(node, offset + i));
    return read;
  }

  /// Runs `what` on every node until the first `flags` nodes' flags are set; returns whether they
  /// all became 1 in the end and nothing was left in the machine. `check` is called in the cycle
  /// in which the last flag is set.
  bool run(const std::function<void(program_context&)>& what, std::uint32_t flags,
           const std::function<void()>& check) {
    node_programs programs(config_.machine, make_program(what));
    programs.elements().add_all(machine_);
    constexpr cycle_t patience = 10'000'000;
    const auto all_set = [&] { return flags_are_one(flags); };
    machine_.observers().attach(events_);
    machine_.run_until(patience, all_set);
    if (!all_set()) throw error("a block transfer does not end");
    check();
    machine_.run_until(patience);
    machine_.observers().detach(events_);
    return programs.work().finished() && machine_.idle() && flags_are_one(flags);
  }

  /// Invocations of a handler of the block transfer on a node.
  std::vector<node_event> invocations(std::uint32_t node, const std::string& name) const {
    const handler_id which = machine_.node(node).protocols().find("block_transfer." + name);
    std::vector<node_event> found = events_.of(node_id{node}, node_event_kind::handled);
    found.erase(std::remove_if(found.begin(), found.end(),
                               [&](const node_event& each) { return each.run != which; }),
                found.end());
    return found;
  }

 private:
  std::vector<std::unique_ptr<protocol>> protocols_of(node_id node) {
    const protocol_costs costs;
    std::vector<std::unique_ptr<protocol>> made;
    made.push_back(std::make_unique<uncached_protocol>(costs.uncached));
    made.push_back(std::make_unique<block_transfer_protocol>(
        config_.transfer, costs.block_transfer, costs.pp_ownership, states_[index(node)]));
    return made;
  }
  bool flags_are_one(std::uint32_t flags) {
    for (std::uint32_t i = 0; i < flags; ++i) {
      if (machine_.node(i).memory().read(0) != 1) return false;
    }
    return true;
  }

  bench_config config_;
  std::vector<once_pending> states_;
  magic_machine machine_;
  event_list events_;
};

constexpr std::uint64_t page = 4096;
constexpr std::uint64_t from = 4 * page;
constexpr std::uint64_t to = 16 * page;

/// Copies `length` bytes of node 0 to node 1, asked for by node 0.
struct copied {
  bool is_right = false;  ///< at the flag, which was incremented once
  fbcopy_outcome outcome;
};

copied copy(copy_bench& bench, std::uint64_t source, std::uint32_t node, std::uint64_t destination,
            std::uint64_t length) {
  copied done;
  const std::vector<std::uint8_t> expected = bench.bytes(0, source, length);
  // Only what is copied may change: the doublewords at its ends, too.
  const std::uint64_t edge = line_bytes;
  const std::vector<std::uint8_t> before = bench.bytes(node, destination - edge, edge);
  const std::vector<std::uint8_t> behind = bench.bytes(node, destination + length, edge);
  bool bytes_right = false;
  const bool ended = bench.run(
      [&](program_context& context) {
        if (context.rank() != 0) return;
        program_port port(context);
        done.outcome = fbcopy(port, bench.mapping(0), bench.address(0, source),
                              bench.address(node, destination), length, bench.flag(0));
      },
      1,
      [&] {
        bytes_right = bench.bytes(node, destination, length) == expected &&
                      bench.bytes(node, destination - edge, edge) == before &&
                      bench.bytes(node, destination + length, edge) == behind;
      });
  done.is_right = ended && bytes_right;
  return done;
}

// --- V51 -----------------------------------------------------------------------------------------

bool same_node() {
  copy_bench bench({});
  const copied done = copy(bench, from, 0, to, page);
  return done.is_right && done.outcome.result == block_transfer_result::same_node &&
         done.outcome.copied_by_processor == page;
}

/// The destination's pages are not neighbours, so the request is made by its commands.
bool page_crossing() {
  copy_bench bench({});
  constexpr std::uint64_t first = to + 3 * page / 4;
  constexpr std::uint64_t second = to - 6 * page;
  const std::vector<std::uint8_t> expected = bench.bytes(0, from, page);
  word_t result = 0;
  bool bytes_right = false;
  const bool ended = bench.run(
      [&](program_context& context) {
        if (context.rank() != 0) return;
        using command = block_transfer_command;
        const auto shadow = [&](std::uint32_t node, std::uint64_t offset) {
          context.store(bench.address(node, offset, command::shadow_space), 0);
        };
        context.store(bench.address(0, command::length, command::space), page);
        shadow(0, from);
        shadow(1, first);
        shadow(0, 0);
        shadow(1, second);
        result = context.load(bench.address(0, command::commit, command::space));
      },
      1,
      [&] {
        std::vector<std::uint8_t> there = bench.bytes(1, first, page / 4);
        const std::vector<std::uint8_t> rest = bench.bytes(1, second, page - page / 4);
        there.insert(there.end(), rest.begin(), rest.end());
        bytes_right = there == expected;
      });
  return ended && bytes_right && result == static_cast<word_t>(block_transfer_result::accepted);
}

bool odd_length() {
  constexpr std::uint64_t length = 1000;
  constexpr std::uint64_t place = 40;
  copy_bench bench({});
  const copied done = copy(bench, from + place, 1, to + place, length);
  // Of 1000 bytes from 40 on, 88 are before the first whole line, 16 behind the last.
  constexpr std::uint64_t whole = 896;
  return done.is_right && done.outcome.result == block_transfer_result::accepted &&
         done.outcome.copied_by_processor == length - whole;
}

/// Nodes 0 and 1 send to node 2, which can receive one page at a time.
bool envelope_refused() {
  bench_config config;
  config.machine.nodes = 3;
  config.transfer.receive_records = 1;
  copy_bench bench(config);
  constexpr std::uint64_t length = 2 * page;
  const std::array<std::vector<std::uint8_t>, 2> expected{bench.bytes(0, from, length),
                                                          bench.bytes(1, from, length)};
  bool bytes_right = false;
  const bool ended = bench.run(
      [&](program_context& context) {
        const std::uint32_t here = context.rank();
        if (here == 2) return;
        program_port port(context);
        fbcopy(port, bench.mapping(here), bench.address(here, from),
               bench.address(2, to + here * 4 * page), length, bench.flag(here));
      },
      2,
      [&] {
        bytes_right = bench.bytes(2, to, length) == expected[0] &&
                      bench.bytes(2, to + 4 * page, length) == expected[1];
      });
  const std::size_t refusals = bench.invocations(0, "envelope_refused").size() +
                               bench.invocations(1, "envelope_refused").size();
  return ended && bytes_right && refusals > 0;
}

bool few_buffers() {
  bench_config config;
  config.machine.node.buffers.buffers = 4;
  copy_bench bench(config);
  const copied done = copy(bench, from, 1, to, page);
  constexpr std::size_t whole_chunks = 8;
  return done.is_right && bench.invocations(0, "transfer").size() > whole_chunks;
}

struct retried {
  bool is_right = false;
  std::vector<node_event> retries;
};

/// A page of 8 KB of which every line is pending at first.
retried large_page() {
  bench_config config;
  config.transfer.page_bytes = 2 * page;
  copy_bench bench(config);
  bench.states(0).hold(from, 2 * page / line_bytes);
  retried found;
  found.is_right = copy(bench, from, 1, to, 2 * page).is_right;
  found.retries = bench.invocations(0, "retry");
  return found;
}

}  // namespace

std::vector<planned_row> flash_transfer_checks(const claims& flash) {
  const std::vector<std::pair<const char*, bool (*)()>> cases{
      {"same_node", same_node},
      {"page_crossing", page_crossing},
      {"length", odd_length},
      {"envelope_refused", envelope_refused},
      {"buffers", few_buffers},
      {"page_8k", [] {
         const retried found = large_page();
         return found.is_right && found.retries.size() == 2 * page / line_bytes;
       }}};
  std::vector<planned_row> rows;
  rows.push_back(measured_on_blocks(flash["flash.V19.retry"], {}, [] {
    const std::vector<node_event> retries = large_page().retries;
    double sum = 0;
    for (const node_event& each : retries) sum += static_cast<double>(each.last - each.cycle);
    return sum / static_cast<double>(retries.size());
  }));
  for (const auto& [id, holds] : cases) {
    rows.push_back(measured_on_blocks(flash[std::string("flash.V51.") + id], {},
                                      [one = holds] { return one() ? 1.0 : 0.0; }));
  }
  return rows;
}

}  // namespace tributary::validation
