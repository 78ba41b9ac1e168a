// SPDX-License-Identifier: Apache-2.0
// Delays of single messages: between network and node, and before handlers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <tributary/controller/fiber_protocol.h>
#include <tributary/controller/handler_context.h>
#include <tributary/magic/magic_machine.h>
#include <tributary/network/port.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/random_stream.h>

namespace tributary::testing {

/// Cycles that things are late: half of all draws are none, `very_late` of 32 draws are up to
/// `longest`, the others short.
class random_delays {
 public:
  random_delays(const random_stream& draws, std::uint32_t longest, std::uint32_t very_late = 1)
      : draws_(draws), longest_(longest), very_late_(very_late) {}

  cycle_t next() {
    if (longest_ == 0) return 0;
    const std::uint64_t kind = draws_.below(32);
    if (kind < 16) return 0;
    return draws_.below(kind >= 32 - very_late_ ? longest_ : longest_ / 16 + 1);
  }

 private:
  random_stream draws_;
  std::uint32_t longest_;
  std::uint32_t very_late_;
};

/// Stands between the network and a node. Holds each message back for a while of its own, and the
/// news of room for the next one. A message that waits has its place in the node, so that the
/// network feels it. Messages of one source and lane keep their order, as every network promises;
/// all others may overtake each other.
class late_arrivals final : public network_endpoint, private timed_block {
 public:
  late_arrivals(magic_machine& all, std::uint32_t node, const random_delays& delays)
      : node_(all.node(node)),
        delays_(delays),
        sources_(all.size()),
        last_(all.size() * message_lanes) {
    all.network().attach(node_id{node}, *this);
  }
  late_arrivals(const late_arrivals&) = delete;
  late_arrivals& operator=(const late_arrivals&) = delete;

  void room(std::uint8_t lane, cycle_t at) override {
    node_.endpoint().room(lane, at + delays_.next());
  }
  void arrive(const network_transfer& transfer, cycle_t head, cycle_t tail) override {
    cycle_t& last = last_[transfer.lane * sources_ + index(transfer.source)];
    last = std::max(last, head + delays_.next());
    if (last != head) ++late_;
    held_.insert({last, {transfer, last + (tail - head)}});
    node_.clockwork().wake(*this, last, 0, wake_rank::credit);
  }

  /// Messages that were held back.
  std::uint64_t late() const { return late_; }

 private:
  struct held {
    network_transfer transfer;
    cycle_t tail;
  };

  void wake(cycle_t now, std::uint64_t) override {
    const auto first = held_.begin();
    const held next = first->second;
    held_.erase(first);
    node_.endpoint().arrive(next.transfer, now, next.tail);
  }

  magic_node& node_;
  random_delays delays_;
  std::size_t sources_;
  std::vector<cycle_t> last_;  // by lane and source
  std::multimap<cycle_t, held> held_;
  std::uint64_t late_ = 0;
};

/// Told what a handler has done: its name, and what it saw.
using handler_watch = std::function<void(const std::string& name, handler_context& context)>;

/// A protocol whose handlers begin late: the queue that a message came from waits meanwhile, and
/// all other queues of the node. Each end of a handler is told to `ended`, if there is one.
template <class Protocol>
class late_handlers final : public Protocol {
 public:
  template <class... Arguments>
  late_handlers(const random_delays& delays, handler_watch ended, Arguments&&... arguments)
      : Protocol(std::forward<Arguments>(arguments)...),
        delays_(delays),
        ended_(std::move(ended)) {}

  std::vector<handler> handlers() override {
    std::vector<handler> all = Protocol::handlers();
    for (handler& each : all) {
      each.body = [this, name = each.name, body = std::move(each.body)](handler_context& context) {
        context.spend(delays_.next());
        body(context);
        if (ended_) ended_(name, context);
      };
    }
    return all;
  }

 private:
  random_delays delays_;
  handler_watch ended_;
};

}  // namespace tributary::testing
