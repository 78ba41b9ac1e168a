// SPDX-License-Identifier: Apache-2.0
// The network interface of a processing element's port: requests in, responses out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <tributary/memory/address_map.h>
#include <tributary/memory/packet.h>
#include <tributary/memory/port.h>
#include <tributary/nic/latency_classes.h>
#include <tributary/sim/active_groups.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/fifo.h>
#include <tributary/sim/fixed_size.h>
#include <tributary/sim/for_each_set.h>
#include <tributary/sim/observer.h>
#include <tributary/sim/state.h>
#include <tributary/sim/statistics.h>
#include <tributary/sim/zeroed_vector.h>

namespace tributary {

/// Which requests of one element may be in the network together (cycle contract, rule 3).
enum class issue_policy : std::uint8_t {
  unordered,     ///< any; with match order `oldest` two to one word may be served in either order
  one_per_word,  ///< at most one per word, which keeps program order per word
  automatic      ///< one_per_word for requests with a program order, unordered for others
};

/// Configuration of the network interfaces.
struct network_interface_config {
  /// Requests of one element in the network at a time; each has a response slot reserved, so
  /// responses always sink (cycle contract, rule 11).
  std::uint32_t outstanding = 1;
  issue_policy policy = issue_policy::automatic;

  void bind(parameter_set& parameters);
  /// The same with `automatic` resolved. `program_order`: whether the requests have one, as those
  /// of programs and sockets; generated traffic has none (cycle contract, rule 3).
  network_interface_config resolved(bool program_order) const;
};

/// Request fields that the reply does not carry.
struct asked_request {
  std::uint64_t address = 0;  ///< byte address of the word
  form function = form::identity;
};

/// The end of an access, and what the network knows of it.
struct memory_response : completion {
  request_id id;
  cycle_t accepted = 0;  ///< cycle in which the first switch (or the local port) took the request
};

/// Network interfaces side by side, one per processing element.
///
/// Requests wait in first-in-first-out order until the first switch takes them: a request that is
/// refused stays at the head. Latency counts from that cycle to the one of delivery (cycle
/// contract, rule 9). As a memory port they take any number of accesses; their owner hands
/// the responses on, a cycle's at once.
class network_interface final : public memory_port {
 public:
  /// `map` must outlive the interfaces. `route_bit`: the bit of a module's number that selects the
  /// output of the first switch. Throws `configuration_error` for values out of range.
  network_interface(const network_interface_config& config, const address_map& map,
                    unsigned route_bit, std::uint32_t link_cycles, std::size_t count);

  const network_interface_config& config() const { return config_; }
  std::size_t count() const { return waiting_.size(); }

  void check(std::size_t pe, const access& request) const override {
    region_of(*map_, pe, request.address);
  }
  bool can_take(std::size_t) const override { return true; }
  /// Queues a request from cycle `now` on. Throws `simulation_error` for an address outside every
  /// region or not a multiple of 8.
  void offer(std::size_t pe, const access& request, cycle_t now) override;
  /// The region of a word that an element asks for. Throws as `offer` does.
  static const address_region& region_of(const address_map& map, std::size_t pe,
                                         std::uint64_t address);

  /// Requests for that module, of any element, that were offered and not answered.
  std::uint32_t bound_for(std::size_t module) const { return bound_for_[module]; }
  /// Whether offers for that module are noted in `watched_offers`, a module at a time.
  void watch(std::size_t module, bool watching) { watched_[module] = watching ? 1 : 0; }
  const std::vector<std::uint32_t>& watched_offers() const { return watched_offers_; }
  void clear_watched_offers() { watched_offers_.clear(); }

  /// Loads of one word that an element has made at its local port, one after the other, with no
  /// other request before or during them.
  struct local_loads {
    std::uint64_t accepted = 0;   ///< at least one, each in the cycle in which it was offered
    std::uint64_t delivered = 0;  ///< all, or all but the last
    cycle_t last = 0;             ///< cycle in which the last was accepted
    std::uint64_t latency = 0;
  };
  /// Accounts for them. Returns the last one.
  packet add_local_loads(std::size_t pe, const access& load, const local_loads& loads);

  /// Told of every request that is offered.
  observer_list<offered_request>& offers() { return offers_; }

  /// Requests offered and not yet in the network, and requests in it.
  std::size_t waiting(std::size_t pe) const override { return waiting_[pe].size(); }
  std::size_t outstanding(std::size_t pe) const override { return outstanding_[pe]; }

