// SPDX-License-Identifier: Apache-2.0
// The 2x2 combining switch (FG Figure 3): combining queues, wait buffers and reverse queues.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <tributary/memory/packet.h>
#include <tributary/network/omega/combining_queue.h>
#include <tributary/network/omega/link_registers.h>
#include <tributary/network/omega/partner_pool.h>
#include <tributary/network/omega/reverse_queue.h>
#include <tributary/network/omega/switch_implementation.h>
#include <tributary/network/omega/wait_buffer.h>
#include <tributary/sim/active_groups.h>
#include <tributary/sim/small_number.h>
#include <tributary/sim/state.h>

namespace tributary {

class parameter_set;
class statistics_group;

/// How the forward queues of an output port are built (FG 2.1).
enum class queue_type : std::uint8_t {
  a,  ///< one dual-input queue: requests from both inputs meet and can combine
  b   ///< two single-input queues behind a multiplexer
};

/// Which forms of requests take part in combining, in the order of operation_forms.def.
struct form_selection {
  std::array<bool, form_count> enabled{true, true, true, true, true, true, true, true};

  /// One bit per form that is enabled here and can combine at all.
  std::uint8_t bits() const;
  void bind(parameter_set& parameters);
};

/// Configuration of a combining switch; the defaults are the built Ultracomputer's (FG 3).
struct combining_switch_config {
  queue_type type = queue_type::b;
  /// Whether the head of a queue may still combine.
  bool coupled = false;
  /// Slots of each combining queue: of each of the two of a type B port.
  std::uint32_t slots = 4;
  /// Combined requests at which a queue reports full; 0 is not adaptive.
  std::uint32_t adaptive_limit = 0;
  /// Whether that limit holds always, or is reached as requests combine more.
  queue_adaptation adaptation = queue_adaptation::crude;
  /// Entries of the wait buffer of each memory-side port.
  std::uint32_t wait_buffer_entries = 8;
  match_order order = match_order::oldest;
  /// How a queue finds whom a request joins; systolic is of type B and joins the oldest.
  queue_microarchitecture microarchitecture = queue_microarchitecture::parallel;
  /// A link carries one message every so many cycles.
  std::uint32_t link_cycles = 2;
  /// Whether what arrives stays a cycle in a register behind its link: a stage of pipeline, for a
  /// shorter cycle (cycle contract, rule 13). Of the parallel microarchitecture.
  bool arrival_registers = false;
  /// Slots of each reverse queue, at least 5 (cycle contract, rule 7).
  std::uint32_t reverse_slots = 16;
  /// Whether requests combine at all, and which forms do.
  bool combining = true;
  form_selection combine;

  /// Forms that take part in combining, one bit each; none if combining is off.
  std::uint8_t combining_forms() const { return combining ? combine.bits() : std::uint8_t{0}; }
  /// Slots that a queue needs before anything can combine in it (section 5 of the specification).
  std::uint32_t slots_to_combine() const;
  /// Writers of one queue.
  std::uint32_t writers() const { return type == queue_type::a ? 2 : 1; }

  void bind(parameter_set& parameters);
  /// Refuses values out of range and what could never accept a request; throws
  /// `configuration_error`.
  void validate() const;
};

/// Events inside a switch, for an observer; the default observer sees nothing and costs nothing.
/// `port` counts over the column: memory-side port 2 * switch + output.
struct unobserved {
  static constexpr bool enabled = false;
  void inserted(std::size_t, const packet&) const {}
  void combined(std::size_t, const packet&, const packet&) const {}
  void decombined(std::size_t, const reply&, const request_id&) const {}
};

/// What leaves in this cycle: one byte per port, computed by `depart` from the state at the start
/// of the cycle, so it carries what arrivals have to know of that state too.
struct switch_departures {
  static constexpr std::uint8_t first_queue = 1;   ///< the head of queue 0 leaves
  static constexpr std::uint8_t second_queue = 2;  ///< the head of queue 1 leaves (type B)
  static constexpr std::uint8_t any_queue = 3;
  static constexpr std::uint8_t wait_buffer_full = 4;  ///< at the start of the cycle

