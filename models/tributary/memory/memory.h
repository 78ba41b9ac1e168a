// SPDX-License-Identifier: Apache-2.0
// Memory modules with fetch-and-phi units, behind the network and next to their own element.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include <tributary/memory/fetch_op_unit.h>
#include <tributary/memory/packet.h>
#include <tributary/memory/word_store.h>
#include <tributary/sim/active_groups.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/for_each_set.h>
#include <tributary/sim/state.h>

namespace tributary {

class parameter_set;
class statistics_group;

/// Configuration of the memory modules; the defaults are FG 2's.
struct memory_config {
  /// A module accepts one request every so many cycles.
  std::uint32_t interval = 4;
  /// Cycles from accepting a request to offering its response.
  std::uint32_t latency = 2;
  /// Responses that a module holds until the network takes them; full, it accepts nothing.
  std::uint32_t pipeline = 16;

  void bind(parameter_set& parameters);
};

/// Memory modules side by side, `count` of them (cycle contract, rule 8).
///
/// A request accepted in cycle t occupies the module until t + interval; its response is offered
/// to the network from t + latency, in order, over a link that carries one message every
/// `link_cycles`. Each module also has a local port with a register for one request of its own
/// processing element. Arbitration: in a free cycle an arrival from the network is served, else
/// the register; after the network was served, a module whose register waits refuses the network
/// until the register was served, so each side waits for at most one service of the other.
/// A local response is delivered exactly `latency` cycles after its service.
class memory {
 public:
  /// Throws `configuration_error` for values out of range.
  memory(const memory_config& config, std::uint32_t link_cycles, std::size_t count);

  const memory_config& config() const { return config_; }
  std::size_t count() const { return count_; }

  /// By module: 1 if it takes a request from the network in this cycle.
  const std::uint8_t* request_ready() const { return request_ready_.data(); }
  /// By module: 1 if its local register is free.
  const std::uint8_t* local_ready() const { return local_ready_.data(); }

  // Threads share the modules by ranges: what concerns the network is there for a range too.

  /// Decides which responses leave. `reply_ready`: by module, 1 if the network takes one.
  void depart(const std::uint8_t* reply_ready) { depart(all(), reply_ready); }
  void depart(const port_range& modules, const std::uint8_t* reply_ready);

  /// Begins the state change of the cycle: timers count down.
  void advance() { advance(all()); }
  void advance(const port_range& modules);

  /// Serves a request from the network. Returns the old word.
  word_t serve(std::size_t module, const packet& request, cycle_t now) {
    ++served_;
    return serve_of_range(module, request, now);
  }
  /// The same, if the caller counts it and lets it be added by `take_served`.
  word_t serve_of_range(std::size_t module, const packet& request, cycle_t now);
  void take_served(std::uint64_t requests) { served_ += requests; }

  /// Takes a request into the local register. Precondition: `local_ready` at the cycle's start.
  void accept_local(std::size_t module, const packet& request);

  /// Serves local registers where the network did not come first; after all arrivals.
  /// `served(module, const packet&, old word)`.
  template <class Served>
  void serve_local(cycle_t now, Served&& served);

  /// Whether a module has no request or response inside, and is free.
  bool quiet(std::size_t module) const {
    return busy_[module] == 0 && sizes_[module] == 0 && local_ready_[module] != 0;
  }
  /// Accounts at the end of cycle `now` for loads that a quiet module has served for its own
  /// element, each before the next came: so many, the last of them `last`, in cycle `when`. The
  /// response of that one is still to come if it is not due yet.
  void add_local_loads(std::size_t module, const packet& last, std::uint64_t served, cycle_t when,
                       cycle_t now);

  /// Hands the responses that `depart` granted to `send(module, const reply&)`, ascending.
  template <class Send>
  void release_replies(cycle_t now, Send&& send) {
    release_replies(all(), now, send);
  }
  template <class Send>
  void release_replies(const port_range& modules, cycle_t now, Send&& send);

  /// Hands the local responses that are due to `deliver(module, const reply&)`.
  template <class Deliver>
  void release_local_replies(cycle_t now, Deliver&& deliver);

  /// Ends the cycle: computes what others see at the start of the next.
  void settle() { settle(all()); }
  void settle(const port_range& modules);

  const word_store& words() const { return words_; }
  word_store& words() { return words_; }

  /// Whether no request or response is inside.
  bool idle() const;

