// SPDX-License-Identifier: Apache-2.0
// V51, V19: block transfers with pending lines, odd pages, refusals and few buffers; the commands
// that start one.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <support/node_processor.h>
#include <support/transfer_bench.h>
#include <tributary/sim/error.h>

#include <support/usual_line.h>

#include "flash_checks.h"

namespace tributary::validation {
namespace {

using testing::node_processor;
using testing::transfer_bench;
using testing::transfer_bench_config;

constexpr std::uint64_t page = 4096;
constexpr std::uint64_t from = 4 * page;
constexpr std::uint64_t to = 16 * page;

constexpr std::uint64_t flag_offset = 0;

/// Whether the flag of a node's processor becomes `value` and stays so, and nothing is left in the
/// machine. `is_right` is asked in the cycle in which the flag is set.
template <class Condition>
bool completes(transfer_bench& bench, std::uint32_t node, word_t value, const Condition& is_right) {
  if (!bench.run_until_flag(node, flag_offset, value)) throw error("a block transfer does not end");
  const bool right = is_right();
  return right && bench.run_to_end().empty() && bench.memory(node).read(flag_offset) == value;
}

struct copied {
  bool is_right = false;  ///< at the flag, which was incremented once
  fbcopy_outcome outcome;
};

/// Copies `length` bytes of node 0, which asks for it.
copied copy(transfer_bench& bench, std::uint64_t source, std::uint32_t node,
            std::uint64_t destination, std::uint64_t length) {
  copied done;
  const std::uint64_t target = bench.address(node, destination);
  const word_t flag = bench.memory(0).read(flag_offset);
  // Only what is copied may change: the doublewords at its ends, too.
  const std::uint64_t edge = line_bytes;
  std::vector<std::uint8_t> expected = bench.bytes(target - edge, length + 2 * edge);
  const std::vector<std::uint8_t> bytes = bench.bytes(bench.address(0, source), length);
  std::copy(bytes.begin(), bytes.end(), expected.begin() + edge);
  node_processor port(bench.machine(), 0);
  done.outcome = fbcopy(port, bench.mapping(0), bench.address(0, source), target, length,
                        bench.address(0, flag_offset));
  done.is_right = completes(bench, 0, flag + 1, [&] {
    return bench.bytes(target - edge, length + 2 * edge) == expected;
  });
  return done;
}

// --- commands ------------------------------------------------------------------------------------

/// Counts what a program asks of its processor.
class counting_port final : public uncached_port {
 public:
  explicit counting_port(uncached_port& next) : next_(next) {}

  word_t load(std::uint64_t address) override {
    ++loads;
    return next_.load(address);
  }
  void store(std::uint64_t address, word_t value) override {
    ++stores;
    next_.store(address, value);
  }
  void delay(std::uint64_t cycles) override { next_.delay(cycles); }

  double loads = 0;
  double stores = 0;

