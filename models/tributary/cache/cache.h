// SPDX-License-Identifier: Apache-2.0
// The caches of one processor: write-back, coherent by what is below them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tributary/cache/cache_config.h>
#include <tributary/cache/cache_sets.h>
#include <tributary/cache/state_table.h>
#include <tributary/memory/line_port.h>
#include <tributary/memory/port.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/block.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/fifo.h>
#include <tributary/sim/state.h>
#include <tributary/sim/statistics.h>

namespace tributary {

/// The caches between a processor and a line port, in the processor's clock.
///
/// Every line of a level is in all later ones; the states and the words are in the last, which
/// answers interventions, and the levels before it only decide how long a hit takes. So a line's
/// words lie once, though hardware would write them back from level to level.
///
/// A line that comes from below fills all levels at once: of those before the last, the lines that
/// its miss and the accesses that wait for it are about. The rest of it is a hit of the last level.
///
/// One access begins in each cycle, in the processor's order; one that finds its line is done at
/// once, whatever others wait for, unless an earlier one to the same line waits. So accesses to
/// different lines may be done in another order than the program's, and those to one line never.
/// A miss takes the place of the line that it will have when it asks; what leaves is written back
/// behind the request. When the line comes, all that wait for it are done before an intervention
/// can take it, so that every line that comes is of use.
///
/// A load-linked remembers its line; a store-conditional stores, and answers 1, if the line was
/// there all the time, else it answers 0. Each process of the processor remembers a line of its
/// own, and forgets it when another one writes there. One for all would not do: two processes that
/// change by turns could clear it for each other for ever.
class cache final : public block, public processor_port, public line_client, private timed_block {
 public:
  /// References must outlive it; `time` counts the processor's cycles. `processes`: of the
  /// processor; process p is the element whose number is p modulo `processes`. Throws
  /// `configuration_error` for values out of range.
  cache(const cache_config& config, agenda& time, line_port& below, std::uint32_t processes = 1);

  const cache_config& config() const { return config_; }

  /// Before the first cycle: the line is there, exclusive, as if it had been read. Whatever is in
  /// its place stays.
  void warm(std::uint64_t line, const line_data& words);

  /// What the cache has of the line that holds an address.
  line_state state_of(std::uint64_t address) const;
  /// The word at an address, of a line that it has.
  word_t word_at(std::uint64_t address) const;
  /// A line that is asked for, or will be.
  struct awaited_line {
    std::uint64_t line = 0;
    line_want want = line_want::shared;
    cycle_t since = 0;  ///< of the processor; refusals do not begin it anew
  };
  /// Takes back the access with the tag, which waits for a line; whether there was one. What was
  /// asked for it may still come.
  bool withdraw(std::uint64_t tag);
  /// The line that is waited for longest; nothing if there is none.
  std::optional<awaited_line> oldest_miss() const;
  /// Calls `visit(line, state)` for every line that it has.
  template <class Visit>
  void for_each_line(Visit&& visit) const {
    lines_.for_each([&](const held_line& each) {
      if (each.state != line_state::invalid) visit(each.line, each.state);
    });
  }

  // processor_port, of the processes of one processor, whatever its number.
  void set_client(memory_client* client) override { client_ = client; }
  void check(std::size_t element, const access& request) const override;
  bool can_take(std::size_t element = 0) const override;
  void offer(std::size_t element, const access& request, cycle_t now) override;
  std::size_t waiting(std::size_t = 0) const override { return stalled_.size(); }
  std::size_t outstanding(std::size_t = 0) const override { return taken_ - stalled_.size(); }
  bool serves_pairs() const override { return true; }
  std::uint64_t incomplete_stores(std::size_t = 0) const override { return below_.incomplete(); }
  bool watch(std::uint64_t address, word_t value) override;
  void end_watch(const access& load, std::uint64_t times, cycle_t last) override;

  // line_client
  void filled(std::uint8_t tag, const line_answer& answer, cycle_t now) override;
  void upgraded(std::uint8_t tag, cycle_t now) override;
  void refused(std::uint8_t tag, cycle_t now) override;
  void room(cycle_t now) override;
  void settled(cycle_t now) override;
  found_line intervene(intervention asked, std::uint64_t line, cycle_t now) override;

  const char* name() const override { return "cache"; }
  /// Whether no access is under way.
  bool idle() const override { return taken_ == 0 && misses_under_way_ == 0; }
  void reset_statistics() override;
  void report(statistics_group& into, std::uint64_t cycles) const override;
  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  /// A line of the last level. An invalid one is kept for a miss.
  struct held_line {
    std::uint64_t line = no_line;
    std::uint64_t used = 0;
    line_state state = line_state::invalid;
    bool awaited = false;  ///< of a miss, so that it stays

    TRIBUTARY_STATE(line, used, state, awaited);
  };
  /// A line of another level.
  struct near_line {
    std::uint64_t line = no_line;
    std::uint64_t used = 0;
    cycle_t there = 0;  ///< once it has come from behind

    TRIBUTARY_STATE(line, used, there);
  };
  /// An access that the processor offers.
  struct offered_access {
    const access& request;
    pe_id element;
    cycle_t since;  ///< in which it began
  };
  /// One that waits.
  struct taken_access {
    access request;
    pe_id element{};
    cycle_t since = 0;

    taken_access() = default;
    taken_access(const offered_access& of)
        : request(of.request), element(of.element), since(of.since) {}
    operator offered_access() const { return {request, element, since}; }