  std::vector<small_number> requests;  ///< by memory-side port, 2 * switch + output
  std::vector<small_number> replies;   ///< by processor-side line, input * count + switch
};

/// Counts of a column of switches since the last reset.
struct combining_counters {
  std::uint64_t arrived = 0;           ///< requests that arrived
  std::uint64_t combined = 0;          ///< of these, those that joined a waiting one
  std::uint64_t departed = 0;          ///< requests that left
  std::uint64_t decombined = 0;        ///< responses that a wait buffer yielded
  std::uint64_t wait_buffer_peak = 0;  ///< largest number of entries in one wait buffer
  std::uint64_t cycles = 0;
  std::uint64_t waiting_cycles = 0;  ///< entries in the combining queues, summed over cycles
  std::uint64_t held_cycles = 0;     ///< entries in the wait buffers, summed over cycles

  /// Adds the counts of other switches of the same column and cycles.
  void join(const combining_counters& other);

  TRIBUTARY_STATE(arrived, combined, departed, decombined, wait_buffer_peak, cycles, waiting_cycles,
                  held_cycles);
};

/// The counts of a column, and what is in it.
struct column_totals {
  combining_counters counters;
  std::uint64_t waiting = 0;  ///< entries in all combining queues; a combined pair is one
  std::uint64_t held = 0;     ///< entries in all wait buffers

  /// Adds what a part of the column did in a cycle (`switch_column`), which then did nothing. Its
  /// `waiting` and `held` are differences, and may be below 0 as any unsigned number may.
  void take(column_totals& part);
};

/// Adds the counts of a column of `switches` switches to a group, with rates and occupancies.
void report_counters(const combining_counters& counts, const combining_switch_config& config,
                     std::size_t switches, statistics_group& group);

/// A range of a column's switches: its memory-side ports, and its processor-side lines, which are
/// two ranges.
struct column_part {
  port_range ports;
  std::array<port_range, 2> lines;
};

/// A column of `count` combining switches with one configuration; a single switch is the case of
/// one. Its state is a value; partners live in the pool that the owner passes in.
///
/// Ports. Switch j has memory-side ports (outputs) p = 2 j + o, and processor-side lines
/// l = i * count + j for its inputs i: the numbering of an omega network, in which line l of the
/// link before the column is line l of the ports before it.
///
/// One cycle, in which every block answers a question before any answers the next:
/// `request_ready`, `reply_ready` (registered bits); `depart` (what leaves); then `commit`, or its
/// public pieces `advance_links`, `release_*`, `accept_*` in that order, requests and replies
/// independently of each other, and `settle`.
///
/// Parts. Threads share a column by ranges of its switches (`column_part`, `divided_network`):
/// pieces that take ports or lines concern these only. They count into totals of the thread's own,
/// which are added later (`take`), and take partners from a pool of its own.
class switch_column {
 public:
  /// `route_bit`: the bit of the memory module's number that selects the output port, and of the
  /// processing element's number that selects the input port on the way back.
  explicit switch_column(const combining_switch_config& config, unsigned route_bit = 0,
                         std::size_t count = 1);

  const combining_switch_config& config() const { return config_; }
  std::size_t count() const { return count_; }
  /// The output that a request takes.
  unsigned output_of(const packet& request) const {
    return static_cast<unsigned>(request.location >> (location_word_bits + route_bit_)) & 1U;
  }

  /// Forward ready, by processor-side line: bit o says that the queue for output o has room.
  const std::uint8_t* request_ready() const { return bytes_of(request_ready_); }
  /// Reverse ready, by memory-side port: 1 if a response (and its second half) has room.
  const std::uint8_t* reply_ready() const { return bytes_of(reply_ready_); }

