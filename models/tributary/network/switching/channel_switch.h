// SPDX-License-Identifier: Apache-2.0
// One input-queued switch whose links have virtual channels and credits, a cycle at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <tributary/network/message_network.h>
#include <tributary/network/switching/channel_flit.h>
#include <tributary/network/switching/channel_plan.h>
#include <tributary/network/switching/switch_routes.h>
#include <tributary/sim/random_stream.h>
#include <tributary/sim/state.h>
#include <tributary/sim/statistics.h>

namespace tributary {

class parameter_set;

/// When a head may go on.
enum class flit_switching : std::uint8_t {
  wormhole,    ///< as soon as it has a channel: a flit goes if there is room for a flit
  cut_through  ///< once there is room for the whole packet
};

/// How many flits of an input port may cross the switch in one cycle.
enum class crossbar_inputs : std::uint8_t {
  per_port,    ///< one
  per_channel  ///< one of each virtual channel
};

/// Which of several ways on that a table has, where it is no adaptive table.
enum class route_choice : std::uint8_t {
  free,  ///< any whose channel is free, in turn
  drawn  ///< one for each head that comes, each with equal chance (oblivious routing)
};

/// What a switch does with a packet for which its table has no way on.
enum class lost_route : std::uint8_t {
  error,   ///< refuses: the table is wrong
  discard  ///< discards it, and counts
};

/// What all switches of a network have in common. A cycle is the time of a flit on a link.
struct channel_switch_config {
  std::uint32_t channels = 2;      ///< virtual channels of each link, 1 to 16
  std::uint32_t buffer_flits = 8;  ///< behind each virtual channel
  flit_switching switching = flit_switching::wormhole;
  crossbar_inputs inputs = crossbar_inputs::per_port;
  route_choice choice = route_choice::free;
  lost_route without_route = lost_route::error;
  arbiter_kind arbiter = arbiter_kind::round_robin;
  std::uint32_t routing_cycles = 0;             ///< of a head; 0: the switch before computed it
  std::uint32_t channel_allocation_cycles = 1;  ///< of a head, 1 or more
  std::uint32_t switch_allocation_cycles = 1;   ///< of each flit, 1 or more
  std::uint32_t traversal_cycles = 1;           ///< through the crossbar
  std::uint32_t link_cycles = 1;                ///< between switches
  std::uint32_t host_link_cycles = 1;           ///< between a host and its switch
  std::uint32_t credit_cycles = 1;              ///< of a credit, in addition to the link
  /// Hops that bring a packet no nearer before it stays on the escape channels.
  std::uint32_t misroute_limit = 8;
  std::uint64_t seed = 1;  ///< of `route_choice::drawn`

  void bind(parameter_set& parameters);
  /// Throws `configuration_error` for values out of range. `longest` is that of packets, in flits.
  void validate(std::uint32_t longest) const;
  /// From a flit's grant in a switch to its arrival in the next, over a link of so many cycles.
  std::uint32_t flit_delay(std::uint32_t link) const {
    return switch_allocation_cycles - 1 + traversal_cycles + link;
  }
  /// From a flit's grant to its place's use by the switch before.
  std::uint32_t credit_delay(std::uint32_t link) const {
    return switch_allocation_cycles - 1 + link + credit_cycles;
  }
  /// From a head's arrival to its grant if it is alone.
  std::uint32_t head_cycles() const { return routing_cycles + channel_allocation_cycles; }
};

/// What leaves a switch in a cycle.
struct channel_switch_output {
  /// A flit by a port, with its channel there.
  struct leaving_flit {
    std::uint8_t port = 0;
    channel_flit flit;
  };
  /// A place that is free again, behind a virtual channel of an input port.
  struct free_place {
    std::uint8_t port = 0;
    std::uint8_t channel = 0;
  };

  std::vector<leaving_flit> flits;
  std::vector<free_place> credits;
  std::vector<channel_flit> discarded;  ///< tails of packets without a route

  void clear() {
    flits.clear();
    credits.clear();
    discarded.clear();
  }
};

/// What a switch counts.
struct channel_switch_counts {
  counter heads;      ///< that were given a channel
  counter waited;     ///< cycles that heads asked in vain for a channel
  counter stalled;    ///< cycles that channels with flits had no credit
  counter adaptive;   ///< hops to other switches by adaptive channels
  counter escapes;    ///< the same by escape channels, of an adaptive table
  counter misroutes;  ///< of these, those that brought a packet no nearer
  counter discards;   ///< packets