  // Threads share the interfaces by ranges of elements: each piece is there for a range too, and
  // counts into what `take` or `count` then adds, on one thread.

  /// Decides whose head leaves. `request_ready`: by element, bit o for output o of its switch;
  /// `local_ready`: by element, 1 if the local port of its module has room.
  void depart(const std::uint8_t* request_ready, const std::uint8_t* local_ready) {
    depart(all(), request_ready, local_ready);
  }
  void depart(const port_range& elements, const std::uint8_t* request_ready,
              const std::uint8_t* local_ready);

  /// Begins the state change of the cycle.
  void advance() { advance(all()); }
  void advance(const port_range& elements);

  /// Hands what `depart` granted to `send(pe, const packet&)` or `send_local(pe, const packet&)`.
  template <class Send, class SendLocal>
  void release_requests(cycle_t now, Send&& send, SendLocal&& send_local) {
    request_counts counted;
    release_requests(all(), now, counted, send, send_local);
    take(counted);
  }
  /// Requests of a range: how many were offered, how many released, and how many cycles these had
  /// waited.
  struct request_counts {
    std::uint64_t offered = 0;
    std::uint64_t released = 0;
    average waited;
  };
  /// As `offer`, from the thread that has the element. No observer and no watch is told.
  void offer_of_range(std::size_t pe, const access& request, cycle_t now, request_counts& counted);
  template <class Send, class SendLocal>
  void release_requests(const port_range& elements, cycle_t now, request_counts& counted,
                        Send&& send, SendLocal&& send_local);
  /// Counts them, and forgets them there.
  void take(request_counts& counted);

  /// Takes a response. Throws `simulation_error` if it answers nothing outstanding.
  memory_response deliver(std::size_t pe, const reply& response, cycle_t now) {
    return count(answer(pe, response, now));
  }
  /// A response, and what is counted of it.
  struct answered {
    memory_response response;
    mm_id module{};
    cycle_t latency = 0;
    form kind = form::identity;
    heat warmth = heat::unknown;
  };
  answered answer(std::size_t pe, const reply& response, cycle_t now);
  memory_response count(const answered& request);
  /// The same from the thread that has the element, whose latencies `take` then adds.
  void count_of_range(const answered& request, latency_classes& latencies) {
    __atomic_fetch_sub(&bound_for_[index(request.module)], 1, __ATOMIC_RELAXED);
    latencies.add(request.warmth, request.kind, request.latency);
  }
  /// So many requests were counted there.
  void take_answered(std::uint64_t requests) { total_outstanding_ -= requests; }
  /// Their latencies, at any time before somebody looks.
  void take(latency_classes& latencies) {
    latency_classes_ += latencies;
    latencies.reset();
  }

  /// Cycle in which the first switch took an outstanding request.
  cycle_t accepted_cycle(const request_id& id) const {
    return records_[place(id.pe, find(id.pe, id.sequence))].accepted;
  }
  /// What an element asked for by the request of that identity; nothing if it is not outstanding.
  std::optional<asked_request> find_request(const request_id& id) const;

  /// Whether nothing waits and nothing is outstanding.
  bool idle() const;
  std::uint64_t total_outstanding() const { return total_outstanding_; }
  std::uint64_t total_waiting() const { return total_waiting_; }

  const counter& accepted() const { return accepted_; }
  /// Adds `accepted_load`, of so many cycles measured.
  void report_load(statistics_group& group, std::uint64_t cycles) const;
  average latency() const { return latency_classes_.latency(); }
  histogram latency_distribution() const { return latency_classes_.distribution(); }
  void reset_statistics();
  void report(statistics_group& group) const;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(fixed_size(waiting_), fixed_size(records_), fixed_size(outstanding_),
            fixed_size(next_sequence_), fixed_size(wants_), fixed_size(link_timer_),
            fixed_size(bound_for_), total_outstanding_, total_waiting_, latency_classes_,
            offered_wait_, accepted_);
    for (const std::uint32_t each : outstanding_) require_within(each <= config_.outstanding);
    active_.set_all();
  }

 private:
  static constexpr std::uint8_t to_output_0 = 1;
  static constexpr std::uint8_t to_output_1 = 2;
  static constexpr std::uint8_t to_local = 4;

  struct queued {
    packet request;  // without sequence number
    std::uint64_t tag = 0;
    cycle_t offered = 0;
    std::uint8_t wants = 0;
    heat warmth = heat::unknown;

