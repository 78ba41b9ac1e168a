// SPDX-License-Identifier: Apache-2.0
// The receive machine of the language-oriented interface, cycle by cycle.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <tributary/nic/interface_message.h>
#include <tributary/sim/state.h>

namespace tributary {

/// What is fixed of a receive engine.
struct receive_engine_config {
  bool engines = true;  ///< off: every message is for the processor, as in a traditional interface
  std::uint32_t translations = 64;  ///< entries of the TLB
  std::uint32_t page_bytes = 4096;
  std::uint32_t counters = 16;      ///< in each of the two banks
  std::uint32_t packet_bytes = 32;  ///< greatest body
  bool one_channel = false;         ///< replies come on the channel of requests
};

/// Why a message was dropped.
enum class receive_error : std::uint8_t {
  none,
  type,       ///< none that an interface sends
  length,     ///< above the greatest packet, or no multiple of 4, or no whole items
  address,    ///< it or a stride is no multiple of 8, or a broadcast reads
  counter,    ///< beyond the bank
  underflow,  ///< a counter at 0 was counted down
  refused     ///< software has no translation for its page
};
const char* name_of(receive_error error);

/// A translation: where a virtual page is in the node's memory.
struct page_translation {
  bool valid = false;
  std::uint64_t page = 0;   ///< virtual
  std::uint64_t place = 0;  ///< in the node's memory, in pages

  TRIBUTARY_STATE(valid, page, place);
  friend bool operator==(const page_translation& x, const page_translation& y) {
    return x.valid == y.valid && x.page == y.page && x.place == y.place;
  }
};

/// One of the engine's two banks: 16-bit counters.
using counter_bank = std::array<std::uint16_t, 16>;

/// All that changes in it. The headers of waiting messages are not in it: they wait in buffers in
/// front of it.
struct receive_state {
  enum class phase : std::uint8_t {
    idle,       ///< chooses a channel
    decode,     ///< looks at the header
    translate,  ///< looks for the page in the TLB
    move,       ///< a word to or from memory
    answer,     ///< hands an acknowledgement, or the data that were read, to the reply buffer
    count,      ///< counts
    store       ///< hands the message to the processor's receive buffer
  };
  phase at = phase::idle;
  std::uint8_t channel = 0;
  std::array<std::uint32_t, interface_channels> moved{};   ///< words of the oldest message
  std::array<std::uint8_t, interface_channels> blocked{};  ///< waits for a translation
  std::array<std::uint8_t, interface_channels> refused{};  ///< there will be none
  std::uint64_t place = 0;  ///< in memory, of the page that was found
  counter_bank local{};
  counter_bank remote{};
  /// A bit a remote counter that interrupted at 0 and of which software has not said that it knows.
  /// Requests that count on it wait, so that no second 0 is lost.
  std::uint32_t zeroed = 0;
  std::vector<page_translation> translations;

  TRIBUTARY_STATE(at, channel, moved, blocked, refused, place, local, remote, zeroed, translations);
};
bool operator==(const receive_state& x, const receive_state& y);

/// What the engine sees in a cycle.
struct receive_inputs {
  /// The oldest message of each channel; null if none waits.
  std::array<const interface_message*, interface_channels> oldest{};
  bool reply_room = false;                      ///< the reply buffer takes a message
  std::array<bool, interface_channels> fits{};  ///< the receive buffer has room for it
  bool memory_ready = false;  ///< the word that is asked for is moved in this cycle
};

/// What it does in a cycle.
struct receive_outputs {
  /// It asks for memory; what it asks for stays until `memory_ready`.
  struct memory_request {
    bool valid = false;
    bool writes = false;
    std::uint64_t offset = 0;  ///< in the node's memory
    std::uint32_t word = 0;    ///< which of the body
    std::uint32_t bytes = 0;   ///< 4 or 8
  };
  memory_request memory;
  bool takes = false;    ///< the oldest message of `channel` is done with
  bool answers = false;  ///< the acknowledgement or the data go to the reply buffer
  bool stores = false;   ///< the message goes to the receive buffer
  std::uint8_t channel = 0;
  bool misses = false;  ///< a page has no translation
  std::uint64_t missed_page = 0;
  bool zero = false;  ///< the message's remote counter interrupts
  receive_error error = receive_error::none;

  /// Whether there is more to do for it than to ask for memory.
  bool acts() const {
    return takes || answers || stores || misses || zero || error != receive_error::none;
  }
};

/// The engine: reply channel first; a request begins only if what it will answer has a place, so
/// that no reply waits for a request (Klaiber 6.3; states after the specification's machine).
///
/// Every state takes a cycle; `move` takes one for each word that memory is ready for. A message
/// whose page has no translation is put back: its channel waits for software, the other goes on,
/// and it continues with the word at which it stopped.
class receive_engine {
 public:
  explicit receive_engine(const receive_engine_config& config);

  const receive_engine_config& config() const { return config_; }
  const receive_state& state() const { return state_; }
  receive_state& state() { return state_; }

  /// Whether nothing happens without a new input.
  bool waits(const receive_inputs& in) const;
  /// The memory request of this cycle, from the state at its start.
  receive_outputs::memory_request asks(const receive_inputs& in) const;
  /// One cycle.
  receive_outputs step(const receive_inputs& in);

  // Software, between two cycles.
  void fill(std::uint32_t entry, const page_translation& translation);
  /// The channel looks for its page again, or gives its message up.
  void retry(interface_channel channel) { state_.blocked[static_cast<std::size_t>(channel)] = 0; }
  void refuse(interface_channel channel);
  /// A counter command of the own processor; returns whether it leaves 0 and asks for an
  /// interrupt. `error`: what is wrong with it.
  bool count(const counter_command& command, receive_error& error);
  /// Software knows of these counters that were 0, a bit each.
  void acknowledge(std::uint32_t zeroed) { state_.zeroed &= ~zeroed; }
  /// A counter of the local bank, of a message that was sent.
  receive_error sent(std::uint8_t local);

  /// The place in memory of a virtual address; false if its page has no translation.
  bool translate(std::uint64_t address, std::uint64_t& offset) const;

 private:
  bool may_begin(const receive_inputs& in, std::size_t channel) const;
  bool is_for_processor(const interface_message& message) const;
  static bool is_answered(const interface_message& message);
  bool is_reply(const interface_message& message, std::size_t channel) const;
  bool must_wait(const interface_message& message, std::size_t channel) const;
  receive_error fault_of(const interface_message& message) const;

  void choose(const receive_inputs& in);
  void decode(const interface_message& message, receive_outputs& out);
  void look_up(const interface_message& message, receive_outputs& out);
  void move(const interface_message& message, bool ready);
  void answer(const interface_message& message, receive_outputs& out);
  void count(const interface_message& message, receive_outputs& out);
  void drop(receive_error error, receive_outputs& out);
  void take(receive_outputs& out);
  std::uint64_t next_address(const interface_message& message) const;

  receive_engine_config config_;
  receive_state state_;
};

}  // namespace tributary
