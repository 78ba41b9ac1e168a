// SPDX-License-Identifier: Apache-2.0
// The controller's side of a processor whose accesses to shared memory are checked by tags.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tributary/controller/message.h>
#include <tributary/controller/protocol.h>
#include <tributary/magic/line_outlet.h>
#include <tributary/magic/processor_interface.h>
#include <tributary/magic/processor_queue.h>
#include <tributary/memory/port.h>
#include <tributary/memory/word_memory.h>
#include <tributary/nic/access_tags.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/block.h>
#include <tributary/sim/state.h>
#include <tributary/sim/statistics.h>
#include <tributary/trace/recorder.h>

namespace tributary {

/// Accesses of the processor to blocks that a protocol checks (`checked_blocks`), one of each
/// process at a time. An access that its tag allows takes `allowed_cycles`, whoever is its home:
/// the processor's caches are not simulated. A forbidden one is a message of common_type::line_read
/// or line_read_exclusive, without payload and with the process as its tag, which the inbox finds
/// `bus`
/// + `inbound` cycles later. When a handler replies by `line_shared`, the access is tried again in
/// that very cycle, as the next message may forbid it; it is complete for the processor `outbound`
/// cycles after the reply. One that is still forbidden asks again then.
class tag_interface final : public block,
                            public processor_port,
                            public line_outlet,
                            private processor_queue_client,
                            private timed_block {
 public:
  /// References must outlive it; it becomes a client of `queue`. Its times are those of `times`.
  tag_interface(const processor_interface_config& times, std::uint64_t allowed_cycles,
                std::uint32_t processes, const checked_blocks& blocks,
                const address_layout& addresses, agenda& time, node_id here, std::uint32_t nodes,
                word_memory& memory, processor_queue& queue);

  // processor_port
  void set_client(memory_client* client) override { client_ = client; }
  void check(std::size_t element, const access& request) const override;
  bool can_take(std::size_t element = 0) const override;
  void offer(std::size_t element, const access& request, cycle_t now) override;
  std::size_t waiting(std::size_t element = 0) const override;
  std::size_t outstanding(std::size_t element = 0) const override;

  // line_outlet
  void reply(const message& sent, cycle_t from) override;

  const char* name() const override { return "tag_interface"; }
  /// Whether no access is under way.
  bool idle() const override;
  void reset_statistics() override;
  void report(statistics_group& into, std::uint64_t cycles) const override;
  void trace(const trace_scope& scope) override;
  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  enum class stage : std::uint8_t {
    free,
    to_ask,  ///< the queue to the inbox is full
    asked,
    done,  ///< the processor does not know yet
    again  ///< the processor asks again when it knows
  };
  /// The access of a process.
  struct place {
    stage at = stage::free;
    bool faulted = false;
    pe_id element{};
    access request;
    word_t value = 0;
    cycle_t since = 0;
    message header;

    TRIBUTARY_STATE(at, faulted, element, request, value, since, header);
  };

  TRIBUTARY_STATE(places_, accesses_, faults_, again_, latency_);

  void wake(cycle_t now, std::uint64_t process) override;
  // processor_queue_client
  bool must_wait(const message&) const override { return false; }
  void taken(const message&, cycle_t now) override { room(now); }
  void room(cycle_t now) override;

  std::size_t process(std::size_t element) const { return element % places_.size(); }
  /// Does the access if its tag allows it.
  bool try_access(place& of) const;
  void ask(std::size_t process, cycle_t now);
  void complete(std::size_t process, cycle_t now);
  void tell(const event_kind& kind, const place& about, cycle_t now, cycle_t last) const;
  [[noreturn]] void fail(const std::string& problem) const;

  processor_interface_config times_;
  std::uint64_t allowed_cycles_;
  access_tags tags_;
  agenda& agenda_;
  node_id here_;
  address_layout addresses_;
  std::uint32_t nodes_;
  word_memory& memory_;
  processor_queue& queue_;
  std::uint8_t self_;  // among the clients of the queue
  memory_client* client_ = nullptr;
  trace_point trace_;

  std::vector<place> places_;  // by process
  counter accesses_;
  counter faults_;
  counter again_;
  average latency_;
};

}  // namespace tributary
