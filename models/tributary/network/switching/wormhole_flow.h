// SPDX-License-Identifier: Apache-2.0
// When the packets of a wormhole network cross its channels, to the flit, by a few events a hop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include <tributary/sim/agenda.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/state.h>

namespace tributary {

/// What all channels of a wormhole network have in common. A cycle is the time of a flit on a
/// channel.
struct wormhole_config {
  std::uint32_t buffer_flits = 64;  ///< behind each channel, `hop_cycles` or more
  std::uint32_t hop_cycles = 24;    ///< from a head's crossing of a channel to its next request
  std::uint32_t gap_cycles = 0;     ///< for which a channel rests behind a packet
  /// For which a switch is busy with a head that it lets go on, so that it lets one at a time; 0:
  /// each channel is given by itself.
  std::uint32_t header_cycles = 0;

  /// Throws `configuration_error`: with fewer flits than cycles a packet could not keep a channel
  /// busy, which the times here assume.
  void validate() const;
};

/// Who is told when packets move. Cycles may be ahead of the one in which it is told.
class wormhole_receiver {
 public:
  /// The packet holds the channel of its route from that cycle on.
  virtual void head_crosses(std::uint32_t packet, std::size_t hop, cycle_t at) = 0;
  /// Its last flit has crossed that channel before that cycle; of its last one, it is delivered.
  virtual void tail_crossed(std::uint32_t packet, std::size_t hop, cycle_t at) = 0;

 protected:
  wormhole_receiver() = default;
  wormhole_receiver(const wormhole_receiver&) = default;
  wormhole_receiver& operator=(const wormhole_receiver&) = default;
  ~wormhole_receiver() = default;
};

/// Packets that hold several channels at once.
///
/// A packet takes the channels of its route one after the other and holds each until its last flit
/// has crossed it. The flits behind a channel wait in its buffer, packet behind packet; a head asks
/// for the next channel `hop_cycles` after it crossed the last, once the packets before it have
/// left the buffer. A channel goes to who asked first, of equals to the packet that was sent first,
/// as soon as it is free and its buffer has room for a flit, `gap_cycles` behind the packet before.
/// Behind the last channel of a route flits are taken at once.
///
/// With `header_cycles` the channels of a switch share one arbiter, which lets one head go on and
/// is busy for so long. Of the heads whose channels were free with room for a flit before the cycle
/// it takes the next in turn by the channel that they came by, in the order of their numbers. A
/// head whose channel is not free waits for its next turn and takes no time of the arbiter. Source:
/// Sancho, Robles, Duato, "A new methodology to compute deadlock-free routing tables for irregular
/// networks", CANPC 2000 (P4).
///
/// Flit s of a packet, from 1, crosses its channel i in cycle x(i, s) = the greatest of
/// - h(i) + s - 1, h being the head's cycle,
/// - x(i + 1, s - B), or the same of the packets before it: the flit B places before it in the
///   buffer behind the channel has left it.
/// So all of a packet's cycles follow from those of heads, and a hop costs the same for any number
/// of flits. A test compares every cycle with a simulation flit by flit.
/// Source: spec of CANPC 2000 (P4), section 13.1.
class wormhole_flow final : private timed_block {
 public:
  /// Of a channel that no switch gives: it goes to who asked first.
  static constexpr std::uint32_t no_switch = 0xFFFFFFFF;

  /// `switch_of` says whose arbiter gives each channel; it is asked for with `header_cycles` only.
  /// References must outlive it. Throws what `wormhole_config::validate` throws.
  wormhole_flow(agenda& time, const wormhole_config& config, std::uint32_t channels,
                wormhole_receiver& receiver, std::vector<std::uint32_t> switch_of = {});

  /// The head asks for the first channel of its route in cycle `now`. Returns the packet's number,
  /// which is used again once the packet is delivered and nothing depends on it any more.
  std::uint32_t send(std::uint32_t flits, std::vector<std::uint32_t> route, cycle_t now);

  /// Packets whose tails have not been seen to leave.
  std::size_t under_way() const { return under_way_; }
  /// The channel that a packet's head waits for, or none if it does not wait.
  std::optional<std::uint32_t> waits_for(std::uint32_t packet) const;
  /// A channel of a packet's route, and the cycle in which the head has crossed it: for who is told
  /// of its head or tail.
  std::uint32_t channel_of(std::uint32_t number, std::size_t hop) const {
    return packets_[number].route[hop];
  }
  cycle_t head_of(std::uint32_t number, std::size_t hop) const {
    return packets_[number].hops[hop].rises.front().at;
  }
  std::uint32_t packets() const { return static_cast<std::uint32_t>(packets_.size()); }
  /// The packet that has a channel, or none.
  std::optional<std::uint32_t> holder(std::uint32_t channel) const;
  /// Channels that heads wait for in a circle, each until the next goes on, and the last until the
  /// first; empty if there is none. Heads of a circle never move again.
  std::vector<std::uint32_t> circle() const;

  /// Without the agenda's wake-ups. `restore` throws `error` for another number of channels.
  std::string save() const;
  void restore(const std::string& state);

