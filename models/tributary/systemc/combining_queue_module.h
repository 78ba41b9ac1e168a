// SPDX-License-Identifier: Apache-2.0
// One combining queue as a module.
#pragma once

#include <cstdint>

#include <tributary/network/omega/combining_queue.h>
#include <tributary/network/omega/partner_pool.h>
#include <tributary/systemc/core_module.h>
#include <tributary/systemc/packet_link.h>

namespace tributary {

/// One queue with the pool of its partners: a value.
struct single_combining_queue {
  combining_queue queue;
  partner_pool partners;

  bool operator==(const single_combining_queue& other) const {
    return queue.equals(partners, other.queue, other.partners);
  }
  void reset_statistics() {}
  void report(statistics_group& group) const;
  /// The same of a queue that is implemented elsewhere.
  static void report(statistics_group& group, std::uint64_t waiting, std::uint64_t combined);
};

/// A `combining_queue` behind links. The head leaves when `request_out` is ready and, if it is
/// combined, `partner_out` is too: the wait buffer is not full (cycle contract, rule 4; the link
/// timer and the arbitration are the switch's).
class combining_queue_module : public core_module<single_combining_queue> {
 public:
  /// Refuses what `combining_queue` does, as `messages::configuration`.
  combining_queue_module(const sc_core::sc_module_name& name, const combining_queue_config& config);

  link_port<packet> request_in{"request_in"};  ///< `config.writers` lines
  link_port<packet> request_out{"request_out"};
  link_port<partner> partner_out{"partner_out"};  ///< to the wait buffer, with a combined head

  const char* kind() const override { return "tributary::combining_queue_module"; }

 private:
  void end_of_elaboration() override;
  void ready() override;
  void depart() override;
  void commit() override;
  void reset() override;

  // Decided by `depart`.
  bool head_leaves_ = false;
  bool wait_buffer_full_ = false;
};

}  // namespace tributary
