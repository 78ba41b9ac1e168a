// SPDX-License-Identifier: Apache-2.0
// Runs the handlers that are an interface's firmware, one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tributary/controller/address_layout.h>
#include <tributary/controller/executor.h>
#include <tributary/controller/firmware_spaces.h>
#include <tributary/controller/handler_request.h>
#include <tributary/controller/protocol_set.h>
#include <tributary/memory/word_memory.h>
#include <tributary/nic/staging_buffers.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/block.h>
#include <tributary/sim/state.h>
#include <tributary/sim/statistics.h>
#include <tributary/trace/recorder.h>

namespace tributary {

/// What is around the processors of an interface.
class firmware_surroundings {
 public:
  /// Messages that may be sent now.
  virtual std::uint64_t send_space() const = 0;
  /// `words` of the message; it is sent in turn.
  virtual void transmit(const message& header, const std::vector<word_t>& words, cycle_t now) = 0;
  /// Begins to move words into the host's memory, behind all that were begun before, and returns
  /// the cycle in which they are there.
  virtual cycle_t store_to_host(std::uint64_t offset, const std::vector<word_t>& words,
                                cycle_t now) = 0;
  /// The same from there. Words are read in the cycle that it returns, by `host_word`.
  virtual cycle_t load_from_host(std::uint64_t bytes, cycle_t now) = 0;
  virtual word_t host_word(std::uint64_t offset) const = 0;
  virtual std::uint64_t host_bytes() const = 0;
  /// A handler put another one off.
  virtual void put_off(handler_id run, const message& with, cycle_t now) = 0;
  virtual void interrupt_host(std::uint64_t line, cycle_t now) = 0;
  /// The handler that was begun last on one of the processors has ended, and gave back what it had.
  virtual void handler_ended(cycle_t now) = 0;

 protected:
  ~firmware_surroundings() = default;
};

/// Handlers run to completion; their time is what they spend, and what they wait for DMA. Loads and
/// stores of the interface's own memory take no more time than that. Payloads are staging buffers.
/// `fill` from the own memory takes the packet there as it is: it lies in a staging buffer already.
/// From the host's memory, and `spill` there, it is a DMA.
class firmware_processor final : public block, private timed_block {
 public:
  struct units {
    word_memory& memory;  ///< of the interface
    std::uint64_t memory_bytes;
    staging_buffers& staging;
    firmware_surroundings& around;
  };

  /// References must outlive it. `name`: of its statistics and its track.
  firmware_processor(const char* name, agenda& time, node_id here, const address_layout& addresses,
                     const protocol_set& protocols, executor& runs, const units& around);

  /// Begins a handler in cycle `at`, now or later; none may run. It holds the message's payload.
  void begin(handler_id run, const message& with, cycle_t at);
  bool running() const { return running_; }
  /// The cycle in which the last handler ended; 0 before.
  cycle_t free_since() const { return free_since_; }
  std::uint64_t dispatches() const { return dispatches_.value(); }
  std::uint64_t busy() const { return busy_.value(); }
  /// Of a handler by its number.
  const average& occupancy(handler_id run) const {
    return occupancies_.at(static_cast<std::size_t>(run));
  }

  const char* name() const override { return name_; }
  bool idle() const override { return !running_; }
  void reset_statistics() override;
  void report(statistics_group& into, std::uint64_t cycles) const override;
  /// A track of the handlers that it runs.
  void trace(const trace_scope& scope) override;
  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  using answer_or_wait = std::optional<handler_answer>;

  struct transfer {
    std::uint64_t host = 0;
    std::uint64_t bytes = 0;
    payload_handle data = no_payload;
    std::uint64_t place = 0;
    bool open = false;  ///< it comes from the host, and nobody has waited for it

    TRIBUTARY_STATE(host, bytes, data, place, open);
  };

  TRIBUTARY_STATE(moving_, running_, begun_, run_, header_, asked_, begun_at_, awaits_since_,
                  awaits_, awaited_, settled_at_, counted_in_, operations_, owes_reload_, held_,
                  free_since_, dispatches_, busy_, waits_, occupancies_);

