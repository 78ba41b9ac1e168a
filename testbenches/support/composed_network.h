// SPDX-License-Identifier: Apache-2.0
// An omega network put together from single switches, with its links drawn by hand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <tributary/network/omega/omega_network.h>

#include "golden_switch.h"
#include "single_switch.h"

namespace tributary::testing {

/// What enters a network in one cycle, by element and by module.
struct network_arrivals {
  std::vector<std::optional<packet>> requests;
  std::vector<std::optional<reply>> replies;
};

/// What leaves it, ascending by module and by element.
struct network_departures {
  std::vector<std::pair<std::size_t, packet>> served;
  std::vector<std::pair<std::size_t, reply>> delivered;
};

inline bool operator==(const network_departures& x, const network_departures& y) {
  return x.served == y.served && x.delivered == y.delivered;
}

/// A golden switch with the interface of single_switch.
class golden_element {
 public:
  golden_element(const combining_switch_config& config, unsigned route_bit)
      : core_(config, route_bit) {}
  std::uint8_t request_ready(unsigned input) const { return core_.request_ready(input); }
  bool reply_ready() const { return core_.reply_ready(); }
  switch_traffic depart(const std::array<std::uint8_t, 2>& next_request_ready,
                        const std::array<bool, 2>& next_reply_ready) {
    return leaving_ = core_.depart(next_request_ready, next_reply_ready);
  }
  void commit(const switch_traffic& arriving) { core_.commit(leaving_, arriving); }
  bool idle() const { return core_.idle(); }

 private:
  golden_switch core_;
  switch_traffic leaving_;
};

/// N / 2 switches a stage; before each stage the perfect shuffle, a rotation of the line's bits to
/// the left, brings line l to input l' mod 2 of switch l' / 2 (FG 2; section 1 of the
/// specification). Switch is single_switch or golden_element.
template <class Switch>
class composed_network {
 public:
  explicit composed_network(const omega_network_config& config)
      : stages_(config.stages()), lines_(config.processing_elements) {
    for (unsigned stage = 0; stage < stages_; ++stage) {
      switches_.emplace_back();
      for (std::size_t i = 0; i < lines_ / 2; ++i) {
        switches_.back().emplace_back(config.switches, stages_ - 1 - stage);
      }
    }
  }

  std::uint8_t request_ready(std::size_t pe) const { return ready_of(0, pe); }
  bool reply_ready(std::size_t module) const {
    return switches_[stages_ - 1][module / 2].reply_ready();
  }

  /// One cycle. `memory_ready`: by module; `element_ready`: by element, which the omega_network
  /// takes to be ready at all times.
  network_departures cycle(const std::vector<std::uint8_t>& memory_ready,
                           const network_arrivals& arrivals) {
    return cycle(memory_ready, std::vector<std::uint8_t>(lines_, 1), arrivals);
  }
  network_departures cycle(const std::vector<std::uint8_t>& memory_ready,
                           const std::vector<std::uint8_t>& element_ready,
                           const network_arrivals& arrivals) {
    std::vector<std::vector<switch_traffic>> leaving(stages_);
    for (unsigned stage = 0; stage < stages_; ++stage) {
      for (std::size_t i = 0; i < lines_ / 2; ++i) {
        leaving[stage].push_back(depart(stage, i, memory_ready, element_ready));
      }
    }
    std::vector<std::vector<switch_traffic>> entering(stages_,
                                                      std::vector<switch_traffic>(lines_ / 2));
    for (std::size_t line = 0; line < lines_; ++line) {
      into_request(entering, 0, line) = arrivals.requests[line];
      entering[stages_ - 1][line / 2].replies[line % 2] = arrivals.replies[line];
    }
    const network_departures out = connect(leaving, entering);
    for (unsigned stage = 0; stage < stages_; ++stage) {
      for (std::size_t i = 0; i < lines_ / 2; ++i) switches_[stage][i].commit(entering[stage][i]);
    }
    return out;
  }

  bool idle() const {
    for (const auto& column : switches_) {
      for (const Switch& each : column) {
        if (!each.idle()) return false;
      }
    }
    return true;
  }

 private:
  std::size_t shuffled(std::size_t line) const {
    return ((line << 1) | (line >> (stages_ - 1))) & (lines_ - 1);
  }
  /// The line before a stage that the shuffle brings to this input.
  std::size_t unshuffled(std::size_t line) const {
    return (line >> 1) | ((line & 1) << (stages_ - 1));
  }
  std::uint8_t ready_of(unsigned stage, std::size_t line) const {
    const std::size_t to = shuffled(line);
    return switches_[stage][to / 2].request_ready(to % 2);
  }
  std::optional<packet>& into_request(std::vector<std::vector<switch_traffic>>& entering,
                                      unsigned stage, std::size_t line) const {
    const std::size_t to = shuffled(line);
    return entering[stage][to / 2].requests[to % 2];
  }

