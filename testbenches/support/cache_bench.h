// SPDX-License-Identifier: Apache-2.0
// A cache alone, between a processor that is told what to ask and a memory of fixed latency.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <tributary/cache/cache.h>
#include <tributary/sim/agenda.h>

#include <support/timed_actions.h>

namespace tributary::testing {

/// The line of `cache_config`'s last level.
inline constexpr std::uint64_t cache_line_bytes = 128;

/// The same access of another kind.
inline access of_kind(access_kind kind, access request) {
  request.kind = kind;
  return request;
}

/// A cache with a processor that records what it is told, above memory that answers after
/// `latency` cycles: the first word then, the others each four cycles later.
class cache_bench : private memory_client, private line_port {
 public:
  struct told {
    cycle_t cycle;
    std::uint64_t tag;
    word_t value;
    bool operator==(const told& other) const {
      return cycle == other.cycle && tag == other.tag && value == other.value;
    }
  };
  struct asked_line {
    cycle_t cycle;
    line_want want;
    std::uint64_t address;
    bool operator==(const asked_line& other) const {
      return cycle == other.cycle && want == other.want && address == other.address;
    }
  };

  explicit cache_bench(const cache_config& config = {}, std::uint32_t processes = 1)
      : unit(config, clock, *this, processes) {
    unit.set_client(this);
  }

  void at(cycle_t when, std::function<void()> what) {
    actions_.at(when, std::move(what), wake_rank::processor);
  }
  /// The processor asks in a cycle.
  void offer(cycle_t when, const access& request, std::size_t element = 0) {
    at(when, [=] { unit.offer(element, request, when); });
  }
  void run(cycle_t last = 100000) { clock.advance_to(last); }

  word_t& memory(std::uint64_t address) {
    return lines[address / cache_line_bytes * cache_line_bytes][address % cache_line_bytes / 8];
  }

  agenda clock;
  cache unit;
  cycle_t latency = 100;
  bool answers = true;
  bool has_room = true;
  bool refuses = false;
  std::map<std::uint64_t, line_data> lines;
  std::vector<told> completions;
  std::vector<asked_line> asked;
  std::vector<std::string> left;  ///< "back 80" and "hint 80", in order, behind "ask"

  void answer(std::uint8_t tag, line_want want, std::uint64_t address, cycle_t now) {
    if (refuses) {
      unit.refused(tag, now);
    } else if (want == line_want::upgrade) {
      unit.upgraded(tag, now);
    } else {
      line_answer answer;
      answer.exclusive = want == line_want::exclusive;
      answer.words = lines[address / cache_line_bytes * cache_line_bytes];
      const std::size_t first = address % cache_line_bytes / 8;
      for (std::size_t i = 0; i < cache_line_bytes / 8; ++i)
        answer.valid[i] = now + (i ^ first) * 4;
      unit.filled(tag, answer, now);
    }
  }

 private:
  void completed(const completion& ended, cycle_t now) override {
    completions.push_back({now, ended.tag, ended.value});
  }
  void room(std::size_t, cycle_t) override {}
  bool can_take() const override { return has_room; }
  void ask(line_want want, std::uint64_t address, std::uint8_t tag, cycle_t now) override {
    asked.push_back({now, want, address});
    left.emplace_back("ask " + std::to_string(address));
    if (!answers) return;
    at(now + latency, [=] { answer(tag, want, address, now + latency); });
  }
  void write_back(std::uint64_t line, const line_data& words, cycle_t) override {
    lines[line] = words;
    left.emplace_back("back " + std::to_string(line));
  }
  void replaced(std::uint64_t line, cycle_t) override {
    left.emplace_back("hint " + std::to_string(line));
  }

  timed_actions actions_{clock};
};

}  // namespace tributary::testing
