// SPDX-License-Identifier: Apache-2.0
// A second model of one 2x2 combining switch, written from the rules alone and slow on purpose.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include <tributary/network/omega/switch_column.h>
#include <tributary/network/omega/switch_implementation.h>

#include "golden_systolic_queue.h"

namespace tributary::testing {

/// One switch by rules 1 to 7, 12 and 13 of the cycle contract, with double
/// ended queues and copies. It shares with the models only the operations and their composition.
class golden_switch {
 public:
  golden_switch(const combining_switch_config& config, unsigned route_bit);

  /// Rule 1: bit o says that the queue for output o takes a request from this input.
  std::uint8_t request_ready(unsigned input) const;
  /// Rule 7: whether a response has room, at either memory-side port.
  bool reply_ready() const;

  /// Rules 4 and 6. `next_request_ready`: by memory-side port, bit o' for output o' behind it;
  /// `next_reply_ready`: by input.
  switch_traffic depart(const std::array<std::uint8_t, 2>& next_request_ready,
                        const std::array<bool, 2>& next_reply_ready) const;

  /// Match, remove, insert. `leaving` is what `depart` said.
  void commit(const switch_traffic& leaving, const switch_traffic& arriving);

  bool idle() const;

 private:
  struct entry {
    packet request;
    std::optional<partner> second;
    std::array<bool, 2> sealed{false, false};
  };
  struct output {
    std::array<std::deque<entry>, 2> queues;     // type A uses the first
    std::vector<golden_systolic_queue> columns;  // systolic only: what decides `queues`
    std::vector<partner> waiting;
    std::array<unsigned, 2> rates{0, 0};  // gradual only: 256ths that joined
    unsigned first_choice = 0;
    unsigned link_busy = 0;

    bool full(std::uint32_t entries) const { return waiting.size() >= entries; }
  };

  unsigned queue_for(unsigned input) const { return config_.type == queue_type::a ? 0 : input; }
  unsigned route(std::uint64_t number) const { return (number >> route_bit_) & 1U; }
  bool queue_ready(unsigned at, unsigned which) const;
  /// Rule 12: combined requests that fill the queue.
  std::size_t limit(const output& port, unsigned which) const;
  bool can_leave(const output& port, unsigned which, std::uint8_t next_ready) const;
  std::optional<unsigned> grant(const output& port, std::uint8_t next_ready) const;
  /// Rule 2 and 3: who of the entries at the start takes the arrival.
  std::optional<std::size_t> match(const std::deque<entry>& queue, const packet& arrival,
                                   unsigned input, bool head_leaves, bool buffer_full) const;
  void arrive(output& port, std::array<std::vector<entry>, 2>& inserts, const packet& arrival,
              unsigned input, const std::array<bool, 2>& head_leaves, bool buffer_full);
  void step_columns(unsigned at, const std::array<bool, 2>& head_leaves, bool buffer_full,
                    const switch_traffic& arriving);
  void commit_requests(unsigned at, const switch_traffic& leaving, const switch_traffic& arriving);
  void take_reply(unsigned at, const reply& arrival);
  /// Rule 13: what the registers hold for a queue, and for a reverse queue.
  std::size_t coming(unsigned at, unsigned which) const;
  std::size_t coming_back(unsigned input) const;

  combining_switch_config config_;
  unsigned route_bit_;
  std::array<output, 2> outputs_;
  switch_traffic registered_;  // rule 13: what arrived in the cycle before
  std::array<std::deque<reply>, 2> reverse_;
  std::array<unsigned, 2> reverse_link_busy_{0, 0};
};

}  // namespace tributary::testing