    TRIBUTARY_STATE(request, tag, offered, wants, warmth);
  };
  struct record {
    std::uint64_t location = 0;
    std::uint64_t tag = 0;
    cycle_t accepted = 0;
    std::uint32_t sequence = 0;
    form kind = form::identity;
    heat warmth = heat::unknown;

    TRIBUTARY_STATE(location, tag, accepted, sequence, kind, warmth);
  };

  /// Where an element's i-th record is.
  std::size_t place(std::size_t pe, std::size_t i) const {
    return ((i >> chunk_bits_) * count() + pe) << chunk_bits_ | (i & ((1U << chunk_bits_) - 1));
  }
  /// The place of the next one, which is the i-th.
  std::size_t next_place(std::size_t place, std::size_t i) const {
    const bool same_chunk = (i & ((1U << chunk_bits_) - 1)) != 0;
    return place + 1 + (same_chunk ? 0 : (count() - 1) << chunk_bits_);
  }
  /// Which of an element's records has the sequence number; `outstanding(pe)` if none has.
  std::size_t which(std::size_t pe, std::uint32_t sequence) const;
  /// The same. Throws if none has.
  std::size_t find(std::size_t pe, std::uint32_t sequence) const;
  static record record_of(const packet& request, std::uint64_t tag, heat warmth, cycle_t accepted) {
    return {request.location, tag, accepted, request.sequence, request.kind, warmth};
  }
  void enqueue(std::size_t pe, const access& request, const address_region& region, mm_id module,
               cycle_t now);
  packet packet_of(std::size_t pe, const access& request, const address_region& region,
                   mm_id module) const;
  void refresh(std::size_t pe);
  packet accept_head(std::size_t pe, cycle_t now, request_counts& counted);
  port_range all() const { return {0, count()}; }

  network_interface_config config_;
  const address_map* map_;
  unsigned route_bit_;
  std::uint32_t link_cycles_;
  std::vector<fifo<queued>> waiting_;
  // Of each element, in order of issue. Chunk by chunk over all elements: most have few.
  unsigned chunk_bits_;
  zeroed_vector<record> records_;
  std::vector<std::uint32_t> outstanding_;
  std::vector<std::uint32_t> next_sequence_;
  std::vector<std::uint8_t> wants_;  // where the head may go; 0 if it may not
  std::vector<std::uint8_t> link_timer_;
  std::vector<std::uint8_t> leaving_;
  active_groups active_;                  // elsewhere no head wants to leave and no timer runs
  std::vector<std::uint32_t> bound_for_;  // by module
  std::vector<std::uint8_t> watched_;     // by module
  std::vector<std::uint32_t> watched_offers_;
  std::uint64_t total_outstanding_ = 0;
  std::uint64_t total_waiting_ = 0;
  observer_list<offered_request> offers_;
  latency_classes latency_classes_;
  average offered_wait_;
  counter accepted_;
};

/// The port of the elements of a range, for the thread that has it.
class range_of_interfaces final : public memory_port {
 public:
  /// Counts into `counted`, of which `network_interface::take` is to be told. Both must outlive it.
  range_of_interfaces(network_interface& all, network_interface::request_counts& counted)
      : all_(all), counted_(counted) {}

  void check(std::size_t pe, const access& request) const override { all_.check(pe, request); }
  bool can_take(std::size_t pe) const override { return all_.can_take(pe); }
  void offer(std::size_t pe, const access& request, cycle_t now) override {
    all_.offer_of_range(pe, request, now, counted_);
  }
  std::size_t waiting(std::size_t pe) const override { return all_.waiting(pe); }
  std::size_t outstanding(std::size_t pe) const override { return all_.outstanding(pe); }

 private:
  network_interface& all_;
  network_interface::request_counts& counted_;
};

template <class Send, class SendLocal>
void network_interface::release_requests(const port_range& elements, cycle_t now,
                                         request_counts& counted, Send&& send,
                                         SendLocal&& send_local) {
  constexpr std::uint8_t anywhere = to_output_0 | to_output_1 | to_local;
  for_each_set(leaving_.data(), elements, &active_, anywhere, [&](std::size_t pe) {
    const bool local = leaving_[pe] == to_local;
    const packet request = accept_head(pe, now, counted);
    if (local) {
      send_local(pe, request);
    } else {
      link_timer_[pe] = static_cast<std::uint8_t>(link_cycles_ - 1);
      active_.set(pe);
      send(pe, request);
    }
  });
}

}  // namespace tributary