  /// Decides what leaves. `next_request_ready`: by memory-side port, bit o' for output o' of the
  /// block behind it; `next_reply_ready`: by processor-side line, 0 or 1. `leaving` is empty, or
  /// the one of the cycle before: where nothing waits it is right already.
  void depart(const std::uint8_t* next_request_ready, const std::uint8_t* next_reply_ready,
              switch_departures& leaving);
  /// The same of some memory-side ports, and of some processor-side lines, where `next_ready` is
  /// about the first of them and those that follow; `leaving` must have the column's size (`fit`).
  void depart_requests(const port_range& ports, const std::uint8_t* next_ready,
                       switch_departures& leaving);
  void depart_replies(const port_range& lines, const std::uint8_t* next_ready,
                      switch_departures& leaving);
  /// Gives `leaving` the size of the column; what it says does not hold then.
  void fit(switch_departures& leaving);
  /// Where requests, by memory-side port, and responses, by processor-side line, may leave.
  const active_groups& active_requests() const { return active_requests_; }
  const active_groups& active_replies() const { return active_replies_; }

  /// Counts the link timers down and samples the occupancies; once a cycle, before any release.
  void advance_links();
  /// The two halves of it: occupancies of the whole column, timers of a part.
  void sample();
  void advance_timers(const column_part& part);

  /// Removes the request that `leaving` grants at a memory-side port; a partner goes to the wait
  /// buffer. The reference stays valid until the queue accepts again.
  const packet& release_request(std::size_t port, const switch_departures& leaving,
                                partner_pool& pool) {
    return release_request(port, leaving, pool, totals_);
  }
  const packet& release_request(std::size_t port, const switch_departures& leaving,
                                partner_pool& pool, column_totals& totals);
  /// Removes the response at the head of a processor-side line.
  const reply& release_reply(std::size_t line);

  /// Takes a request from a processor-side line; lines in ascending order.
  template <class Observer = unobserved>
  void accept_request(std::size_t line, const packet& arrival, switch_departures& leaving,
                      partner_pool& pool, const Observer& observer = {}) {
    if (config_.arrival_registers) {
      arriving_.requests.push_back({line, arrival});
    } else {
      enter_request(line, arrival, leaving, pool, observer);
    }
  }
  /// Takes a response at a memory-side port, and decombines it; ports in ascending order.
  template <class Observer = unobserved>
  void accept_reply(std::size_t port, const reply& arrival, partner_pool& pool,
                    const Observer& observer = {}) {
    if (config_.arrival_registers) {
      arriving_.replies.push_back({port, arrival});
    } else {
      enter_reply(port, arrival, pool, observer);
    }
  }

  /// The same without the registers: what arrives enters a queue at once. `departing`: where a head
  /// is that leaves in this cycle.
  template <class Observer>
  void enter_request(std::size_t line, const packet& arrival, const switch_departures& leaving,
                     partner_pool& pool, const Observer& observer) {
    enter_request<combining_queue::head_place::left>(line, arrival, leaving, pool, totals_,
                                                     observer);
  }
  template <combining_queue::head_place departing, class Observer>
  void enter_request(std::size_t line, const packet& arrival, const switch_departures& leaving,
                     partner_pool& pool, column_totals& totals, const Observer& observer);
  template <class Observer>
  void enter_reply(std::size_t port, const reply& arrival, partner_pool& pool,
                   const Observer& observer) {
    enter_reply(port, arrival, pool, totals_, observer);
  }
  template <class Observer>
  void enter_reply(std::size_t port, const reply& arrival, partner_pool& pool,
                   column_totals& totals, const Observer& observer);