    TRIBUTARY_STATE(request, request.kind, element, since);
  };
  /// An access that was done, and when the processor has it.
  struct done_access {
    bool used = false;
    completion told;

    TRIBUTARY_STATE(used, told.pe, told.tag, told.value);
  };
  /// A line that is asked for. Its place in the last level is kept from `asked` on.
  struct miss {
    enum class stage : std::uint8_t {
      free,
      found,    ///< it will be asked for when the levels have been searched, or once more
      blocked,  ///< it has no place yet, or the port no room
      asked,
      filling  ///< the answer has come; its last words will
    };
    stage at = stage::free;
    std::uint64_t line = no_line;
    line_want want = line_want::shared;
    std::uint64_t first = 0;  ///< address of the word that shall come first
    cycle_t since = 0;
    bool prefetched = false;  ///< wanted though no access waits for it
    fifo<taken_access> waiting;
    line_stamps valid{};

    TRIBUTARY_STATE(at, line, want, first, since, prefetched, waiting, valid);
  };

  void wake(cycle_t now, std::uint64_t tag) override;

  TRIBUTARY_STATE(element_, accesses_seen_, lines_, near_, misses_, done_, stalled_, taken_,
                  next_begin_, links_, accesses_, hits_, asked_, joined_, prefetches_, dropped_,
                  conditional_, failed_, write_backs_, replaced_, refused_, interventions_,
                  miss_latency_);

  /// Begins an access; false if it needs a line and no miss is free.
  bool begin(const offered_access& taken, cycle_t now);
  bool begin_prefetch(const offered_access& taken, cycle_t now);
  /// Whether the line is there as the access needs it.
  bool serves(const held_line* held, const access& request) const;
  /// Looks for a line from level to level in cycle `now` and brings it into those before. The level
  /// in which it was found, and when the processor has what is in it.
  std::pair<std::size_t, cycle_t> bring_near(held_line& held, std::uint64_t address, cycle_t now);
  /// Puts the line of each of the first `levels` levels that holds an address there, in `at`.
  void put_near(std::uint64_t address, std::size_t levels, cycle_t at);
  /// A line that has come fills the levels before the last with what the miss was for.
  void fill_near(const miss& answered, cycle_t now);
  /// Does an access to a line that serves it; the processor has the word in `at` or later.
  void perform(const offered_access& taken, held_line& held, cycle_t at);
  void finish(const offered_access& taken, word_t value, cycle_t at);
  /// The cycle in which the last word of a line that comes is there.
  cycle_t last_word(const miss& answered) const;
  /// The first cycle in which the word can be used.
  cycle_t usable(std::uint64_t address, cycle_t now) const;

  miss* miss_of(std::uint64_t line);
  miss* free_miss();
  std::size_t number_of(const miss& each) const {
    return static_cast<std::size_t>(&each - misses_.data());
  }
  /// Of a line that does not serve the access.
  line_want want_of(const access& request, const held_line* held) const;
  /// Begins a miss, which asks once the levels have been searched.
  void find_out(miss& begun, const offered_access& by, line_want want, cycle_t now);
  /// Asks for a line, if it has a place and the port room.
  void ask(miss& asking, cycle_t now);
  void evict(const held_line& leaving, const line_data& words, cycle_t now);
  line_data words_of(const held_line& held) const;
  void keep_words(const held_line& held, const line_data& words);
  /// Does what waits for a line that has come.
  void serve(miss& answered, cycle_t now);
  void end(miss& over, cycle_t now);
  /// The line that the process of an access remembers.
  std::uint64_t& link_of(const offered_access& taken) {
    return links_[index(taken.element) % links_.size()];
  }
  /// No process remembers the line any more, but that of `writer`, if there is one.
  void forget(std::uint64_t line, const offered_access* writer = nullptr);
  void fail_conditional(const offered_access& taken, cycle_t at);
  void fail_conditionals(miss& about, cycle_t now);
  void ask_blocked(cycle_t now);
  bool several_processes() const { return links_.size() != 1; }
  void go_on(cycle_t now);
  void drop(held_line& held);
  void check_misses();
  miss& asked_miss(std::uint8_t tag, const char* answer);
  [[noreturn]] void fail(const std::string& problem) const;

  cache_config config_;
  agenda& agenda_;
  line_port& below_;
  memory_client* client_ = nullptr;
  line_size line_;
  state_table states_;

  cache_sets<held_line> lines_;              // of the last level
  std::vector<cache_sets<near_line>> near_;  // of those before it
  std::vector<miss> misses_;                 // by tag
  std::uint32_t misses_under_way_ = 0;       // of these, those that are not free
  std::vector<done_access> done_;
  fifo<taken_access> stalled_;  // no miss is free for the first
  pe_id element_{};             // who asked last, once one has
  bool accesses_seen_ = false;
  std::uint32_t taken_ = 0;  // accesses that have no completion
  cycle_t next_begin_ = 0;
  std::vector<std::uint64_t> links_;  // lines of load-linkeds, by process
  std::uint64_t watched_ = no_line;   // no part of the state: no line is watched between runs

  counter accesses_;
  std::vector<counter> hits_;  // by level
  std::array<counter, line_want_count> asked_;
  counter joined_;
  counter prefetches_;
  counter dropped_;
  counter conditional_;
  counter failed_;
  counter write_backs_;
  counter replaced_;
  counter refused_;
  std::array<std::array<counter, line_state_count>, intervention_count> interventions_;
  average miss_latency_;
};

}  // namespace tributary
