// SPDX-License-Identifier: Apache-2.0
// The controller's side of the processor's caches: requests for lines, replies, interventions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <tributary/controller/address_layout.h>
#include <tributary/controller/message.h>
#include <tributary/controller/protocol.h>
#include <tributary/magic/data_buffers.h>
#include <tributary/magic/line_outlet.h>
#include <tributary/magic/processor_queue.h>
#include <tributary/memory/line_port.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/block.h>
#include <tributary/sim/fifo.h>
#include <tributary/sim/state.h>
#include <tributary/sim/statistics.h>
#include <tributary/trace/recorder.h>

namespace tributary {

/// Times of the way to and from the caches, in the controller's cycles.
struct line_interface_config {
  std::uint32_t bus = 1;
  std::uint32_t inbound = 1;
  std::uint32_t outbound = 4;
  /// From an intervention until the caches' state is known, and from then to the first doubleword;
  /// the others follow one a cycle (FLASH 5.4.1).
  std::uint32_t state_cycles = 15;
  std::uint32_t invalidation_cycles = 15;  ///< whose state is not awaited
  std::uint32_t data_cycles = 5;
  /// Cycles of the processor in one of the controller's (FLASH 5.4.1: 400 and 100 MHz).
  std::uint32_t ratio = 4;
};

/// The lines that have a home with a directory entry for them.
struct coherent_range {
  address_layout addresses;
  std::uint32_t nodes = 1;
  std::uint64_t bytes = 0;  ///< of each node, in address space 0
};

/// Requests that caches have outstanding at most: a header has three bits for the tag.
inline constexpr std::size_t most_line_requests = 8;

/// What caches ask of a controller, as messages of common_type::line_read to line_replaced with
/// origin processor, and what it does to them (FLASH 2.3.3, Table A.2).
///
/// It keeps two agendas apart: the controller's, in which handlers reply and intervene, and the
/// processor's, in which the caches are told. All that goes to the caches goes in the order in
/// which it was sent.
///
/// An invalidation may overtake the reply to what was asked for before. The conversion table then
/// makes a refusal of a shared line and of an upgrade; an exclusive line stays one, because its
/// home takes the cache for its owner. An intervention for a line whose upgrade is outstanding does
/// not find it: the grant may be on its way.
class line_interface final : public block,
                             public line_port,
                             public line_outlet,
                             public intervention_outlet,
                             private processor_queue_client,
                             private timed_block {
 public:
  /// References must outlive it; it becomes a client of `queue`. `time` counts the controller's
  /// cycles, `processor_time` the processor's.
  line_interface(const line_interface_config& config, const coherent_range& range, agenda& time,
                 agenda& processor_time, node_id here, processor_queue& queue,
                 data_buffers& buffers);

  /// The caches.
  void set_client(line_client& client) { client_ = &client; }
  /// Lines that are not coherent, before the first cycle.
  void set_noncoherent(std::vector<noncoherent_page> pages) { noncoherent_ = std::move(pages); }
  /// The processor drops its copy of a line that is not coherent.
  void drop(std::uint64_t address, cycle_t now);

  // line_port, in the processor's time
  void check(std::uint64_t address) const override;
  bool can_take() const override;
  void ask(line_want want, std::uint64_t address, std::uint8_t tag, cycle_t now) override;
  void write_back(std::uint64_t line, const line_data& words, cycle_t now) override;
  void replaced(std::uint64_t line, cycle_t now) override;
  /// One is complete behind all that was sent to the caches before the notice of it: an
  /// invalidation is acknowledged before the caches have seen it, so who waits must not pass it.
  std::uint64_t incomplete() const override { return incomplete_; }

  // line_outlet
  void reply(const message& sent, cycle_t from) override;

  // intervention_outlet
  void intervene(intervention asked, std::uint64_t address, payload_handle data, bool wants_state,
                 cycle_t now) override;
  std::size_t unread_states() const override { return states_.size(); }
  cycle_t state_known() const override { return states_.front().known; }
  line_state read_state() override;

  const char* name() const override { return "line_interface"; }
  /// Whether nothing is outstanding, and nothing is on its way to the caches.
  bool idle() const override;
  void reset_statistics() override;
  void report(statistics_group& into, std::uint64_t cycles) const override;
  void trace(const trace_scope& scope) override;
  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  struct request {
    bool outstanding = false;
    bool invalidated = false;  ///< since it was asked for
    line_want want = line_want::shared;
    std::uint64_t line = 0;
    message header;

    TRIBUTARY_STATE(outstanding, invalidated, want, line, header);
  };
  /// What goes to the caches.
  struct delivery {
    enum class kind : std::uint8_t { shared, exclusive, upgraded, refused, complete, intervention };
    kind type = kind::refused;
    std::uint8_t tag = 0;
    intervention asked = intervention::get;
    bool wants_state = false;
    payload_handle data = no_payload;
    std::uint64_t address = 0;  ///< of an intervention
    line_data words{};
    line_stamps valid{};

    TRIBUTARY_STATE(type, tag, asked, wants_state, data, address, words, valid);
  };
  struct state_reply {
    cycle_t known = 0;
    line_state found = line_state::invalid;
    bool performed = false;

    TRIBUTARY_STATE(known, found, performed);
  };

  void wake(cycle_t now, std::uint64_t tag) override;
  // processor_queue_client
  bool must_wait(const message&) const override { return false; }
  void taken(const message& sent, cycle_t now) override;
  void room(cycle_t now) override;

  TRIBUTARY_STATE(incomplete_, requests_, deliveries_, states_, last_delivery_, reply_free_,
                  data_free_, sent_, conversions_, hidden_);

  /// The first cycle of the controller that does not begin before one of the processor's.
  cycle_t controller_cycle(cycle_t processor_cycle) const {
    return (processor_cycle + config_.ratio - 1) / config_.ratio;
  }
  /// Returns the message, and from when on the inbox sees it.
  std::pair<message, cycle_t> push(common_type type, std::uint64_t address, std::uint8_t tag,
                                   const line_data* words, cycle_t now);
  void tell(const event_kind& kind, const message& about, cycle_t now, cycle_t last) const;
  delivery converted(const message& sent);
  cycle_t stream(payload_handle data, std::size_t missed, delivery& into, cycle_t first);
  void deliver(const delivery& next, cycle_t at);
  void perform(const delivery& asked, cycle_t now);
  bool is_noncoherent(std::uint64_t address) const;
  [[noreturn]] void fail(const std::string& problem) const;

  line_interface_config config_;
  coherent_range range_;
  std::vector<noncoherent_page> noncoherent_;
  agenda& agenda_;
  agenda& processor_agenda_;
  node_id here_;
  processor_queue& queue_;
  std::uint8_t self_;  // among the clients of the queue
  data_buffers& buffers_;
  line_size line_;
  line_client* client_ = nullptr;
  trace_point trace_;

  std::array<request, most_line_requests> requests_;  // by tag
  std::uint64_t incomplete_ = 0;
  fifo<delivery> deliveries_;
  fifo<state_reply> states_;   // that no handler has read
  cycle_t last_delivery_ = 0;  // of the processor
  cycle_t reply_free_ = 0;     // the way to the caches
  cycle_t data_free_ = 0;      // the way from them

  std::array<counter, line_want_count> sent_;
  counter conversions_;
  counter hidden_;
};

}  // namespace tributary
