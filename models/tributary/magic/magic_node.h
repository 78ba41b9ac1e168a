// SPDX-License-Identifier: Apache-2.0
// A node: MAGIC with all its units, and the memory behind it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tributary/cache/cache.h>
#include <tributary/cache/cache_config.h>
#include <tributary/controller/address_layout.h>
#include <tributary/controller/fiber_executor.h>
#include <tributary/controller/jump_table.h>
#include <tributary/controller/network_message.h>
#include <tributary/controller/node_loop.h>
#include <tributary/controller/protocol_set.h>
#include <tributary/magic/data_buffers.h>
#include <tributary/magic/idle_handler.h>
#include <tributary/magic/inbox.h>
#include <tributary/magic/line_drops.h>
#include <tributary/magic/line_interface.h>
#include <tributary/magic/magic_network_interface.h>
#include <tributary/magic/outbox.h>
#include <tributary/magic/processor_interface.h>
#include <tributary/magic/processor_queue.h>
#include <tributary/magic/protocol_processor.h>
#include <tributary/magic/protocol_statistics.h>
#include <tributary/magic/software_queue.h>
#include <tributary/magic/tag_interface.h>
#include <tributary/memory/clock_crossing.h>
#include <tributary/memory/memory_controller.h>
#include <tributary/memory/shared_port.h>
#include <tributary/memory/windowed_port.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/block.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/ids.h>
#include <tributary/sim/observer.h>
#include <tributary/sim/statistics.h>
#include <tributary/trace/event.h>

namespace tributary {

class parameter_set;

/// The caches between a processor and its node, if it has any. They keep the processor's time.
struct node_caches_config {
  bool present = false;
  std::uint32_t clock_ratio = 4;
  std::uint32_t state_cycles = 15;
  std::uint32_t invalidation_cycles = 15;
  std::uint32_t data_cycles = 5;
  std::uint32_t uncached_pause = 29;
  /// Cycles of the node that a miss may last (`coherence_audit`).
  std::uint64_t patience = 1000000;
  /// Whether protocols count (`protocol_statistics`). No parameter: without, the machine does the
  /// same, and what counting costs can be measured.
  bool counts = true;
  cache_config levels;

  void bind(parameter_set& parameters);
};

/// Configuration of a node; the defaults are those of FLASH chapter 5 where it has any.
struct magic_node_config {
  address_layout addresses;
  memory_controller_config memory;
  /// Of the node's memory, at its end: what protocols and the software queue keep there.
  std::uint64_t protocol_bytes = std::uint64_t{64} << 10;
  data_buffers_config buffers;
  jump_table_config jump_table;
  inbox_config in;
  protocol_processor_config protocol_processor;
  outbox_config out;
  idle_handler_config timed;
  magic_network_interface_config network_interface;
  processor_interface_config processor_interface;
  node_caches_config caches;
  /// From a processor's access to a block that a protocol checks, and allows, to its end.
  std::uint64_t memory_cycles = 1;
  /// Of a program, on the node's processor; FLASH 6.2.4 counts seven joins of a node at most.
  std::uint32_t processes = 1;

  /// Of the node's memory, at its end: what the software queue keeps there.
  static constexpr std::uint64_t software_queue_bytes = 128;

  /// In addition to `protocol_bytes`: a doubleword a line for a directory, if processors have
  /// caches.
  std::uint64_t directory_bytes() const;
  /// The first byte that only protocols use.
  std::uint64_t protocol_storage() const {
    return memory.bytes - protocol_bytes - directory_bytes();
  }
  /// Where the software queue keeps its first record, behind all protocols.
  std::uint64_t software_queue_anchor() const { return memory.bytes - software_queue_bytes; }
  /// The buffers, which hold a line of the memory.
  data_buffers_config resolved_buffers() const;
  /// What a node offers its protocols.
  protocol_site site(node_id here, std::uint32_t nodes) const;

  void bind(parameter_set& parameters);
  /// Throws `configuration_error` for a machine of so many nodes.
  void validate(std::uint32_t nodes) const;

 private:
  void validate_caches() const;
};

/// One node in time. Its units call each other within a cycle; it meets the network and its
/// processor a cycle later at the earliest, so nodes of a machine may run in any order within a
/// cycle.
class magic_node final : public stepped_node {
 public:
  /// References must outlive the node. Throws `configuration_error` for values that cannot work,
  /// and for protocols that do not fit together.
  magic_node(const magic_node_config& config, node_id here, std::uint32_t nodes,
             network_port& network, message_pool& messages,
             std::vector<std::unique_ptr<protocol>> protocols);
  ~magic_node();
  magic_node(const magic_node&) = delete;
  magic_node& operator=(const magic_node&) = delete;

