// SPDX-License-Identifier: Apache-2.0
// First stage of the controller: selects the next message and its handler.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <tributary/controller/jump_table.h>
#include <tributary/controller/message.h>
#include <tributary/magic/data_buffers.h>
#include <tributary/magic/direct_source.h>
#include <tributary/magic/dispatch.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/block.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/observer.h>
#include <tributary/sim/state.h>
#include <tributary/sim/statistics.h>
#include <tributary/trace/recorder.h>

namespace tributary {

class parameter_set;

/// Configuration of the inbox.
struct inbox_config {
  std::uint32_t select_cycles = 1;
  std::uint32_t jump_table_cycles = 2;
  /// The software queue gets one selection in so many, if it has an entry.
  std::uint32_t software_queue_turn = 4;
  /// The processor's first message goes ahead of the lanes after `processor_turn` - 1 skips.
  std::uint32_t processor_turn = 16;
  /// The request lane's first message goes ahead of the other lanes after `request_turn` - 1 skips.
  std::uint32_t request_turn = 16;
  bool speculative_reads = true;

  void bind(parameter_set& parameters);
};

/// "reply_lane", as in the names of statistics.
const char* name_of(inbox_input input);

/// Messages that the controller may still put into its queues to the network.
class outgoing_space {
 public:
  /// Free places of a lane now.
  virtual std::uint32_t space(message_lane over) const = 0;

 protected:
  ~outgoing_space() = default;
};

/// What runs the handlers that the inbox selects.
class dispatch_listener {
 public:
  /// `inbox::selected` has just become something; it may begin in its cycle `ready`.
  virtual void selected(cycle_t now) = 0;

 protected:
  ~dispatch_listener() = default;
};

/// What reads the line for a handler that has not begun.
class line_reader {
 public:
  /// Fills a buffer from the line that holds `offset` in this node's memory, a multiple of 8: the
  /// doubleword there first, the others in sub-block order.
  virtual void start_read(payload_handle data, std::uint64_t offset, cycle_t now) = 0;

 protected:
  ~line_reader() = default;
};

/// Selects one message ahead of the protocol processor. An input is eligible if the queues to the
/// network have room for what its handler is promised and for what the running handler still may
/// send (FLASH 2.3.1, 2.3.6: rules D4, D5, D7, D8). Priority: idle handler, reply lane, third and
/// fourth lane, request lane, processor, software queue. On its turn the software queue comes right
/// after the idle handler, and then the processor on its turn: nodes that poll a word must not keep
/// its own node's processor from writing it. Then comes the request lane on its turn: lines that
/// are refused and sent again must not keep out the requests that would let them be taken.
class inbox final : public block, public selector, private timed_block, private buffer_listener {
 public:
  /// Everything it is given must outlive it.
  inbox(const inbox_config& config, agenda& time, const jump_table& table, data_buffers& buffers,
        const outgoing_space& outgoing);

  /// Inputs without a source stay empty. Of the software queue and the idle handler it is a
  /// `direct_source`, which is told whom to call; the others call `look` by other ways.
  void connect(inbox_input input, inbox_source& from);
  void connect(inbox_input input, direct_source& from);
  void set_listener(dispatch_listener& listener) { listener_ = &listener; }
  /// Without a reader nothing is read ahead.
  void set_reader(line_reader& reader) { reader_ = &reader; }

  /// Something may have changed: selects in this cycle, after all that has happened in it so far.
  void look(cycle_t now) override;

  /// What waits for the protocol processor, or null.
  const dispatch* selected() const { return selected_ ? &*selected_ : nullptr; }
  /// The protocol processor begins it, in its cycle `ready` or later; what it is promised now
  /// counts as the running handler's. The next may be selected in this cycle.
  dispatch take(cycle_t now);
  /// What the running handler still may send of what it was promised; 0 and 0 when it has ended.
  void set_running(std::uint32_t requests, std::uint32_t replies);
  /// The running handler has ended.
  void end_running();

  /// Selections so far.
  std::uint64_t selections(inbox_input input) const {
    return inputs_[static_cast<std::size_t>(input)].selected.value();
  }
  const char* name() const override { return "inbox"; }
  bool idle() const override { return !selected_; }
  void reset_statistics() override;
  void report(statistics_group& into, std::uint64_t cycles) const override;
  void trace(const trace_scope& scope) override;
  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  enum class guard : std::uint8_t { none, space, buffer };
  struct input_state {
    inbox_source* from = nullptr;
    direct_source* direct = nullptr;
    guard held_by = guard::none;  ///< at the last selection
    counter selected;
    counter held_for_space;   ///< cycles
    counter held_for_buffer;  ///< cycles

    TRIBUTARY_STATE(held_by, selected, held_for_space, held_for_buffer);
  };

  void wake(cycle_t now, std::uint64_t tag) override;

  TRIBUTARY_STATE(running_address_, runs_deferred_, inputs_, selected_, running_requests_,
                  running_replies_, others_, processor_passed_over_, requests_passed_over_,
                  looking_, read_pending_, looked_, reads_ahead_, reads_without_buffer_);

  void buffer_freed(cycle_t now) override { look(now); }

  void select(cycle_t now);
  /// Selects the first message of an input if it has one that may be selected; `front` is that one.
  bool try_input(inbox_input from, cycle_t now);
  bool try_message(inbox_input from, const message& front, cycle_t now);
  void count_passed_over(inbox_input taken, cycle_t now);
  bool room_for(std::uint32_t requests, std::uint32_t replies) const;
  bool may_read(speculation ahead, const message& header) const;
  void read_ahead(dispatch& chosen, cycle_t now);
  void start_read(cycle_t now);
  void count_held(cycle_t until);

  inbox_config config_;
  agenda& agenda_;
  const jump_table& table_;
  data_buffers& buffers_;
  const outgoing_space& outgoing_;
  dispatch_listener* listener_ = nullptr;
  line_reader* reader_ = nullptr;
  trace_point trace_;

  std::array<input_state, inbox_inputs> inputs_;
  std::optional<dispatch> selected_;
  std::uint32_t running_requests_ = 0;
  std::uint32_t running_replies_ = 0;
  std::uint32_t others_ = 0;  ///< selections since the last of the software queue
  /// Selections of others since the processor's first message waits.
  std::uint32_t processor_passed_over_ = 0;
  std::uint32_t requests_passed_over_ = 0;        ///< the same of the request lane's
  bool looking_ = false;                          ///< a selection is on the agenda
  std::optional<std::uint64_t> running_address_;  ///< of the running handler's message
  bool runs_deferred_ = false;  ///< it may write lines that its message does not name
  bool read_pending_ = false;   ///< the selected message's line is still to be read
  cycle_t looked_ = 0;          ///< when inputs were last found held

  counter reads_ahead_;
  counter reads_without_buffer_;
};

}  // namespace tributary
