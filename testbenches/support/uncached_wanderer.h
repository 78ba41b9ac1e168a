// SPDX-License-Identifier: Apache-2.0
// A master without a cache that reads and writes words and whole lines at random.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include <tributary/bus/snooping_bus.h>
#include <tributary/bus/uncached_master.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/random_stream.h>

#include <support/bus_case.h>
#include <support/location_history.h>

namespace tributary::testing {

/// Writes down what it is told, as processors with caches do.
class uncached_wanderer final : private uncached_client, private timed_block {
 public:
  using histories = std::map<std::uint64_t, location_history>;

  uncached_wanderer(const bus_case& drawn, agenda& clock, snooping_bus& bus, std::uint32_t number,
                    histories& seen, std::function<word_t()> new_value)
      : unit(clock, bus, number, 1 + drawn.seed % snooping_bus::most_requests),
        case_(drawn),
        clock_(clock),
        number_(number),
        seen_(seen),
        new_value_(std::move(new_value)),
        draws_(drawn.seed, number, 25U) {
    unit.set_client(*this);
    clock.wake(*this, 1 + draws_.below(20), 0, wake_rank::processor);
  }

  bool done() const { return offered_ >= case_.accesses && open_.empty(); }
  cycle_t oldest() const {
    cycle_t oldest = never;
    for (const auto& [tag, each] : open_) oldest = std::min(oldest, each.begun);
    return oldest;
  }

  uncached_master unit;
  std::uint64_t whole_lines = 0;

 private:
  struct open_access {
    uncached_access asked;
    cycle_t begun;
  };

  void wake(cycle_t now, std::uint64_t) override {
    if (offered_ >= case_.accesses) return;
    if (unit.can_take()) offer_one(now);
    clock_.wake(*this, now + 1 + draws_.below(case_.pause), 0, wake_rank::processor);
  }

  void offer_one(cycle_t now) {
    const std::uint64_t line = case_.base_of(draws_.below(case_.lines));
    uncached_access asked;
    asked.address = line + draws_.below(case_.words) * word_bytes;
    asked.tag = ++offered_;
    if (draws_.below(case_.loads + 1) != 0) {
      asked.wanted = static_cast<std::uint32_t>(draws_.below(1U << case_.words));
    } else {
      choose_write(asked);
    }
    for_each_written(asked, [&](std::size_t i) {
      seen_[line + i * word_bytes].will_write(value_written(asked, i));
    });
    open_[asked.tag] = {asked, now};
    unit.offer(asked, now);
  }

  void choose_write(uncached_access& asked) {
    const line_size line = case_.config.line();
    const std::size_t first = line.word(asked.address);
    switch (draws_.below(4)) {
      case 0:
        asked.does = uncached_access::action::operation;
        asked.function = {form::constant, new_value_(), 0};
        break;
      case 1:
        ++whole_lines;
        asked.does = uncached_access::action::write;
        for (std::size_t i = 0; i < line.words(); ++i) set(asked, i);
        break;
      default:
        asked.does = uncached_access::action::write;
        set(asked, first);
        if (draws_.below(2) == 0) set(asked, draws_.below(case_.words));
        break;
    }
  }
  void set(uncached_access& asked, std::size_t i) {
    asked.mask[i] = ~word_t{0};
    asked.words[i] = new_value_();
  }

  template <class Visit>
  void for_each_written(const uncached_access& asked, const Visit& visit) const {
    for (std::size_t i = 0; i < case_.config.line().words(); ++i) {
      const bool in_operation = asked.does == uncached_access::action::operation &&
                                i == case_.config.line().word(asked.address);
      if (in_operation || asked.mask[i] != 0) visit(i);
    }
  }
  word_t value_written(const uncached_access& asked, std::size_t i) const {
    return asked.does == uncached_access::action::operation ? asked.function.a : asked.words[i];
  }

  void answered(const uncached_answer& answer, cycle_t now) override {
    const open_access open = open_.at(answer.tag);
    open_.erase(answer.tag);
    const line_size line = case_.config.line();
    const std::uint64_t start = line.start(open.asked.address);
    if (open.asked.does == uncached_access::action::read) {
      for (std::size_t i = 0; i < line.words(); ++i) {
        const bool wanted = open.asked.wanted == 0 ? i == line.word(open.asked.address)
                                                   : (open.asked.wanted >> i & 1U) != 0;
        if (wanted) note(open, start + i * word_bytes, answer.words[i], answer.words[i], now);
      }
      return;
    }
    const bool exchanges = open.asked.does == uncached_access::action::operation;
    for_each_written(open.asked, [&](std::size_t i) {
      const word_t left = value_written(open.asked, i);
      note(open, start + i * word_bytes, exchanges ? answer.words[i] : left, left, now);
    });
  }
  void note(const open_access& open, std::uint64_t address, word_t found, word_t left,
            cycle_t now) {
    seen_[address].add({number_, open.asked.tag, open.begun, now, found, left});
  }

  const bus_case& case_;
  agenda& clock_;
  std::uint32_t number_;
  histories& seen_;
  std::function<word_t()> new_value_;
  random_stream draws_;
  std::map<std::uint64_t, open_access> open_;
  std::uint64_t offered_ = 0;
};

}  // namespace tributary::testing