 private:
  uncached_port& next_;
};

/// Loads and stores by which a program starts a copy of a page, which is accepted.
double accesses_of_a_start(double counting_port::*which) {
  transfer_bench bench({});
  node_processor processor(bench.machine(), 0);
  counting_port port(processor);
  const fbcopy_outcome outcome = fbcopy(port, bench.mapping(0), bench.address(0, from),
                                        bench.address(1, to), page, bench.address(0, flag_offset));
  if (outcome.result != block_transfer_result::accepted || outcome.copied_by_processor != 0) {
    throw error("a copy of a page is not accepted at once");
  }
  return port.*which;
}

// --- V51 -----------------------------------------------------------------------------------------

bool same_node() {
  transfer_bench bench({});
  const copied done = copy(bench, from, 0, to, page);
  return done.is_right && done.outcome.result == block_transfer_result::same_node &&
         done.outcome.copied_by_processor == page;
}

/// The destination's pages are not neighbours, so the request is made by its commands.
bool page_crossing() {
  transfer_bench bench({});
  constexpr std::uint64_t first = to + 3 * page / 4;
  constexpr std::uint64_t second = to - 6 * page;
  const std::vector<std::uint8_t> expected = bench.bytes(bench.address(0, from), page);
  const word_t flag = bench.memory(0).read(flag_offset);
  const fbcopy_mapping mapping = bench.mapping(0);
  node_processor port(bench.machine(), 0);
  port.store(mapping.commands + block_transfer_command::length, page);
  for (const std::uint64_t named : {bench.address(0, from), bench.address(1, first),
                                    bench.address(0, flag_offset), bench.address(1, second)}) {
    port.store(named + mapping.shadow_distance, 0);
  }
  const word_t result = port.load(mapping.commands + block_transfer_command::commit);
  const bool is_right = completes(bench, 0, flag + 1, [&] {
    std::vector<std::uint8_t> there = bench.bytes(bench.address(1, first), page / 4);
    const std::vector<std::uint8_t> rest = bench.bytes(bench.address(1, second), page - page / 4);
    there.insert(there.end(), rest.begin(), rest.end());
    return there == expected;
  });
  return is_right && result == static_cast<word_t>(block_transfer_result::accepted);
}

bool odd_length() {
  constexpr std::uint64_t length = 1000;
  constexpr std::uint64_t place = 40;
  transfer_bench bench({});
  const copied done = copy(bench, from + place, 1, to + place, length);
  // Of 1000 bytes from 40 on, 88 are before the first whole line, 16 behind the last.
  constexpr std::uint64_t whole = 896;
  return done.is_right && done.outcome.result == block_transfer_result::accepted &&
         done.outcome.copied_by_processor == length - whole;
}

/// Nodes 0 and 1 send to node 2, which can receive one page at a time.
bool envelope_refused() {
  transfer_bench_config config;
  config.machine.nodes = 3;
  config.transfer.receive_records = 1;
  transfer_bench bench(config);
  constexpr std::uint64_t length = 2 * page;
  std::vector<word_t> flags;
  for (const std::uint32_t here : {0U, 1U}) {
    flags.push_back(bench.memory(here).read(flag_offset));
    node_processor port(bench.machine(), here);
    fbcopy(port, bench.mapping(here), bench.address(here, from),
           bench.address(2, to + here * 4 * page), length, bench.address(here, flag_offset));
  }
  bool are_right = true;
  for (const std::uint32_t here : {0U, 1U}) {
    are_right = completes(bench, here, flags[here] + 1,
                          [&] {
                            return bench.bytes(bench.address(2, to + here * 4 * page), length) ==
                                   bench.bytes(bench.address(here, from), length);
                          }) &&
                are_right;
  }
  return are_right && bench.count("block_transfer.envelope_refused") > 0;
}

bool few_buffers() {
  transfer_bench_config config;
  config.machine.node.buffers.buffers = 4;
  transfer_bench bench(config);
  constexpr std::uint64_t whole_chunks = 8;
  return copy(bench, from, 1, to, page).is_right &&
         bench.count("block_transfer.transfer") > whole_chunks;
}

struct retried {
  bool is_right = false;
  std::uint64_t cycles = 0;
  std::uint64_t retries = 0;
};

/// A page of 8 KB of which every line is pending at first.
retried large_page() {
  transfer_bench_config config;
  config.transfer.page_bytes = 2 * page;
  transfer_bench bench(config);
  constexpr std::uint64_t first = from / line_bytes;
  for (std::uint64_t i = 0; i < 2 * page / line_bytes; ++i) bench.lines(0).hold(first + i, 1);
  const bool is_right = copy(bench, from, 1, to, 2 * page).is_right;
  const auto [cycles, retries] = bench.occupancy("block_transfer.retry");
  return {is_right, cycles, retries};
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
         return found.is_right && found.retries == 2 * page / line_bytes;
       }}};
  std::vector<planned_row> rows;
  rows.push_back(measured_on_blocks(flash["flash.commands.writes"], {},
                                    [] { return accesses_of_a_start(&counting_port::stores); }));
  rows.push_back(measured_on_blocks(flash["flash.commands.reads"], {},
                                    [] { return accesses_of_a_start(&counting_port::loads); }));
  rows.push_back(measured_on_blocks(flash["flash.V19.retry"], {}, [] {
    const retried found = large_page();
    return static_cast<double>(found.cycles) / static_cast<double>(found.retries);
  }));
  for (const auto& [id, holds] : cases) {
    rows.push_back(measured_on_blocks(flash[std::string("flash.V51.") + id], {},
                                      [one = holds] { return one() ? 1.0 : 0.0; }));
  }
  return rows;
}

}  // namespace tributary::validation