  void reset() { reset_all(heads, waited, stalled, adaptive, escapes, misroutes, discards); }
  channel_switch_counts& operator+=(const channel_switch_counts& other);

  TRIBUTARY_STATE(heads, waited, stalled, adaptive, escapes, misroutes, discards);
};

/// Arrays in which a switch computes a cycle; a network has one for all. Nothing in it lasts.
class channel_switch_scratch {
 public:
  channel_switch_scratch(std::uint32_t ports, std::uint32_t channels)
      : asks_channel_(std::size_t{ports} * 2 * channels, none), asks_port_(ports, none) {}

 private:
  friend class channel_switch;
  static constexpr std::uint32_t none = 0xffffffff;
  struct way {
    std::uint8_t port = 0;
    channel_plan::mask_t channels = 0;
  };

  std::vector<std::uint32_t> asks_channel_;  ///< by output channel: the input channel that is first
  std::vector<std::uint32_t> asks_port_;     ///< by output port: the same
  std::vector<std::uint32_t> channels_asked_;
  std::vector<std::uint32_t> ports_asked_;
  std::vector<way> ways_;
};

/// A switch: a buffer behind each virtual channel of each input port, a credit for each place in
/// the buffers behind its output ports. It sees flits and credits that come, and says which leave;
/// it knows neither neighbours nor cycles. A value: it can be copied, compared and stored.
///
/// A cycle: flits and credits come; heads at the front of a buffer ask for an output channel;
/// flits that have one ask for the crossbar; what is granted leaves. Both allocators are separable
/// and decide at the inputs first (as BookSim's `separable_input_first` with one iteration).
class channel_switch {
 public:
  /// Without ports, to be replaced.
  channel_switch() = default;
  /// Without flits, with all credits. `hosts` says which ports are those of hosts: a lane of a host
  /// has room for as many packets as `add_places` gives. `number` is that of the switch.
  channel_switch(const channel_switch_config& config, const channel_plan& plan,
                 const std::vector<bool>& hosts, std::uint32_t lanes, std::uint32_t number);

  /// Whether a cycle would change anything if nothing comes.
  bool active() const { return packets_ != 0 || held_ports_ != 0; }

  /// A flit comes by a port and the channel that it says. Throws `simulation_error` if there is no
  /// room.
  void accept(std::uint32_t port, const channel_flit& flit, channel_switch_output& out);
  /// A place is free behind an output channel.
  void add_credit(std::uint32_t port, std::uint32_t channel) {
    ++outputs_[index_of(port, channel)].credits;
  }
  /// Room for so many more packets of a lane at the host of a port.
  void add_places(std::uint32_t port, std::uint32_t lane, std::uint32_t packets) {
    places_[port * lanes_ + lane] += packets;
  }
  /// Takes one of them for a packet that has left the switch; false if there is none.
  bool take_place(std::uint32_t port, std::uint32_t lane) {
    std::uint32_t& room = places_[port * lanes_ + lane];
    if (room == 0) return false;
    --room;
    return true;
  }
  /// For so many cycles no flit leaves by that port, since control messages do; how many cycles
  /// they wait for such messages before them.
  std::uint32_t hold(std::uint32_t port, std::uint32_t cycles);

  /// One cycle.
  void step(const channel_switch_config& config, const channel_plan& plan,
            const switch_routes& routes, std::uint32_t here, channel_switch_scratch& scratch,
            channel_switch_output& out);

  /// All flits leave without going anywhere; what had an output channel has none. Credits stay.
  /// `flits` gets those that were here.
  void clear(std::vector<channel_flit>& flits, channel_switch_output& out);
  /// The packet that has an output channel ends where it is: no flit of it is to come. Its last
  /// flit in the buffer becomes its tail; if there is none, the channel is given back, and false is
  /// returned.
  bool truncate(std::uint32_t port, std::uint32_t channel, std::uint32_t packet);
  /// The packet whose head waits there is discarded, with what of it is still to come.
  void discard_waiting(std::uint32_t port, std::uint32_t channel, channel_switch_output& out) {
    discard_front(index_of(port, channel), out);
  }
  /// No more flits come of the packet that is being discarded.
  void end_discarding(std::uint32_t port, std::uint32_t channel) {
    inputs_[index_of(port, channel)].use = input_use::idle;
  }

