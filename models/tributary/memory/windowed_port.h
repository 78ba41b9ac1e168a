// SPDX-License-Identifier: Apache-2.0
// A processor's port that sends each access where its address leads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <tributary/memory/port.h>
#include <tributary/sim/block.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/state.h>
#include <tributary/sim/statistics.h>

namespace tributary {

/// Addresses a with (a & mask) == value, and where they lead: an address space, a range of a power
/// of two, or with mask 0 all that no window before it has.
struct port_window {
  std::uint64_t mask = 0;
  std::uint64_t value = 0;
  processor_port* port = nullptr;
  /// Who performs what changes a word, other than by storing it; null for `port`, as it does.
  processor_port* operations = nullptr;
  /// Plain stores are complete once the port has them, as uncached stores of a processor are.
  bool posts_stores = false;
  /// An access that is no posted store waits until no earlier store of the element is incomplete in
  /// any window (`memory_port::incomplete_stores`).
  bool waits_for_stores = false;
};

/// One processor's accesses, in its order: an access to one window is handed over when those to all
/// others are complete. Accesses to one window follow each other as its port allows.
///
/// One access waits here at most; the port takes none meanwhile, nor while the main port takes
/// none: the first one that serves pairs, else that of the first window. All windows are in one
/// clock (`clock_crossing`).
class windowed_port final : public block, public processor_port {
 public:
  /// An address is in the first window that it fits. Windows of one port are one as to order. Ports
  /// must outlive it. Throws `configuration_error` if there is no window.
  windowed_port(const char* name, const std::vector<port_window>& windows);

  // processor_port. An address in no window is refused by `check`.
  /// The ports tell it from here on, whichever their clients were.
  void set_client(memory_client* client) override;
  void check(std::size_t element, const access& request) const override;
  bool can_take(std::size_t element = 0) const override;
  void offer(std::size_t element, const access& request, cycle_t now) override;
  std::size_t waiting(std::size_t element = 0) const override;
  std::size_t outstanding(std::size_t element = 0) const override;
  /// Whether the main port does.
  bool serves_pairs() const override { return main_->port.serves_pairs(); }
  bool performs_operations(std::uint64_t address) const override;
  std::uint64_t incomplete_stores(std::size_t element = 0) const override;
  bool watch(std::uint64_t address, word_t value) override;
  void end_watch(const access& load, std::uint64_t times, cycle_t last) override;

  const char* name() const override { return name_.c_str(); }
  bool idle() const override { return !holds_; }
  void reset_statistics() override { held_.reset(); }
  /// Nothing as long as no access has waited.
  void report(statistics_group& into, std::uint64_t cycles) const override;
  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  /// A port, and what it tells.
  struct place final : memory_client {
    place(windowed_port& all, processor_port& below, std::size_t at)
        : owner(all), port(below), number(at) {}
    void completed(const completion& ended, cycle_t now) override;
    void room(std::size_t element, cycle_t now) override;
    void settled(std::size_t element, cycle_t now) override;
    void disturbed(std::size_t element, cycle_t now) override;

    windowed_port& owner;
    processor_port& port;
    std::size_t number;
  };

  /// A window and the places of its ports.
  struct range {
    port_window window;
    place* where;
    place* operations;  ///< null: `where`
  };

  place& place_at(processor_port& port);
  /// Null if there is none.
  const range* range_of(std::uint64_t address) const;
  /// The same; throws `simulation_error` if there is none.
  const range& range_for(const access& request) const;
  static place& place_in(const range& window, const access& request);
  static access as_window_has_it(const range& window, access request);
  bool must_wait(const range& window, const place& where, std::size_t element,
                 const access& request) const;
  void hand_over(place& where, std::size_t element, const access& request, cycle_t now);
  /// Hands over what waits, if it may go now.
  void go_on(cycle_t now);

  TRIBUTARY_STATE(open_, holds_, waiting_, waiting_.kind, waiting_.purpose, waiting_element_,
                  since_, held_);

  std::string name_;
  std::vector<std::unique_ptr<place>> places_;
  std::vector<range> ranges_;  // in the order of the windows
  place* main_ = nullptr;
  memory_client* client_ = nullptr;
  std::vector<std::uint64_t> open_;  // accesses without completion, of each place
  bool holds_ = false;
  access waiting_;
  std::uint64_t waiting_element_ = 0;
  cycle_t since_ = 0;
  average held_;
};

}  // namespace tributary