 private:
  /// Cycles in which flits cross a channel: one after the other but where one had to wait.
  struct crossings {
    struct rise {
      std::uint32_t flit = 0;
      cycle_t at = 0;

      TRIBUTARY_STATE(flit, at);
    };
    std::vector<rise> rises{};  ///< by flit; the first is flit 1
    std::uint32_t known = 0;    ///< flits, from the first, whose cycles no later head changes

    void add(std::uint32_t flit, cycle_t at) { rises.push_back({flit, at}); }
    /// Sorts what was added, and leaves out what says nothing.
    void settle();
    cycle_t of(std::uint32_t flit) const;

    TRIBUTARY_STATE(rises, known);
  };
  struct packet {
    std::uint32_t flits = 0;
    std::uint64_t sequence = 0;
    cycle_t asked_at = 0;
    std::vector<std::uint32_t> route{};
    std::vector<crossings> hops{};  ///< those whose channels the head has crossed
    std::size_t tails = 0;          ///< hops of which the last flit's cycle is known
    bool asked = false;             ///< for the next channel
    bool queued = false;            ///< to be looked at because another has moved
    std::uint32_t streams = 0;      ///< in which it stands

    // `queued` is false between two events.
    TRIBUTARY_STATE(flits, sequence, asked_at, route, hops, tails, asked, streams);
  };
  /// A packet in the buffer behind a channel, or one that was there before.
  struct stream_entry {
    std::uint32_t number = 0;
    std::size_t hop = 0;  ///< of the channel, in its route

    TRIBUTARY_STATE(number, hop);
  };
  struct channel {
    std::deque<stream_entry> stream{};     ///< whose flits, or the places they had, still matter
    std::vector<std::uint32_t> waiting{};  ///< heads that ask
    std::optional<std::uint32_t> holder{};
    cycle_t free_at = 0;  ///< once nobody holds it

    TRIBUTARY_STATE(stream, waiting, holder, free_at);
  };

  /// Of a switch, with `header_cycles`.
  struct header_arbiter {
    std::vector<std::uint32_t> channels{};  ///< that it gives
    cycle_t free_at = 0;
    std::uint32_t last_input = 0;  ///< by which the last head came
    cycle_t wakes_at = 0;          ///< that was asked for last

    // `channels` never changes.
    TRIBUTARY_STATE(free_at, last_input, wakes_at);
  };

  TRIBUTARY_STATE(channels_, arbiters_, packets_, unused_, sent_, under_way_);

  /// Why a head does not move: the packet that has to go on first, and the channel that the head
  /// asks for, if it does not stand behind that packet in a buffer.
  struct block_of_head {
    std::uint32_t packet = 0;
    std::optional<std::uint32_t> channel{};
  };

  void wake(cycle_t now, std::uint64_t tag) override;
  std::optional<block_of_head> block_of(std::uint32_t number) const;
  void look_at(std::uint32_t which, cycle_t now);
  void arbitrate(header_arbiter& of, cycle_t now);
  void look_again(header_arbiter& of, cycle_t at);
  /// The first cycle in which a channel can be given, by its arbiter; nothing if that is not known,
  /// or no head waits.
  std::optional<cycle_t> can_be_given(const channel& which) const;
  /// By which a head came: 0 for a packet that was just sent, else the channel's number plus 1.
  std::uint32_t input_of(std::uint32_t number) const;
  void cross(std::uint32_t number, cycle_t now);
  void ask_for_next(std::uint32_t number, cycle_t now);
  /// Finds out what follows from a head that has crossed, for its packet and those behind it.
  void spread(std::uint32_t number, cycle_t now);
  void update(std::uint32_t number, cycle_t now);
  void release(std::uint32_t number, std::size_t hop, cycle_t now);
  crossings crossings_of(std::uint32_t number, std::size_t hop) const;
  /// Adds when the flits behind a channel have room, as packets before this one leave its buffer.
  void add_room(std::uint32_t number, std::size_t hop, crossings& to) const;
  /// When there is room for a flit behind the last packet of a stream; nothing if that is not
  /// known.
  std::optional<cycle_t> room_at_end(const channel& where) const;
  /// The cycles in which the flits of an entry leave the buffer; null before the first does.
  const crossings* leaving(const stream_entry& entry) const;
  std::size_t place_in(const channel& where, std::uint32_t number) const;
  void forget(channel& where);

  bool is_last(const packet& of, std::size_t hop) const { return hop + 1 == of.route.size(); }
  std::uint32_t buffer() const { return config_.buffer_flits; }

  agenda& agenda_;
  wormhole_config config_;
  wormhole_receiver& receiver_;
  std::vector<channel> channels_;
  std::vector<std::uint32_t> switch_of_;  ///< by channel; empty without `header_cycles`
  std::vector<header_arbiter> arbiters_;  ///< by switch
  std::deque<packet> packets_;            ///< who is told may send: places must stay
  std::vector<std::uint32_t> unused_;
  std::vector<std::uint32_t> to_update_;
  std::uint64_t sent_ = 0;
  std::size_t under_way_ = 0;
};

}  // namespace tributary