  void reset_statistics();
  void report(statistics_group& group) const;

  /// Equal state, as seen by what happens from here on.
  friend bool operator==(const memory& x, const memory& y);

  template <class Archive>
  void serialize(Archive& archive) {
    archive(words_, busy_, head_wait_, link_timer_, heads_, sizes_, responses_, registers_,
            local_ready_, local_turn_, local_waiting_, local_replies_, request_ready_, free_,
            served_, served_locally_);
    active_.set_all();
  }

 private:
  struct response {
    reply content;
    cycle_t due = 0;

    TRIBUTARY_STATE(content, due);
  };
  struct local_response {
    std::uint32_t module = 0;
    response answer;

    TRIBUTARY_STATE(module, answer);
  };
  static constexpr std::uint16_t nothing_waits = 0xffff;

  port_range all() const { return {0, count_}; }
  word_t perform(std::size_t module, const packet& request);
  /// Of the modules of a group; whether anything is going on there.
  bool settle(std::size_t first, std::size_t last);
  /// Cycles after the next one until the oldest response is offered, or `nothing_waits`.
  std::uint16_t wait_of_oldest(std::size_t module, cycle_t now) const {
    if (sizes_[module] == 0) return nothing_waits;
    const cycle_t due = oldest(module).due;
    return due > now + 1 ? static_cast<std::uint16_t>(due - now - 1) : std::uint16_t{0};
  }
  const response& oldest(std::size_t module) const {
    return responses_[module * config_.pipeline + heads_[module]];
  }

  memory_config config_;
  std::uint32_t link_cycles_;
  std::size_t count_;
  word_store words_;
  std::vector<std::uint16_t> busy_;       // cycles until the module is free
  std::vector<std::uint16_t> head_wait_;  // cycles until the oldest response is offered
  std::vector<std::uint8_t> link_timer_;  // cycles until the response link is free
  std::vector<std::uint16_t> heads_;      // ring of responses, per module
  std::vector<std::uint16_t> sizes_;
  std::vector<response> responses_;
  std::vector<packet> registers_;  // local ports
  std::vector<std::uint8_t> local_ready_;
  std::vector<std::uint8_t> local_turn_;      // the network was served last
  std::size_t local_waiting_ = 0;             // registers that are not free
  std::deque<local_response> local_replies_;  // ascending by due, for the latency is constant
  std::vector<std::uint8_t> request_ready_;
  std::vector<std::uint8_t> free_;  // at the start of the cycle, until something is served
  std::vector<std::uint8_t> leaving_;
  active_groups active_;  // elsewhere modules are free, and empty
  std::uint64_t served_ = 0;
  std::uint64_t served_locally_ = 0;
};

template <class Served>
void memory::serve_local(cycle_t now, Served&& served) {
  if (local_waiting_ == 0) return;
  active_.for_each([&](std::size_t first, std::size_t last) {
    for (std::size_t module = first; module < last; ++module) {
      if (local_ready_[module] != 0 || free_[module] == 0) continue;
      const packet& request = registers_[module];
      const word_t old = perform(module, request);
      local_replies_.push_back({static_cast<std::uint32_t>(module),
                                {{old, request.sequence, request.pe}, now + config_.latency}});
      local_ready_[module] = 1;
      local_turn_[module] = 0;
      --local_waiting_;
      ++served_locally_;
      served(module, request, old);
    }
  });
}

template <class Send>
void memory::release_replies(const port_range& modules, cycle_t now, Send&& send) {
  for_each_set(leaving_.data(), modules, &active_, 1, [&](std::size_t module) {
    const reply leaving = oldest(module).content;
    --sizes_[module];
    // An empty ring starts again at its first entry, which stays in the cache.
    heads_[module] = sizes_[module] == 0 || heads_[module] + 1U == config_.pipeline
                         ? std::uint16_t{0}
                         : static_cast<std::uint16_t>(heads_[module] + 1);
    link_timer_[module] = static_cast<std::uint8_t>(link_cycles_ - 1);
    head_wait_[module] = wait_of_oldest(module, now);
    send(module, leaving);
  });
}

template <class Deliver>
void memory::release_local_replies(cycle_t now, Deliver&& deliver) {
  while (!local_replies_.empty() && local_replies_.front().answer.due <= now) {
    const local_response front = local_replies_.front();
    local_replies_.pop_front();
    deliver(front.module, front.answer.content);
  }
}

}  // namespace tributary
