// SPDX-License-Identifier: Apache-2.0
// The omega network of combining switches: k columns of N / 2 switches (FG Figure 1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <tributary/memory/request_events.h>
#include <tributary/network/omega/replaced_switches.h>
#include <tributary/network/omega/switch_column.h>
#include <tributary/network/omega/switch_implementation.h>
#include <tributary/sim/for_each_set.h>

namespace tributary {

class statistics_group;

/// Configuration of an omega network.
struct omega_network_config {
  /// Processing elements N, a power of two from 2 to 65,536, and as many memory modules.
  std::uint32_t processing_elements = 1024;
  combining_switch_config switches;
  /// Which switches are not the core's but those that `make_switch` makes, as `select_switches`
  /// reads it.
  std::string rtl = "none";
  /// Of verilated RTL (rtl/verilated_switch.h), or of a user's own.
  switch_maker make_switch;

  /// k = log2 N.
  unsigned stages() const;
  /// The switch that stands at a place that `rtl` names. Throws `configuration_error` if there is
  /// no `make_switch`, and what that throws.
  std::unique_ptr<switch_implementation> make_replaced(const switch_place& place) const;

  void bind(parameter_set& parameters);
  /// Refuses sizes that are not powers of two and what no switch accepts; `configuration_error`.
  void validate() const;
};

/// An omega network of combining switches, both directions, as one object.
///
/// Lines. Link level s (0 to k) has N lines. Level 0 is the processing elements, level k the
/// memory modules; a perfect shuffle precedes each column. Line l of level s enters column s at
/// input l / (N / 2) of switch l mod N / 2, and memory-side port p of column s is line p of level
/// s + 1: the numbering of `switch_column`, so that a link needs no table.
///
/// One cycle: `depart`, then `advance`, then `move_requests` with the memory's sink and
/// `accept_request` for what processors send, `move_replies` with the processors' sink and
/// `accept_reply` for what memory sends, and `settle`. Requests move from the memory side and
/// replies from the processor side, so that every queue releases before it accepts.
///
/// Any switch may be another implementation of the same ports (`omega_network_config::rtl`). Such a
/// switch has its place in its column, where the core's stays empty; `column` shows its ready bits
/// and counts, not what it holds.
class omega_network {
 public:
  /// Throws `configuration_error` for a configuration that `validate` refuses, and what
  /// `make_switch` throws.
  explicit omega_network(const omega_network_config& config);

  const omega_network_config& config() const { return config_; }
  std::size_t lines() const { return config_.processing_elements; }
  unsigned stages() const { return static_cast<unsigned>(columns_.size()); }

  /// What the network interface of each processing element sees: bit o for output o of its switch.
  const std::uint8_t* request_ready() const { return columns_.front().request_ready(); }
  /// What each memory module sees: 1 if the network takes its response.
  const std::uint8_t* reply_ready() const { return columns_.back().reply_ready(); }
  /// Which bit of the module's number selects the output of a processing element's switch.
  unsigned first_route_bit() const { return stages() - 1; }

  /// Decides what leaves every switch. `memory_ready`: by module, 1 if it takes a
  /// request in this cycle, else 0.
  void depart(const std::uint8_t* memory_ready);

  /// Begins the state change of the cycle.
  void advance();

  /// Moves granted requests a stage on. `serve(mm_index, const packet&)` takes those that leave.
  template <class Serve, class Observer>
  void move_requests(Serve&& serve, Observer& observer);

  /// A request that a network interface sends. Lines in ascending order, after `move_requests`.
  template <class Observer>
  void accept_request(std::size_t line, const packet& request, Observer& observer) {
    accept_request_at<false>(0, line, request, observer);
  }

  /// Moves granted responses a stage on. `deliver(pe_index, const reply&)` takes those that leave.
  template <class Deliver, class Observer>
  void move_replies(Deliver&& deliver, Observer& observer);

  /// A response that a module sends. Lines in ascending order, after `move_replies`.
  template <class Observer>
  void accept_reply(std::size_t line, const reply& response, Observer& observer) {
    accept_reply_at<false>(stages() - 1, line, response, observer);
  }

  /// Ends the cycle: systolic queues move on, switches of other implementations take what arrived.
  template <class Observer>
  void settle(Observer& observer);

  /// What `depart` lets leave the network, without taking it: `visit(mm_index, const packet&)` and
  /// `visit(pe_index, const reply&)`, ascending.
  template <class Visit>
  void for_each_departing_request(Visit&& visit) const;
  template <class Visit>
  void for_each_departing_reply(Visit&& visit) const;

  /// Every request that waits in a queue of the core's, or in a register before one, with the
  /// function that it carries for all that combined with it: those nearer to memory first, each
  /// queue from its head on. `visit(const packet&)`.
  template <class Visit>
  void for_each_waiting(Visit&& visit) const;

  const switch_column& column(std::size_t stage) const { return columns_[stage]; }
  const partner_pool& partners() const { return partners_; }

  /// The switches that are not the core's, in ascending order of places.
  const std::vector<replaced_switch>& replaced() const { return replaced_.list(); }