  /// What arrives at a column in one cycle.
  struct arrivals {
    std::vector<std::optional<packet>> requests;  ///< by processor-side line
    std::vector<std::optional<reply>> replies;    ///< by memory-side port
  };
  /// Whether anything happens after the arrival, so that `settle` has something to do.
  bool settles() const { return queues_.systolic() || config_.arrival_registers; }
  /// Ends the cycle of systolic queues, and of registers behind the links; once, after all requests
  /// and responses were accepted.
  template <class Observer = unobserved>
  void settle(switch_departures& leaving, partner_pool& pool, const Observer& observer = {}) {
    if (config_.arrival_registers) enter_registered(leaving, pool, observer);
    if (queues_.systolic()) settle({0, 2 * count_}, leaving, pool, totals_, observer);
  }
  /// The same of the systolic queues of some memory-side ports.
  template <class Observer = unobserved>
  void settle(const port_range& ports, const switch_departures& leaving, partner_pool& pool,
              column_totals& totals, const Observer& observer = {}) {
    for (std::size_t port = ports.first; port < ports.last; ++port) {
      for (unsigned number = 0; number < 2; ++number) {
        settle(port, number, leaving.requests[port], pool, totals, observer);
      }
    }
  }

  /// The whole of a cycle's state change.
  void commit(const switch_departures& leaving, const arrivals& arriving, partner_pool& pool);

  /// The request that `leaving` grants at a port, and the response of a line; null if none.
  const packet* departing_request(std::size_t port, const switch_departures& leaving) const;
  const reply* departing_reply(std::size_t line, const switch_departures& leaving) const;

  const combining_queue& queues() const { return queues_; }
  const wait_buffer& wait_buffers() const { return wait_buffers_; }
  const reverse_queue& reverse_queues() const { return reverse_queues_; }
  /// What enters the queues in the next cycle; nothing without registers.
  const link_registers& registered() const { return registered_; }
  /// Index into `queues()` of the queue that input `input` of memory-side port `port` writes.
  std::size_t queue_of(std::size_t port, unsigned input) const {
    return (port << two_queues_) + (input & two_queues_);
  }
  /// Whether every queue and wait buffer is empty.
  bool idle() const;

  /// Speaks for a switch of the column that is implemented elsewhere: its ready bits, by input and
  /// by output, that something may leave it, and its share in the counts of a cycle.
  void publish(std::size_t index, const std::array<std::uint8_t, 2>& request_ready,
               const std::array<bool, 2>& reply_ready);
  void make_active(std::size_t index);
  void count(const switch_traffic& departed, const switch_traffic& arrived,
             const switch_activity& activity, std::uint64_t wait_buffer_peak);

  const combining_counters& counters() const { return totals_.counters; }
  void report(statistics_group& group) const {
    report_counters(counters(), config_, count_, group);
  }
  void reset_counters() { totals_.counters = {}; }
  /// Adds what a part did.
  void take(column_totals& part) { totals_.take(part); }

  /// Moves the partners of what is at some memory-side ports to another pool.
  void move_partners(const port_range& ports, const partner_pool& from, partner_pool& to);
  /// Becomes a column like another of the same configuration, whose switches are all copied here
  /// then, into other places, with their partners.
  void begin_copy(const switch_column& other);
  void copy_switch(std::size_t to, const switch_column& other, std::size_t from,
                   const partner_pool& other_pool, partner_pool& pool);
  /// Forgets in which slots of a queue its entries are: equal contents are then saved alike.
  void normalize();

  bool equals(const partner_pool& pool, const switch_column& other,
              const partner_pool& other_pool) const;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(queues_, wait_buffers_, reverse_queues_, fixed_size(status_),
            fixed_size(request_timer_), fixed_size(reply_timer_), totals_.waiting, totals_.held,
            totals_.counters);
    if (config_.arrival_registers) archive(registered_);
    if constexpr (Archive::is_loading::value) {
      check_registered();
      refresh_all();
    }
  }

  /// Refuses a restored column whose partners are not in the pool. Throws `input_error`.
  void check_partners(const partner_pool& pool) const {
    queues_.check_partners(pool);
    wait_buffers_.check_partners(pool);
  }