  node_id here() const { return here_; }
  const magic_node_config& config() const { return config_; }

  cycle_t next_wakeup() const override;
  void advance_to(cycle_t last) override;
  agenda& clockwork() { return agenda_; }
  void follow(const cycle_t& over, cycle_t& due) override;
  void show(current_activity* activity) override;

  /// The caches, and the processor's clock in which they are asked; null without caches. Cycle c of
  /// the processor is in cycle c / `clock_ratio` of the node, behind all that the node does in it.
  cache* caches() { return cached_ == nullptr ? nullptr : &cached_->caches; }
  const cache* caches() const { return cached_ == nullptr ? nullptr : &cached_->caches; }
  agenda* processor_clockwork() { return cached_ == nullptr ? nullptr : &cached_->time; }

  /// Where the node's processor asks, in `processor_time`: without caches the processor interface.
  /// With caches, they serve address space 0 in it, and the other spaces are uncached: their
  /// stores are posted, and a load waits until the processor's earlier writes are complete for
  /// everybody (FLASH 6.3.4). The caches serve the protocols' `noncoherent_page`s too, and stores
  /// behind one that has a `drop_distance` drop its lines. All processes ask there. Where a
  /// protocol checks blocks, a `tag_interface` serves address space 0.
  processor_port& processor_accesses() { return shared_ ? *shared_ : unshared_accesses(); }
  agenda& processor_time() { return cached_ == nullptr ? agenda_ : cached_->time; }

  /// Of an element that is a process of this node, in traces.
  track_id track(std::size_t element) const {
    return shared_ ? shared_->track(element) : processor_interface_.track();
  }

  network_endpoint& endpoint() override { return network_interface_; }
  processor_interface& processor() { return processor_interface_; }
  const processor_interface& processor() const { return processor_interface_; }
  memory_controller& memory() { return memory_; }
  const memory_controller& memory() const { return memory_; }
  const data_buffers& buffers() const { return buffers_; }
  const software_queue& deferred() const { return deferred_; }
  const inbox& in() const { return in_; }
  const magic_network_interface& network() const { return network_interface_; }
  const protocol_processor& processing() const { return protocol_processor_; }
  const protocol_set& protocols() const { return protocols_; }

  /// Whether nothing is under way or deferred.
  bool idle() const override { return blocks_.idle(); }

  /// "node.0", by its number.
  const char* name() const override { return name_.c_str(); }
  void reset_statistics() override { blocks_.reset_statistics(); }
  void report(statistics_group& into, std::uint64_t cycles) const override {
    blocks_.report(into, cycles);
  }
  /// Below its name, and the names of its handlers in the catalog.
  void trace(const trace_scope& scope) override;

  /// The state of all units and who is to be woken, between two cycles, and back into a node of the
  /// same configuration, protocols and place. Messages that are on their way are the pool's.
  /// `restore` throws `input_error`; the node is of no further use then.
  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  void check_accesses(std::uint32_t nodes);
  processor_port& unshared_accesses() {
    if (checked_) return checked_->accesses;
    return cached_ == nullptr ? static_cast<processor_port&>(processor_interface_)
                              : cached_->accesses;
  }

  magic_node_config config_;
  node_id here_;
  std::string name_;
  agenda agenda_;
  protocol_set protocols_;
  memory_controller memory_;
  data_buffers buffers_;
  magic_network_interface network_interface_;
  processor_queue processor_queue_;
  processor_interface processor_interface_;
  struct cached_processor {
    cached_processor(const magic_node_config& config, std::uint32_t nodes, agenda& node_time,
                     node_id here, processor_queue& queue, data_buffers& buffers,
                     processor_interface& past_caches, const protocol_set& protocols);

    agenda time;
    line_interface lines;
    cache caches;
    clock_crossing uncached;
    line_drops drops;
    windowed_port accesses;
    protocol_statistics counted;
  };
  std::unique_ptr<cached_processor> cached_;
  struct checked_processor {
    checked_processor(const magic_node_config& config, const checked_blocks& blocks,
                      agenda& node_time, node_id here, std::uint32_t nodes, word_memory& memory,
                      processor_queue& queue, processor_interface& unchecked);

    tag_interface tags;
    windowed_port accesses;
  };
  std::optional<checked_processor> checked_;  // where a protocol checks blocks
  std::optional<shared_port> shared_;         // of several processes
  jump_table table_;
  inbox in_;
  outbox out_;
  software_queue deferred_;
  idle_handler timed_;
  fiber_executor executor_;
  protocol_processor protocol_processor_;
  block_list blocks_;
};

}  // namespace tributary
