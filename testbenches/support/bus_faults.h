// SPDX-License-Identifier: Apache-2.0
// Faults between a cache and its bus, for tests of what finds them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include <tributary/memory/line_port.h>
#include <tributary/sim/agenda.h>

#include <support/timed_actions.h>

namespace tributary::testing {

/// What is broken.
enum class bus_fault : std::uint8_t {
  none,
  lost_invalidation,     ///< a shared line stays when another cache gets it to write
  unseen_read,           ///< an exclusive line stays so when another cache reads it
  exclusive_read,        ///< what was read comes exclusive
  lost_write_back,       ///< memory keeps what it had
  late_write_back,       ///< a write-back buffer that nobody snoops
  second_write_back,     ///< a write-back that was done comes again, as one that was not cancelled
  unchanged,             ///< the new owner is not told that memory lacks the words
  stale_words,           ///< the words of the fill before
  granted_refusal,       ///< an upgrade that came too late is granted
  late_fill,             ///< a line comes when it is no longer under way
  silent_owner,          ///< an owner does not say that it is one
  first_word_elsewhere,  ///< the words come in another order
  lost_room,             ///< the cache is not told of room
  lost_resume,           ///< a deferred transaction is never resumed
  repeated_read          ///< a device does what it then wants to be asked for again
};
inline constexpr std::size_t bus_fault_count = 16;

inline std::string name_of(bus_fault fault) {
  constexpr std::array<const char*, bus_fault_count> names{"none",
                                                           "lost invalidation",
                                                           "unseen read",
                                                           "exclusive read",
                                                           "lost write-back",
                                                           "late write-back",
                                                           "second write-back",
                                                           "unchanged",
                                                           "stale words",
                                                           "granted refusal",
                                                           "late fill",
                                                           "silent owner",
                                                           "first word elsewhere",
                                                           "lost room",
                                                           "lost resume",
                                                           "repeated read"};
  return names[static_cast<std::size_t>(fault)];
}

/// Stands between a cache and the bus, and breaks what passes.
class faulty_link final : public line_port, public line_client {
 public:
  faulty_link(bus_fault fault, agenda& clock, line_port& bus, line_size line)
      : fault_(fault), clock_(clock), bus_(bus), line_(line) {}

  void set_client(line_client& client) { cache_ = &client; }

  // To the bus.
  void check(std::uint64_t address) const override { bus_.check(address); }
  bool can_take() const override { return bus_.can_take(); }
  void ask(line_want want, std::uint64_t address, std::uint8_t tag, cycle_t now) override {
    asked_[tag] = line_.start(address);
    bus_.ask(want, address, tag, now);
  }
  void write_back(std::uint64_t line, const line_data& words, cycle_t now) override {
    if (fault_ == bus_fault::lost_write_back) return;
    if (fault_ == bus_fault::late_write_back) {
      again(60, [this, line, words] { write_if_room(line, words); });
      return;
    }
    bus_.write_back(line, words, now);
    if (fault_ == bus_fault::second_write_back) {
      again(150, [this, line, words] { write_if_room(line, words); });
    }
  }
  void replaced(std::uint64_t line, cycle_t now) override { bus_.replaced(line, now); }

  // To the cache.
  void filled(std::uint8_t tag, const line_answer& given, cycle_t now) override {
    line_answer answer = given;
    const std::uint64_t line = asked_[tag];
    if (fault_ == bus_fault::exclusive_read) answer.exclusive = true;
    if (fault_ == bus_fault::unchanged) answer.changed = false;
    if (fault_ == bus_fault::first_word_elsewhere) std::swap(answer.words[0], answer.words[1]);
    if (fault_ == bus_fault::stale_words && last_.count(line) != 0) answer.words = last_[line];
    last_[line] = given.words;
    if (fault_ == bus_fault::late_fill) {
      again(40, [this, tag, answer] { cache_->filled(tag, answer, clock_.now()); });
      return;
    }
    cache_->filled(tag, answer, now);
  }
  void upgraded(std::uint8_t tag, cycle_t now) override { cache_->upgraded(tag, now); }
  void refused(std::uint8_t tag, cycle_t now) override {
    if (fault_ == bus_fault::granted_refusal) {
      cache_->upgraded(tag, now);
    } else {
      cache_->refused(tag, now);
    }
  }
  void room(cycle_t now) override {
    if (fault_ != bus_fault::lost_room) cache_->room(now);
  }
  void settled(cycle_t now) override { cache_->settled(now); }
  found_line intervene(intervention asked, std::uint64_t line, cycle_t now) override {
    if (fault_ == bus_fault::unseen_read && asked == intervention::get) return {};
    if (fault_ == bus_fault::lost_invalidation && asked != intervention::get && is_shared(line)) {
      return {};
    }
    found_line found = cache_->intervene(asked, line, now);
    if (fault_ == bus_fault::silent_owner && found.before != line_state::invalid) {
      found.before = line_state::shared;
    }
    return found;
  }

  const word_t* peek(std::uint64_t address) const override { return cache_->peek(address); }
  void poke(std::uint64_t address, word_t value, cycle_t now) override {
    cache_->poke(address, value, now);
  }

  /// Whether the cache has a line shared; for the lost invalidation.
  std::function<bool(std::uint64_t)> is_shared;

 private:
  void again(cycle_t later, std::function<void()> what) {
    actions_.at(clock_.now() + later, std::move(what), wake_rank::processor);
  }
  void write_if_room(std::uint64_t line, const line_data& words) {
    if (bus_.can_take()) {
      bus_.write_back(line, words, clock_.now());
    } else {
      again(10, [this, line, words] { write_if_room(line, words); });
    }
  }

  bus_fault fault_;
  agenda& clock_;
  line_port& bus_;
  line_size line_;
  line_client* cache_ = nullptr;
  std::map<std::uint8_t, std::uint64_t> asked_;
  std::map<std::uint64_t, line_data> last_;
  timed_actions actions_{clock_};
};

}  // namespace tributary::testing