 private:
  /// What `depart` needs to know of a memory-side port, in one byte, so that it has no branch.
  enum : std::uint8_t {
    head_0_to_0 = 1,  ///< queue 0's head takes output 0 of the next block
    head_0_to_1 = 2,
    head_0_combined = 4,
    head_1_to_0 = 8,  ///< the same of queue 1 (type B), `head_1_shift` bits to the left
    head_1_to_1 = 16,
    head_1_combined = 32,
    queue_1_first = 64,  ///< arbitration: queue 1 has the priority
    buffer_full = 128
  };
  static constexpr std::uint8_t any_head = head_0_to_0 | head_0_to_1 | head_1_to_0 | head_1_to_1;
  static constexpr unsigned about_head_0 = head_0_to_0 | head_0_to_1 | head_0_combined;
  static constexpr unsigned head_1_shift = 3;
  static constexpr std::uint8_t held_0 = head_0_combined | buffer_full;
  static constexpr std::uint8_t held_1 = head_1_combined | buffer_full;

  template <class Observer>
  void settle(std::size_t port, unsigned number, std::uint8_t start, partner_pool& pool,
              column_totals& totals, const Observer& observer);
  /// All switches.
  column_part whole() const { return {{0, 2 * count_}, {{{0, 2 * count_}, {}}}}; }
  /// Of the ports of a group; whether anything waits there, or rests.
  bool depart_requests(std::size_t first, std::size_t count, const std::uint8_t* next_ready,
                       std::uint8_t* leaving) const;
  bool depart_replies(std::size_t first, std::size_t count, const std::uint8_t* next_ready,
                      std::uint8_t* leaving) const;
  /// What is in the registers enters the queues; what arrived comes into the registers.
  template <class Observer>
  void enter_registered(const switch_departures& leaving, partner_pool& pool,
                        const Observer& observer);
  void hold_arrivals(const partner_pool& pool);
  /// The port's status with what the queue's head says of it now.
  unsigned status_with_head(std::size_t port, unsigned number, std::size_t queue) const;
  void refresh_head(std::size_t port, unsigned number, std::size_t queue);
  void refresh_request_ready(std::size_t port, unsigned number, std::size_t queue);
  void refresh_wait_buffer(std::size_t port);
  void refresh_reverse(std::size_t line);
  /// All that is known of queues and wait buffers, from them; what is active is found out.
  void refresh_all();
  /// Refuses restored registers that no queue has announced. Throws `input_error`.
  void check_registered() const;
  void push_reply(std::size_t port, const reply& response);
  /// Where a request from a line goes: its queue, as the memory-side port and the number there.
  std::pair<std::size_t, unsigned> place_of(std::size_t line, const packet& request) const {
    const unsigned input = line >= count_ ? 1 : 0;
    return {2 * (line - input * count_) + output_of(request), input & two_queues_};
  }
  /// The processor-side line that a response of a port takes.
  std::size_t line_of(std::size_t port, std::uint32_t pe) const {
    return (port >> 1) + ((pe >> route_bit_) & 1U) * count_;
  }

  combining_switch_config config_;
  unsigned route_bit_;
  std::size_t count_;
  bool dual_input_;
  unsigned two_queues_;  // 1 if each port has two, as in type B, else 0: a shift and a mask
  combining_queue queues_;
  wait_buffer wait_buffers_;
  reverse_queue reverse_queues_;
  std::vector<small_number> status_;         // by memory-side port
  std::vector<small_number> request_timer_;  // by memory-side port: cycles until the link is free
  std::vector<small_number> reply_timer_;    // by processor-side line
  std::vector<small_number> request_ready_;  // by processor-side line
  std::vector<small_number> reply_ready_;    // by memory-side port
  std::vector<small_number> reply_waiting_;  // by processor-side line: its queue is not empty
  // By memory-side port of type A: its queue took an entry in this cycle.
  std::vector<small_number> took_arrival_;
  link_registers arriving_;    // in this cycle, of which nothing is left at its end
  link_registers registered_;  // in the cycle before
  // Elsewhere nothing waits, no timer runs, and what the last `depart` said holds.
  active_groups active_requests_;  // by memory-side port
  active_groups active_replies_;   // by processor-side line
  column_totals totals_;
};

