// SPDX-License-Identifier: Apache-2.0
// A network interface on a node's memory bus, with a send and a receive queue of uncached words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <tributary/bus/bus_transaction.h>
#include <tributary/controller/network_message.h>
#include <tributary/memory/port.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/block.h>
#include <tributary/sim/fifo.h>
#include <tributary/sim/state.h>
#include <tributary/sim/statistics.h>

namespace tributary {

class parameter_set;

/// Configuration of a network interface on the memory bus.
struct memory_bus_interface_config {
  /// Messages in the send queue. The receive queue goes on in the node's memory.
  std::uint32_t depth = 16;
  /// From a word's transaction to the word, cycles.
  std::uint32_t access_cycles = 2;

  void bind(parameter_set& parameters);
};

/// Where a network interface leaves what it sends.
class interface_outlet {
 public:
  /// How many messages the network has not taken yet.
  virtual std::size_t unsent() const = 0;
  virtual void send(const network_message& sent, cycle_t now) = 0;

 protected:
  ~interface_outlet() = default;
};

/// Who is told of messages that arrive, in their order.
class message_reader {
 public:
  virtual void announced(const network_message& arrived, cycle_t now) = 0;

 protected:
  ~message_reader() = default;
};

/// A network interface like the CM-5's, memory mapped and uncached (Falsafi and Wood, section 2).
/// A message is written to the send queue, and read from the receive queue, a doubleword an access,
/// all at one address: the two of the header, then the payload. It leaves with its last word.
///
/// The arrival of a message is told by a count in a cacheable word: who polls it has it in the
/// cache, and no poll goes over the bus until a message arrives.
class memory_bus_interface final : public block,
                                   public bus_device,
                                   private memory_client,
                                   private timed_block {
 public:
  /// References must outlive it. `flags`: the interface's own port of coherent memory, in which it
  /// writes the count at `flag`.
  memory_bus_interface(const memory_bus_interface_config& config, agenda& time,
                       interface_outlet& outlet, processor_port& flags, std::uint64_t flag);

  void set_reader(message_reader& reader) { reader_ = &reader; }
  /// A board moves payloads between the queues and memory: only headers are words of the device.
  void let_board_move_payloads() { moves_payloads_ = false; }
  /// The board's payload for the next message with one, in the order in which they are written.
  void put_payload(const line_data& words) { payloads_.push(words); }

  /// A message from the network.
  void arrive(const network_message& message, cycle_t now);

  // bus_device
  device_answer read(std::uint64_t address, cycle_t now) override;
  bool write(std::uint64_t address, word_t value, cycle_t now) override;

  const char* name() const override { return "bus_interface"; }
  bool idle() const override { return received_.empty() && composed_.empty() && !telling_; }
  void reset_statistics() override;
  void report(statistics_group& into, std::uint64_t cycles) const override;
  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  /// A message in the receive queue.
  struct received {
    network_message what;
    cycle_t since = 0;
    bool told = false;

    TRIBUTARY_STATE(what, since, told);
  };

  TRIBUTARY_STATE(received_, told_, read_, composed_, payloads_, telling_, count_, full_, unread_,
                  lengths_, in_queue_);

  /// Words of a message that pass over the bus one by one.
  std::size_t words_of_device(const message& header) const;

  void wake(cycle_t now, std::uint64_t tag) override;
  /// Writes the count for the next message that nobody was told of.
  void tell(cycle_t now);
  // memory_client
  void completed(const completion& ended, cycle_t now) override;
  void room(std::size_t element, cycle_t now) override;

  memory_bus_interface_config config_;
  agenda& agenda_;
  interface_outlet& outlet_;
  processor_port& flags_;
  std::uint64_t flag_;
  message_reader* reader_ = nullptr;
  bool moves_payloads_ = true;

  fifo<received> received_;
  std::size_t told_ = 0;          ///< of the received, from the first on
  std::size_t read_ = 0;          ///< words of the first one
  std::vector<word_t> composed_;  ///< of the message that is being written
  fifo<line_data> payloads_;      ///< that a board has moved, of messages to be written
  bool telling_ = false;
  word_t count_ = 0;
  counter full_;
  counter unread_;
  average lengths_;
  average in_queue_;
};

}  // namespace tributary
