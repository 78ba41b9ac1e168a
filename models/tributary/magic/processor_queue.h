// SPDX-License-Identifier: Apache-2.0
// What the processor asks for, as messages on their way to the inbox.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <tributary/magic/data_buffers.h>
#include <tributary/magic/direct_source.h>
#include <tributary/memory/line.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/block.h>
#include <tributary/sim/fifo.h>
#include <tributary/sim/state.h>
#include <tributary/sim/statistics.h>

namespace tributary {

/// Who puts messages into the queue.
class processor_queue_client {
 public:
  /// Whether the first message, which is its own, must not be taken yet. It calls
  /// `processor_queue::look` when that has changed.
  virtual bool must_wait(const message& first) const = 0;
  /// The inbox took its message; `processor_queue::free` has grown by one.
  virtual void taken(const message& sent, cycle_t now) = 0;
  /// The inbox took another client's message.
  virtual void room(cycle_t now) = 0;

 protected:
  processor_queue_client() = default;
  processor_queue_client(const processor_queue_client&) = default;
  processor_queue_client& operator=(const processor_queue_client&) = default;
  ~processor_queue_client() = default;
};

/// The queue from the processor's bus to the inbox, in the processor's order (FLASH 2.3.1, 2.3.3).
/// A message that has come and has a payload gets a data buffer for it, and is not seen before.
class processor_queue final : public block,
                              public inbox_source,
                              public buffer_listener,
                              public selector_cause,
                              private timed_block {
 public:
  /// References must outlive it; it becomes a listener of `buffers`.
  processor_queue(std::uint32_t depth, agenda& time, data_buffers& buffers);

  /// Who uses it, before the first cycle; `client` must outlive it. The number is for `push`.
  std::uint8_t add_client(processor_queue_client& client);

  /// Messages that it takes more.
  std::size_t free() const { return depth_ - queue_.size(); }
  bool full() const { return free() == 0; }
  /// Messages of a client that the inbox has not taken.
  std::size_t size(std::uint8_t client) const;
  /// For traces: of a node's next access, whose client it may be.
  trace_identity next_identity(node_id here) {
    return trace_identity::reference(index(here), references_++);
  }
  /// A client's message, which comes to the inbox in cycle `visible`. `words` are its payload, of
  /// `header.length` bytes. The queue must not be full.
  void push(std::uint8_t client, const message& header, const line_data& words, cycle_t visible);
  /// What must wait may have changed.
  void look(cycle_t now) const { notify_change(now); }
  /// Whether the first message must wait for its client.
  bool holds_first() const;

  // inbox_source
  const message* front(cycle_t now) override;
  message take(cycle_t now) override;
  // buffer_listener
  void buffer_freed(cycle_t now) override;

  /// From a message's arrival until it had a data buffer, and until the inbox took it.
  const average& buffer_wait() const { return buffer_wait_; }
  const average& queue_wait() const { return queue_wait_; }

  const char* name() const override { return "processor_queue"; }
  bool idle() const override { return queue_.empty(); }
  void reset_statistics() override;
  /// Nothing: its averages are in the processor interface's group.
  void report(statistics_group&, std::uint64_t) const override {}
  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  struct entry {
    message header;
    line_data words{};
    cycle_t visible = 0;
    std::uint8_t client = 0;
    bool has_buffer = false;  ///< as one with a payload needs it

    TRIBUTARY_STATE(header, words, visible, client, has_buffer);
  };

  void wake(cycle_t now, std::uint64_t tag) override;
  bool allocate(cycle_t now);
  static bool lacks_buffer(const entry& of) { return of.header.length != 0 && !of.has_buffer; }

  TRIBUTARY_STATE(queue_, references_, buffer_wait_, queue_wait_);

  std::uint32_t depth_;
  agenda& agenda_;
  data_buffers& buffers_;
  std::vector<processor_queue_client*> clients_;
  fifo<entry> queue_;
  std::uint64_t references_ = 0;  // told apart so far
  average buffer_wait_;
  average queue_wait_;
};

}  // namespace tributary