inline const packet& switch_column::release_request(std::size_t port,
                                                    const switch_departures& leaving,
                                                    partner_pool& pool, column_totals& totals) {
  const unsigned number = (leaving.requests[port] >> 1) & 1U;
  const std::size_t queue = queue_of(port, number);
  const auto [request, left_with] = queues_.release(queue);
  ++totals.counters.departed;
  --totals.waiting;
  if (left_with != no_partner) {
    ++totals.held;
    wait_buffers_.insert(port, left_with, pool);
    refresh_wait_buffer(port);
    if (wait_buffers_.size(port) > totals.counters.wait_buffer_peak) {
      totals.counters.wait_buffer_peak = wait_buffers_.size(port);
    }
  }
  request_timer_[port] = static_cast<std::uint8_t>(config_.link_cycles - 1);
  // A grant gives the priority to the other queue; a dual-input queue stays queue 0.
  const unsigned other_first = (~number & two_queues_) * queue_1_first;  // of two, after queue 0
  const unsigned kept = status_with_head(port, number, queue) & ~unsigned{queue_1_first};
  status_[port] = static_cast<std::uint8_t>(kept | other_first);
  refresh_request_ready(port, number, queue);
  return request;
}

inline const reply& switch_column::release_reply(std::size_t line) {
  reply_timer_[line] = static_cast<std::uint8_t>(config_.link_cycles - 1);
  const reply& response = reverse_queues_.release(line);
  refresh_reverse(line);
  return response;
}

// Compilers leave what is called at two places out of line; inlined, goal G1 is 4 % faster.
template <combining_queue::head_place departing, class Observer>
[[gnu::always_inline]] inline void switch_column::enter_request(
    std::size_t line, const packet& arrival, const switch_departures& leaving, partner_pool& pool,
    column_totals& totals, const Observer& observer) {
  const auto [port, number] = place_of(line, arrival);
  const std::uint8_t start = leaving.requests[port];

  combining_queue::arrival_context now;
  now.input = line >= count_ ? 1 : 0;
  const bool departs = ((unsigned{start} >> number) & 1U) != 0;
  now.head = departs ? departing : combining_queue::head_place::stays;
  now.wait_buffer_full = (start & switch_departures::wait_buffer_full) != 0;
  now.inserted = dual_input_ ? unsigned{took_arrival_[port]} : 0U;

  const std::size_t queue = queue_of(port, number);
  ++totals.counters.arrived;
  const packet* joined = queues_.accept(queue, arrival, now, pool);
  if (joined != nullptr) {
    ++totals.counters.combined;
    if constexpr (Observer::enabled) observer.combined(port, arrival, *joined);
  } else {
    ++totals.waiting;
    if (dual_input_) took_arrival_[port] = 1;
    if constexpr (Observer::enabled) observer.inserted(port, arrival);
  }
  // The head changes by an arrival only if it was the first entry, or if it combined.
  const bool alone = queues_.size(queue) == 1;
  if (alone || joined != nullptr) refresh_head(port, number, queue);
  refresh_request_ready(port, number, queue);
  if (alone) active_requests_.set(port);
}

template <class Observer>
void switch_column::settle(std::size_t port, unsigned number, std::uint8_t start,
                           partner_pool& pool, column_totals& totals, const Observer& observer) {
  const std::size_t queue = queue_of(port, number);
  if (queues_.empty(queue) && queues_.columns().empty(queue)) return;
  const unsigned leaves =
      number == 0 ? switch_departures::first_queue : switch_departures::second_queue;
  const bool any_joined = queues_.settle(
      queue, (start & leaves) != 0, (start & switch_departures::wait_buffer_full) != 0, pool,
      [&]([[maybe_unused]] const packet& second, [[maybe_unused]] const packet& first) {
        ++totals.counters.combined;
        --totals.waiting;
        if constexpr (Observer::enabled) observer.combined(port, second, first);
      });
  if (!any_joined) return;
  refresh_head(port, number, queue);
  refresh_request_ready(port, number, queue);
}

