// SPDX-License-Identifier: Apache-2.0
// The cycles of an omega network on several threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <tributary/network/omega/network_division.h>
#include <tributary/network/omega/omega_network.h>

namespace tributary {

/// An omega network in parts, each of which a thread steps. Nobody is told of events.
///
/// One cycle, of which each step waits until all parts have done the one before:
///
/// | Step | Of other parts it reads |
/// |---|---|
/// | `depart` | what is ready |
/// | `accept_requests` | what leaves over links from part to part, and the requests there |
/// | `move_requests`, `accept_request` for what processors send, `move_replies`, `accept_reply` for
/// what memory sends | the same of responses | | `release_replies` | nothing |
///
/// `sample` before them and `take_totals` after them are for one thread. A thread writes its own
/// part only: so a queue behind a link from part to part accepts before the one in front of it
/// releases. The processing elements of a part are its lines of stage 0, its memory modules its
/// ports of the last stage. The states are those that the network alone makes.
class divided_network {
 public:
  /// Parts that the network can have at most: 1 if it is small, or if any of its switches has
  /// registers or is not the core's.
  static std::size_t most_parts(const omega_network& network);
  /// `parts`: a power of two, at most `most_parts`. The network must outlive it.
  divided_network(omega_network& network, std::size_t parts);

  /// Divides the network, which takes as long as some cycles, and puts it together again: nothing
  /// else may look at it between. Nothing happens if that is done already.
  void divide();
  void unite();
  bool divided() const { return divided_; }

  std::size_t parts() const { return parts_.size(); }
  const column_part& part(std::size_t number) const { return parts_[number].switches; }

  const std::uint8_t* request_ready() const { return network_.request_ready(); }
  const std::uint8_t* reply_ready() const { return network_.reply_ready(); }

  void sample();
  /// `memory_ready`: by module, 1 if it takes a request in this cycle, else 0.
  void depart(std::size_t part, const std::uint8_t* memory_ready);
  /// Over links from part to part. `serve(mm_index, const packet&)` takes those that leave.
  template <class Serve>
  void accept_requests(std::size_t part, Serve&& serve);
  /// The others.
  void move_requests(std::size_t part);
  void accept_request(std::size_t part, std::size_t line, const packet& request) {
    enter<combining_queue::head_place::left>(parts_[part], 0, line, request);
  }
  /// `deliver(pe_index, const reply&)` takes those that leave.
  template <class Deliver>
  void move_replies(std::size_t part, Deliver&& deliver);
  void accept_reply(std::size_t part, std::size_t line, const reply& response) {
    enter(parts_[part], last_stage(), line, response);
  }
  /// Those that have gone from part to part.
  void release_replies(std::size_t part);
  void take_totals();

 private:
  /// What one thread steps, in cache lines of its own.
  struct alignas(64) network_part {
    std::size_t number = 0;
    column_part switches;
    partner_pool partners;
    std::vector<column_totals> totals;  // of the current cycle, by stage
  };
  static constexpr std::uint8_t any_request = switch_departures::any_queue;

  std::size_t last_stage() const { return columns_.size() - 1; }
  /// Links from the stage to the next one, if not of the undivided network's places: crossing ones,
  /// or inner ones, which stay in a part.
  bool crosses(std::size_t stage) const { return stage + 1 == division_.first_inner(); }
  bool is_inner(std::size_t stage) const { return stage >= division_.first_inner(); }

  partner_pool& pool_at(std::size_t place) {
    return parts_[place / (network_.lines() / 2 / parts())].partners;
  }

  template <combining_queue::head_place departing>
  void enter(network_part& its, std::size_t stage, std::size_t line, const packet& request) {
    columns_[stage].enter_request<departing>(line, request, leaving_[stage], its.partners,
                                             its.totals[stage], unobserved());
  }
  void enter(network_part& its, std::size_t stage, std::size_t port, const reply& response) {
    columns_[stage].enter_reply(port, response, its.partners, its.totals[stage], unobserved());
  }
  /// The request that leaves a port goes to a line of the next stage, and stays at the port for
  /// now.
  void accept(network_part& its, std::size_t stage, std::size_t port, std::size_t line) {
    enter<combining_queue::head_place::leaves>(
        its, stage + 1, line, *columns_[stage].departing_request(port, leaving_[stage]));
  }
  /// The response that leaves a line goes to a port of the stage before, and stays for now.
  void accept_back(network_part& its, std::size_t stage, std::size_t line, std::size_t port) {
    enter(its, stage - 1, port, *columns_[stage].departing_reply(line, leaving_[stage]));
  }
  const packet& release(network_part& its, std::size_t stage, std::size_t port) {
    return columns_[stage].release_request(port, leaving_[stage], its.partners, its.totals[stage]);
  }

  void depart_requests(const network_part& its, std::size_t stage,
                       const std::uint8_t* memory_ready);
  void depart_replies(const network_part& its, std::size_t stage);
  void accept_outer_requests(network_part& its, std::size_t stage);
  void accept_crossing_requests(network_part& its, std::size_t stage);
  void move_inner_requests(network_part& its, std::size_t stage);
  void accept_outer_replies(network_part& its, std::size_t stage);
  void accept_crossing_replies(network_part& its, std::size_t stage);
  void move_inner_replies(network_part& its, std::size_t stage);

  omega_network& network_;
  std::vector<switch_column>& columns_;
  std::vector<switch_departures>& leaving_;
  network_division division_;
  std::vector<network_part> parts_;
  bool divided_ = false;
  switch_column spare_;  // for `divide` and `unite`
  // Of crossing links, in the order of those who look: what is ready, and what leaves.
  std::vector<std::uint8_t> ready_behind_;  // by port
  std::vector<std::uint8_t> ready_before_;  // by line
  std::vector<std::uint8_t> requests_;      // by line
  std::vector<std::uint8_t> replies_;       // by port
};

template <class Serve>
void divided_network::accept_requests(std::size_t part, Serve&& serve) {
  network_part& its = parts_[part];
  for (switch_column& column : columns_) column.advance_timers(its.switches);
  for (std::size_t stage = 0; !is_inner(stage); ++stage) {
    crosses(stage) ? accept_crossing_requests(its, stage) : accept_outer_requests(its, stage);
  }
  const switch_column& last = columns_.back();
  for_each_set(
      leaving_.back().requests, its.switches.ports, last.active_requests(), any_request,
      [&](std::size_t port) { serve(port, *last.departing_request(port, leaving_.back())); });
}

template <class Deliver>
void divided_network::move_replies(std::size_t part, Deliver&& deliver) {
  network_part& its = parts_[part];
  switch_column& first = columns_.front();
  for (const port_range& lines : its.switches.lines) {
    for_each_set(leaving_.front().replies, lines, first.active_replies(), 1,
                 [&](std::size_t line) { deliver(line, first.release_reply(line)); });
  }
  for (std::size_t stage = 0; stage < last_stage(); ++stage) {
    if (is_inner(stage)) {
      move_inner_replies(its, stage);
    } else {
      crosses(stage) ? accept_crossing_replies(its, stage) : accept_outer_replies(its, stage);
    }
  }
}

}  // namespace tributary