  // What is in it, for statistics and for who looks for a deadlock.
  /// What a packet at the front of an input channel does.
  enum class input_use : std::uint8_t {
    idle,       ///< there is none
    waiting,    ///< its head asks for a channel
    active,     ///< it has one
    discarding  ///< its flits are discarded
  };
  input_use use_of(std::uint32_t port, std::uint32_t channel) const {
    return inputs_[index_of(port, channel)].use;
  }
  /// Flits in a buffer.
  std::uint32_t flits_in(std::uint32_t port, std::uint32_t channel) const {
    return inputs_[index_of(port, channel)].count;
  }
  /// The i-th flit in a buffer, below `flits_in`.
  const channel_flit& flit_in(std::uint32_t port, std::uint32_t channel, std::uint32_t i) const {
    return flits_[place_of(index_of(port, channel), i)];
  }
  /// The packet that is active there.
  std::uint32_t packet_at(std::uint32_t port, std::uint32_t channel) const {
    return inputs_[index_of(port, channel)].packet;
  }
  /// Where it goes.
  route_hop output_of(std::uint32_t port, std::uint32_t channel) const {
    const input_channel& in = inputs_[index_of(port, channel)];
    return {in.out_port, in.out_channel};
  }
  std::uint32_t credits(std::uint32_t port, std::uint32_t channel) const {
    return outputs_[index_of(port, channel)].credits;
  }
  std::uint32_t places(std::uint32_t port, std::uint32_t lane) const {
    return places_[port * lanes_ + lane];
  }
  /// The input port and channel that hold an output channel, which must be held (`is_held`).
  route_hop holder(std::uint32_t port, std::uint32_t channel) const {
    const std::uint32_t input = outputs_[index_of(port, channel)].holder;
    return {static_cast<std::uint8_t>(port_of(input)),
            static_cast<std::uint8_t>(channel_of(input))};
  }
  bool is_held(std::uint32_t port, std::uint32_t channel) const {
    return (ports_[port].held >> channel & 1U) != 0;
  }
  /// The ways on of a waiting head, by output port and set of channels, held or not.
  std::vector<std::pair<std::uint8_t, channel_plan::mask_t>> ways_of_head(
      const channel_switch_config& config, const channel_plan& plan, const switch_routes& routes,
      std::uint32_t here, std::uint32_t port, std::uint32_t channel) const;

  const channel_switch_counts& counts() const { return counts_; }
  /// Flits that left by a virtual channel of a port.
  std::uint64_t flits_by(std::uint32_t port, std::uint32_t channel) const {
    return sent_[index_of(port, channel)];
  }
  void reset_statistics();

  TRIBUTARY_STATE(inputs_, flits_, outputs_, ports_, places_, holds_, sent_, draws_, counts_,
                  packets_, held_ports_);

 private:
  struct input_channel {
    input_use use = input_use::idle;
    std::uint8_t out_port = 0;
    std::uint8_t out_channel = 0;
    std::uint8_t drawn = 0;   ///< one plus the way on that was drawn for the head
    std::uint32_t timer = 0;  ///< cycles until the head may ask
    std::uint32_t first = 0;  ///< place of the oldest flit
    std::uint32_t count = 0;
    std::uint32_t turn = 0;    ///< the output channel that is first if it is asked for
    std::uint32_t packet = 0;  ///< that has the output channel

    TRIBUTARY_STATE(use, out_port, out_channel, drawn, timer, first, count, turn, packet);
  };
  struct output_channel {
    std::uint32_t credits = 0;
    std::uint32_t holder = 0;  ///< input channel
    std::uint32_t turn = 0;    ///< the input channel that is first if it asks

    TRIBUTARY_STATE(credits, holder, turn);
  };
  struct port_state {
    channel_plan::mask_t waiting = 0;  ///< input channels whose head asks
    channel_plan::mask_t active = 0;   ///< input channels with an output channel and a flit
    channel_plan::mask_t held = 0;     ///< output channels
    std::uint32_t out_turn = 0;        ///< the output port that is first for this input
    std::uint32_t in_turn = 0;         ///< the input that is first for this output
    std::uint32_t channel_turn = 0;    ///< the channel that is first for this input

