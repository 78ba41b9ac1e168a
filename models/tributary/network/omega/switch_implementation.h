// SPDX-License-Identifier: Apache-2.0
// A combining switch at its ports: what RTL offers that stands in the place of the core.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tributary/memory/packet.h>

namespace tributary {

struct combining_switch_config;

/// What leaves or enters a switch in one cycle: requests by memory-side port or by input, replies
/// by input or by memory-side port.
struct switch_traffic {
  std::array<std::optional<packet>, 2> requests;
  std::array<std::optional<reply>, 2> replies;
};

inline bool operator==(const switch_traffic& x, const switch_traffic& y) {
  return x.requests == y.requests && x.replies == y.replies;
}
inline bool operator!=(const switch_traffic& x, const switch_traffic& y) { return !(x == y); }

/// A request that joined a waiting one.
struct switch_joining {
  unsigned output = 0;
  packet request;    ///< as it arrived
  request_id first;  ///< the waiting one
};

inline bool operator==(const switch_joining& x, const switch_joining& y) {
  return x.output == y.output && x.request.id() == y.request.id() && x.first == y.first;
}

/// What happened inside a switch in one cycle.
struct switch_activity {
  std::array<bool, 2> inserted{};        ///< by input: an arrival became an entry
  std::vector<switch_joining> combined;  ///< in a fixed order: of arrivals, by input
  std::array<bool, 2> held{};  ///< by output: what left put its partner into the wait buffer
  std::array<std::optional<reply>, 2> decombined;  ///< by output: a second response
};

inline bool operator==(const switch_activity& x, const switch_activity& y) {
  return x.inserted == y.inserted && x.combined == y.combined && x.held == y.held &&
         x.decombined == y.decombined;
}

/// How full a switch is; of a type A port the second queue is empty.
struct switch_occupancy {
  std::array<std::array<std::uint32_t, 2>, 2> queued{};    ///< entries, by output and queue
  std::array<std::array<std::uint32_t, 2>, 2> combined{};  ///< of these, combined ones
  std::array<std::uint32_t, 2> waiting{};                  ///< entries of wait buffers, by output
  std::array<std::uint32_t, 2> reverse{};                  ///< responses, by input
};

inline bool operator==(const switch_occupancy& x, const switch_occupancy& y) {
  return x.queued == y.queued && x.combined == y.combined && x.waiting == y.waiting &&
         x.reverse == y.reverse;
}

/// Which switch of a network: `index` counts over its stage.
struct switch_place {
  std::size_t stage = 0;
  std::size_t index = 0;
};

inline bool operator==(const switch_place& x, const switch_place& y) {
  return x.stage == y.stage && x.index == y.index;
}

/// "stage 3 switch 5".
inline std::string to_string(const switch_place& place) {
  return "stage " + std::to_string(place.stage) + " switch " + std::to_string(place.index);
}

/// One 2x2 combining switch, stepped through the three phases of a cycle by the cycle contract
/// (section 5 of the specification): whatever stands where a core could. It begins reset.
class switch_implementation {
 public:
  switch_implementation() = default;
  switch_implementation(const switch_implementation&) = delete;
  switch_implementation& operator=(const switch_implementation&) = delete;
  virtual ~switch_implementation() = default;

  /// Forward ready of an input: bit o says that the queue for output o has room.
  virtual std::uint8_t request_ready(unsigned input) const = 0;
  /// Reverse ready of an output: whether a response and its second half have room.
  virtual bool reply_ready(unsigned output) const = 0;

  /// What leaves. `next_request_ready`: by output, bit o' for output o' of the block behind it (of
  /// a memory module both say the same);
  /// `next_reply_ready`: by input. The reference stays valid until `commit`.
  virtual const switch_traffic& depart(const std::array<std::uint8_t, 2>& next_request_ready,
                                       const std::array<bool, 2>& next_reply_ready) = 0;

  /// Takes what arrives, ends the cycle, and says what happened in it; the reference stays valid
  /// until the next `commit`. Nothing may arrive where the switch is not ready.
  virtual const switch_activity& commit(const switch_traffic& arriving) = 0;

  /// Whether every queue and wait buffer is empty.
  virtual bool idle() const = 0;
  /// To the initial state.
  virtual void reset() = 0;

  /// How full it is, where the implementation shows that.
  virtual std::optional<switch_occupancy> occupancy() const { return std::nullopt; }
  /// What it holds, for people, in lines that end in a newline.
  virtual std::string state() const { return "(an implementation that shows no state)\n"; }
};

/// Makes what stands in one place of a network; `route_bit` as of `switch_column`. Throws
/// `configuration_error` if there is no implementation with these parameters.
using switch_maker = std::function<std::unique_ptr<switch_implementation>(
    const combining_switch_config& config, unsigned route_bit, const switch_place& place)>;

}  // namespace tributary