template <class Observer>
[[gnu::always_inline]] inline void switch_column::enter_reply(std::size_t port,
                                                              const reply& arrival,
                                                              partner_pool& pool,
                                                              column_totals& totals,
                                                              const Observer& observer) {
  push_reply(port, arrival);
  const partner_index found = wait_buffers_.take(port, arrival.id(), pool);
  if (found == no_partner) return;
  const partner& waiting = pool[found];
  const reply second{answer_second(waiting.kept, arrival.value), waiting.second.sequence,
                     waiting.second.pe, arrival.status};
  pool.release(found);
  refresh_wait_buffer(port);
  active_requests_.set(port);
  ++totals.counters.decombined;
  --totals.held;
  if constexpr (Observer::enabled) observer.decombined(port, second, arrival.id());
  push_reply(port, second);
}

template <class Observer>
void switch_column::enter_registered(const switch_departures& leaving, partner_pool& pool,
                                     const Observer& observer) {
  for (const auto& [line, request] : registered_.requests) {
    const auto [port, number] = place_of(line, request);
    queues_.withdraw(queue_of(port, number));
    enter_request(line, request, leaving, pool, observer);
  }
  // Each of them enters now, so that `ready` ends as it was.
  reverse_queues_.withdraw_all();
  for (const auto& [port, response] : registered_.replies) {
    enter_reply(port, response, pool, observer);
  }
  std::swap(registered_, arriving_);
  arriving_.clear();
  hold_arrivals(pool);
}

inline unsigned switch_column::status_with_head(std::size_t port, unsigned number,
                                                std::size_t queue) const {
  const unsigned shift = number * head_1_shift;
  const unsigned others = status_[port] & ~(about_head_0 << shift);
  if (queues_.empty(queue)) return others;
  const auto [head, combined] = queues_.oldest(queue);
  const unsigned next =
      route_bit_ == 0
          ? 0
          : static_cast<unsigned>(head.location >> (location_word_bits + route_bit_ - 1)) & 1U;
  const unsigned of_head =
      (unsigned{head_0_to_0} << next) | (combined ? unsigned{head_0_combined} : 0U);
  return others | (of_head << shift);
}

inline void switch_column::refresh_head(std::size_t port, unsigned number, std::size_t queue) {
  status_[port] = static_cast<std::uint8_t>(status_with_head(port, number, queue));
}

inline void switch_column::refresh_request_ready(std::size_t port, unsigned number,
                                                 std::size_t queue) {
  if (!queues_.take_ready_change(queue)) return;
  const bool room = queues_.ready(queue);
  const unsigned output = port & 1U;
  const std::size_t line = (port >> 1) + number * count_;
  const auto ready = static_cast<std::uint8_t>(unsigned{room} << output);
  const auto keep = static_cast<std::uint8_t>(2U >> output);
  request_ready_[line] = static_cast<std::uint8_t>((request_ready_[line] & keep) | ready);
  if (dual_input_) {
    small_number& other = request_ready_[line + count_];
    other = static_cast<std::uint8_t>((other & keep) | ready);
  }
}

inline void switch_column::refresh_wait_buffer(std::size_t port) {
  const unsigned full = wait_buffers_.full(port) ? unsigned{buffer_full} : 0U;
  status_[port] = static_cast<std::uint8_t>((status_[port] & ~unsigned{buffer_full}) | full);
}

inline void switch_column::refresh_reverse(std::size_t line) {
  reply_waiting_[line] = static_cast<std::uint8_t>(!reverse_queues_.empty(line));
  if (!reverse_queues_.take_ready_change(line)) return;
  const std::size_t index = line >= count_ ? line - count_ : line;
  const bool ready = reverse_queues_.ready(index) && reverse_queues_.ready(index + count_);
  reply_ready_[2 * index] = reply_ready_[2 * index + 1] = static_cast<std::uint8_t>(ready);
}

inline void switch_column::push_reply(std::size_t port, const reply& response) {
  const std::size_t line = line_of(port, response.pe);
  reverse_queues_.accept(line, response);
  refresh_reverse(line);
  active_replies_.set(line);
}

}  // namespace tributary