  switch_traffic depart(unsigned stage, std::size_t i,
                        const std::vector<std::uint8_t>& memory_ready,
                        const std::vector<std::uint8_t>& element_ready) {
    std::array<std::uint8_t, 2> next{};
    std::array<bool, 2> sink{};
    for (std::size_t port = 0; port < 2; ++port) {
      const std::size_t line = 2 * i + port;
      next[port] = stage + 1 == stages_ ? memory_ready[line] : ready_of(stage + 1, line);
      // Responses leave by the line before the stage.
      const std::size_t before = unshuffled(line);
      sink[port] =
          stage == 0 ? element_ready[before] != 0 : switches_[stage - 1][before / 2].reply_ready();
    }
    return switches_[stage][i].depart(next, sink);
  }

  network_departures connect(const std::vector<std::vector<switch_traffic>>& leaving,
                             std::vector<std::vector<switch_traffic>>& entering) const {
    network_departures out;
    for (unsigned stage = 0; stage < stages_; ++stage) {
      for (std::size_t line = 0; line < lines_; ++line) {
        const auto& request = leaving[stage][line / 2].requests[line % 2];
        if (request && stage + 1 == stages_) out.served.emplace_back(line, *request);
        if (request && stage + 1 < stages_) into_request(entering, stage + 1, line) = request;
      }
    }
    for (unsigned stage = 0; stage < stages_; ++stage) {
      for (std::size_t line = 0; line < lines_; ++line) {
        const std::size_t from = shuffled(line);  // replies leave by the input's line
        const auto& response = leaving[stage][from / 2].replies[from % 2];
        if (!response) continue;
        if (stage == 0) {
          out.delivered.emplace_back(line, *response);
        } else {
          entering[stage - 1][line / 2].replies[line % 2] = response;
        }
      }
    }
    return out;
  }

  unsigned stages_;
  std::size_t lines_;
  std::vector<std::vector<Switch>> switches_;
};

/// Who joined whom in an omega_network, as (second, first).
struct joining_observer {
  static constexpr bool enabled = true;
  std::vector<std::pair<request_id, request_id>> joined;

  void request(const event_kind& kind, std::int32_t, std::size_t, const packet& what,
               const request_id& other) {
    if (kind.joins) joined.emplace_back(what.id(), other);
  }
  void response(const event_kind&, std::int32_t, std::size_t, const reply&,
                const request_id&) const {}
  void reply_departed(std::int32_t, std::size_t, const reply&) const {}
};

/// The omega_network itself, stepped stage by stage, with the interface of composed_network.
class whole_network {
 public:
  explicit whole_network(const omega_network_config& config) : network_(config) {}

  std::uint8_t request_ready(std::size_t pe) const { return network_.request_ready()[pe]; }
  bool reply_ready(std::size_t module) const { return network_.reply_ready()[module] != 0; }

  network_departures cycle(const std::vector<std::uint8_t>& memory_ready,
                           const network_arrivals& arrivals) {
    network_departures out;
    observer_.joined.clear();
    network_.depart(memory_ready.data());
    network_.advance();
    network_.move_requests([&](std::size_t module,
                               const packet& request) { out.served.emplace_back(module, request); },
                           observer_);
    for (std::size_t pe = 0; pe < network_.lines(); ++pe) {
      if (arrivals.requests[pe]) network_.accept_request(pe, *arrivals.requests[pe], observer_);
    }
    network_.move_replies(
        [&](std::size_t pe, const reply& response) { out.delivered.emplace_back(pe, response); },
        observer_);
    for (std::size_t module = 0; module < network_.lines(); ++module) {
      if (arrivals.replies[module]) {
        network_.accept_reply(module, *arrivals.replies[module], observer_);
      }
    }
    network_.settle(observer_);
    return out;
  }

  bool idle() const { return network_.idle(); }
  const omega_network& network() const { return network_; }
  omega_network& network() { return network_; }
  /// Of the last cycle.
  const std::vector<std::pair<request_id, request_id>>& joined() const { return observer_.joined; }

 private:
  omega_network network_;
  joining_observer observer_;
};

}  // namespace tributary::testing