    TRIBUTARY_STATE(waiting, active, held, out_turn, in_turn, channel_turn);
  };

  /// Of an input or output channel. A port has a power of two of them, not all of them used.
  std::uint32_t index_of(std::uint32_t port, std::uint32_t channel) const {
    return port << bits_ | channel;
  }
  std::uint32_t port_of(std::uint32_t channel_index) const { return channel_index >> bits_; }
  std::uint32_t channel_of(std::uint32_t channel_index) const {
    return channel_index & ((1U << bits_) - 1);
  }
  std::size_t place_of(std::uint32_t input, std::uint32_t i) const {
    std::uint32_t place = inputs_[input].first + i;
    if (place >= buffer_) place -= buffer_;
    return std::size_t{input} * buffer_ + place;
  }
  const channel_flit& front(std::uint32_t input) const {
    return flits_[std::size_t{input} * buffer_ + inputs_[input].first];
  }
  bool is_host(std::uint32_t port) const { return hosts_[port] != 0; }

  void begin_head(std::uint32_t input);
  void pop(std::uint32_t input, channel_switch_output& out);
  void discard_front(std::uint32_t input, channel_switch_output& out);
  std::uint32_t allocate_channels(const channel_switch_config& config, const channel_plan& plan,
                                  const switch_routes& routes, std::uint32_t here,
                                  channel_switch_scratch& scratch, channel_switch_output& out);
  bool ask_for_channel(const channel_switch_config& config, const channel_plan& plan,
                       const switch_routes& routes, std::uint32_t here, std::uint32_t input,
                       channel_switch_scratch& scratch);
  void find_ways(const channel_switch_config& config, const channel_plan& plan,
                 const switch_routes& routes, std::uint32_t here, std::uint32_t input,
                 std::uint32_t drawn, std::vector<channel_switch_scratch::way>& ways) const;
  void find_escape(const channel_plan& plan, const switch_routes& routes, std::uint32_t input,
                   std::vector<channel_switch_scratch::way>& ways) const;
  channel_plan::mask_t free_channels(const channel_switch_config& config, std::uint32_t port,
                                     channel_plan::mask_t of, const channel_flit& head,
                                     bool with_credit) const;
  std::uint32_t give_channels(const channel_plan& plan, const switch_routes& routes,
                              channel_switch_scratch& scratch);
  void count_hop(const channel_plan& plan, const switch_routes& routes, std::uint32_t input,
                 std::uint32_t port, std::uint32_t channel);
  void allocate_crossbar(channel_switch_scratch& scratch, channel_switch_output& out);
  void ask_for_crossbar(std::uint32_t port, channel_switch_scratch& scratch);
  void ask_for_port(std::uint32_t input, channel_switch_scratch& scratch);
  bool comes_first(std::uint32_t input, std::uint32_t other, std::uint32_t turn,
                   std::uint32_t count) const;
  void send(std::uint32_t input, channel_switch_output& out);
  void count_down_holds();

  std::uint32_t channels_ = 1;
  std::uint32_t bits_ = 0;  ///< of the number of a channel in an index
  std::uint32_t lanes_ = 1;
  std::uint32_t buffer_ = 1;
  std::uint32_t head_timer_ = 0;
  bool per_channel_ = false;
  bool oldest_first_ = false;
  std::vector<std::uint8_t> hosts_;      ///< by port: whether it is a host's
  std::vector<input_channel> inputs_;    ///< by port and channel
  std::vector<channel_flit> flits_;      ///< by input channel, a ring each
  std::vector<output_channel> outputs_;  ///< by port and channel
  std::vector<port_state> ports_;
  std::vector<std::uint32_t> places_;  ///< by port and lane; of hosts
  std::vector<std::uint32_t> holds_;   ///< by output port: cycles
  std::vector<std::uint64_t> sent_;    ///< by port and channel
  random_stream draws_;
  channel_switch_counts counts_;
  std::uint32_t packets_ = 0;     ///< input channels that are not idle
  std::uint32_t held_ports_ = 0;  ///< output ports on hold
};

}  // namespace tributary