  /// Entries in the fullest combining queue, and in the fullest wait buffer, of a stage.
  std::size_t fullest_queue(std::size_t stage) const;
  std::size_t fullest_wait_buffer(std::size_t stage) const;

  /// Whether all queues, wait buffers and registers are empty.
  bool idle() const;

  void reset_statistics();
  /// Adds a group per stage: arrivals, combining, departures, decombining and occupancies.
  void report(statistics_group& group) const;

  /// False if any switch is not the core's: what it holds is not known.
  friend bool operator==(const omega_network& x, const omega_network& y);

  /// Throws `error` if any switch is not the core's: what it holds is not known.
  template <class Archive>
  void serialize(Archive& archive) {
    replaced_.refuse_to_save();
    if constexpr (!Archive::is_loading::value) normalize();
    for (switch_column& column : columns_) archive(column);
    archive(partners_);
    if constexpr (Archive::is_loading::value) {
      partners_.check();
      for (const switch_column& column : columns_) column.check_partners(partners_);
    }
  }

 private:
  friend class divided_network;

  /// Presents the events of one column to an observer of the network.
  template <class Observer>
  struct column_observer {
    static constexpr bool enabled = Observer::enabled;
    Observer& network;
    std::int32_t stage;

    void inserted(std::size_t port, const packet& request) const {
      network.request(request_events::inserted, stage, port, request, request.id());
    }
    void combined(std::size_t port, const packet& request, const packet& joined) const {
      network.request(request_events::combined, stage, port, request, joined.id());
    }
    void decombined(std::size_t port, const reply& response, const request_id& first) const {
      network.response(request_events::decombined, stage, port, response, first);
    }
  };

  /// Whether every hop is from one queue of the core's to another, in the same cycle. It is asked
  /// once a cycle, and passed on as `direct`: to ask at each hop takes 1 % of all instructions.
  bool all_direct() const { return replaced_.empty() && !config_.switches.arrival_registers; }

  template <bool direct, class Serve, class Observer>
  void move_requests_of(Serve& serve, Observer& observer);
  template <bool direct, class Deliver, class Observer>
  void move_replies_of(Deliver& deliver, Observer& observer);

  template <bool direct, class Observer>
  void accept_request_at(std::size_t stage, std::size_t line, const packet& request,
                         Observer& observer) {
    const column_observer<Observer> told{observer, static_cast<std::int32_t>(stage)};
    if constexpr (direct) {
      columns_[stage].enter_request(line, request, leaving_[stage], partners_, told);
    } else if (replaced_switch* const other = replaced_.at_line(stage, line)) {
      other->arriving.requests[line / switches()] = request;
    } else {
      columns_[stage].accept_request(line, request, leaving_[stage], partners_, told);
    }
  }
  template <bool direct, class Observer>
  void accept_reply_at(std::size_t stage, std::size_t port, const reply& response,
                       Observer& observer) {
    const column_observer<Observer> told{observer, static_cast<std::int32_t>(stage)};
    if constexpr (direct) {
      columns_[stage].enter_reply(port, response, partners_, told);
    } else if (replaced_switch* const other = replaced_.at_port(stage, port)) {
      other->arriving.replies[port % 2] = response;
    } else {
      columns_[stage].accept_reply(port, response, partners_, told);
    }
  }

  std::size_t switches() const { return config_.processing_elements / 2; }

  template <bool direct>
  const packet& release_request_at(std::size_t stage, std::size_t port) {
    const replaced_switch* const other = direct ? nullptr : replaced_.at_port(stage, port);
    if (other != nullptr) return *other->leaving.requests[port % 2];
    return columns_[stage].release_request(port, leaving_[stage], partners_);
  }
  template <bool direct>
  const reply& release_reply_at(std::size_t stage, std::size_t line) {
    const replaced_switch* const other = direct ? nullptr : replaced_.at_line(stage, line);
    if (other != nullptr) return *other->leaving.replies[line / switches()];
    return columns_[stage].release_reply(line);
  }

  const std::uint8_t* request_ready_behind(std::size_t stage,
                                           const std::uint8_t* memory_ready) const {
    return stage + 1 == columns_.size() ? memory_ready : columns_[stage + 1].request_ready();
  }
  const std::uint8_t* reply_ready_before(std::size_t stage) const {
    return stage == 0 ? sink_ready_.data() : columns_[stage - 1].reply_ready();
  }

  /// Forgets what tells how equal states were come to, so that they are saved alike: on several
  /// threads queues accept before they release, and partners come from other pools.
  void normalize();

  void replace(const switch_place& place);
  void depart(replaced_switch& each, const std::uint8_t* memory_ready);
  void publish(const replaced_switch& each);
  void count(replaced_switch& each, const switch_traffic& entered, const switch_activity& activity);
  template <class Observer>
  void report(const switch_place& place, const switch_traffic& entered,
              const switch_activity& activity, Observer& observer) const;