  void wake(cycle_t now, std::uint64_t tag) override;
  void run(cycle_t now);
  void count_operation(cycle_t now);
  void end(cycle_t now);
  answer_or_wait attempt(const handler_request& request, cycle_t now);
  /// The handler goes on then.
  answer_or_wait wait_until(cycle_t at, cycle_t now);
  handler_answer waited_for(cycle_t now);
  void tell(cycle_t now) const;

  // The operations of operations.def.
  template <class Controller>
  friend std::optional<handler_answer> perform_operation(Controller& controller,
                                                         const handler_request& request,
                                                         cycle_t now);
  void now(const handler_request&, cycle_t) {}
  std::uint64_t space(const handler_request&, cycle_t) const { return units_.around.send_space(); }
  void send(const handler_request& request, cycle_t now);
  void answer(const handler_request&, cycle_t) { refuse("answer"); }
  word_t keep_read(const handler_request&, cycle_t) { refuse("keep_read"); }
  payload_handle allocate(const handler_request& request, cycle_t now);
  void retain(const handler_request& request, cycle_t now);
  void release(const handler_request& request, cycle_t now);
  word_t word(const handler_request& request, cycle_t now) const;
  void set_word(const handler_request& request, cycle_t now);
  answer_or_wait fill(const handler_request& request, cycle_t now);
  void spill(const handler_request& request, cycle_t now);
  void spill_word(const handler_request& request, cycle_t now);
  answer_or_wait settle(const handler_request& request, cycle_t now);
  answer_or_wait load(const handler_request& request, cycle_t now);
  void store(const handler_request& request, cycle_t now);
  void count(const handler_request&, cycle_t) {}
  void later(const handler_request& request, cycle_t now);
  void again(const handler_request& request, cycle_t now);
  void done(const handler_request&, cycle_t) { pay_reload(); }
  void interrupt(const handler_request& request, cycle_t now) {
    units_.around.interrupt_host(request.number, now);
  }
  // What this controller does not have.
  void fill_realigned(const handler_request&, cycle_t) { refuse("fill_realigned"); }
  void after(const handler_request&, cycle_t) { refuse("after"); }
  void intervene(const handler_request&, cycle_t) { refuse("intervene"); }
  word_t state_reply(const handler_request&, cycle_t) { refuse("state_reply"); }

  void write_dma_register(const handler_request& request, cycle_t now);
  void begin_transfer(word_t command, cycle_t now);
  void end_transfer();
  void put_off(handler_id run, const message& with, cycle_t now);
  void pay_reload();
  bool give_up(payload_handle data);
  void require_payload(payload_handle data, const char* operation) const;
  std::size_t place_in(const handler_request& request, const char* operation) const;
  bool is_host(std::uint64_t address) const;
  /// The offset of an address of so many words in the memory of its space.
  std::uint64_t offset_of(std::uint64_t address, std::size_t words) const;
  [[noreturn]] void refuse(const char* operation) const;
  [[noreturn]] void breach(const char* rule, const std::string& fault) const;

  const char* name_;
  agenda& agenda_;
  node_id here_;
  const address_layout& addresses_;
  const protocol_set& protocols_;
  executor& executor_;
  units units_;
  trace_point trace_;

  transfer moving_;
  bool running_ = false;
  bool begun_ = false;
  handler_id run_ = no_handler;
  message header_;
  handler_request asked_;
  cycle_t begun_at_ = 0;
  cycle_t awaits_since_ = 0;
  bool awaits_ = false;
  std::uint64_t awaited_ = 0;  ///< cycles for which it has waited for DMA
  cycle_t settled_at_ = 0;     ///< when what it spilt is there
  cycle_t counted_in_ = 0;
  std::uint64_t operations_ = 0;
  bool owes_reload_ = false;
  std::vector<payload_handle> held_;
  cycle_t free_since_ = 0;
  counter dispatches_;
  counter busy_;
  average waits_;
  std::vector<average> occupancies_;  ///< by handler
};

}  // namespace tributary