  omega_network_config config_;
  std::vector<switch_column> columns_;
  replaced_switches replaced_;
  partner_pool partners_;
  std::vector<switch_departures> leaving_;
  std::vector<std::uint8_t> sink_ready_;  // processors always take responses (rule 11)
};

template <class Visit>
void omega_network::for_each_departing_request(Visit&& visit) const {
  const switch_departures& leaving = leaving_.back();
  const active_groups& active = columns_.back().active_requests();
  for_each_set(leaving.requests, active, switch_departures::any_queue, [&](std::size_t port) {
    const replaced_switch* const other = replaced_.at_port(columns_.size() - 1, port);
    visit(port, other != nullptr ? *other->leaving.requests[port % 2]
                                 : *columns_.back().departing_request(port, leaving));
  });
}

template <class Visit>
void omega_network::for_each_departing_reply(Visit&& visit) const {
  const switch_departures& leaving = leaving_.front();
  for_each_set(leaving.replies, columns_.front().active_replies(), 1, [&](std::size_t line) {
    const replaced_switch* const other = replaced_.at_line(0, line);
    visit(line, other != nullptr ? *other->leaving.replies[line / switches()]
                                 : *columns_.front().departing_reply(line, leaving));
  });
}

template <class Visit>
void omega_network::for_each_waiting(Visit&& visit) const {
  for (std::size_t stage = columns_.size(); stage-- > 0;) {
    const combining_queue& queues = columns_[stage].queues();
    for (std::size_t queue = 0; queue < queues.count(); ++queue) {
      for (std::size_t i = 0; i < queues.size(queue); ++i) visit(queues.entry(queue, i));
    }
    for (const auto& each : columns_[stage].registered().requests) visit(each.message);
  }
}

template <class Serve, class Observer>
void omega_network::move_requests(Serve&& serve, Observer& observer) {
  if (all_direct()) {
    move_requests_of<true>(serve, observer);
  } else {
    move_requests_of<false>(serve, observer);
  }
}

template <bool direct, class Serve, class Observer>
void omega_network::move_requests_of(Serve& serve, Observer& observer) {
  for (std::size_t stage = columns_.size(); stage-- > 0;) {
    const bool last = stage + 1 == columns_.size();
    const active_groups& active = columns_[stage].active_requests();
    constexpr std::uint8_t any = switch_departures::any_queue;
    for_each_set(leaving_[stage].requests, active, any, [&](std::size_t port) {
      const packet& request = release_request_at<direct>(stage, port);
      if constexpr (Observer::enabled) {
        observer.request(request_events::departed, static_cast<std::int32_t>(stage), port, request,
                         request.id());
      }
      if (last) {
        serve(port, request);
      } else {
        accept_request_at<direct>(stage + 1, port, request, observer);
      }
    });
  }
}

template <class Deliver, class Observer>
void omega_network::move_replies(Deliver&& deliver, Observer& observer) {
  if (all_direct()) {
    move_replies_of<true>(deliver, observer);
  } else {
    move_replies_of<false>(deliver, observer);
  }
}

template <bool direct, class Deliver, class Observer>
void omega_network::move_replies_of(Deliver& deliver, Observer& observer) {
  for (std::size_t stage = 0; stage < columns_.size(); ++stage) {
    const active_groups& active = columns_[stage].active_replies();
    for_each_set(leaving_[stage].replies, active, 1, [&](std::size_t line) {
      const reply& response = release_reply_at<direct>(stage, line);
      if constexpr (Observer::enabled) {
        observer.reply_departed(static_cast<std::int32_t>(stage), line, response);
      }
      if (stage == 0) {
        deliver(line, response);
      } else {
        accept_reply_at<direct>(stage - 1, line, response, observer);
      }
    });
  }
}

template <class Observer>
void omega_network::settle(Observer& observer) {
  for (std::size_t stage = 0; stage < columns_.size(); ++stage) {
    if (!columns_[stage].settles()) continue;
    columns_[stage].settle(leaving_[stage], partners_,
                           column_observer<Observer>{observer, static_cast<std::int32_t>(stage)});
  }
  for (replaced_switch& each : replaced_.list()) {
    const switch_activity& activity = each.implementation->commit(each.arriving);
    const switch_traffic entered = each.entering.after(each.arriving);
    if constexpr (Observer::enabled) report(each.place, entered, activity, observer);
    count(each, entered, activity);
    publish(each);
    each.leaving = each.arriving = {};
  }
}

template <class Observer>
void omega_network::report(const switch_place& place, const switch_traffic& entered,
                           const switch_activity& activity, Observer& observer) const {
  const column_observer<Observer> column{observer, static_cast<std::int32_t>(place.stage)};
  const std::size_t first_port = 2 * place.index;
  for (std::size_t i = 0; i < 2; ++i) {
    const auto& request = entered.requests[i];
    if (activity.inserted[i] && request) {
      column.inserted(first_port + columns_[place.stage].output_of(*request), *request);
    }
    if (activity.decombined[i] && entered.replies[i]) {
      column.decombined(first_port + i, *activity.decombined[i], entered.replies[i]->id());
    }
  }
  for (const switch_joining& joined : activity.combined) {
    observer.request(request_events::combined, column.stage, first_port + joined.output,
                     joined.request, joined.first);
  }
}

}  // namespace tributary
