// SPDX-License-Identifier: Apache-2.0
// The memory modules of a machine as one module, joined to its network by links.
#pragma once

#include <cstddef>
#include <cstdint>

#include <tributary/memory/memory.h>
#include <tributary/sim/observer.h>
#include <tributary/systemc/core_module.h>
#include <tributary/systemc/packet_link.h>

namespace tributary {

/// A `memory` of `count` modules behind links with a line for each. (`memory_module` is one module
/// behind a TLM-2.0 socket.)
class memory_array_module : public core_module<memory> {
 public:
  /// Refuses values out of range, as `messages::configuration`.
  memory_array_module(const sc_core::sc_module_name& name, const memory_config& config,
                      std::uint32_t link_cycles, std::size_t count);

  link_port<packet> request_in{"request_in"};
  link_port<reply> reply_out{"reply_out"};
  // The modules' local ports; they may stay unbound.
  link_port<packet, sc_core::SC_ZERO_OR_MORE_BOUND> local_request_in{"local_request_in"};
  link_port<reply, sc_core::SC_ZERO_OR_MORE_BOUND> local_reply_out{"local_reply_out"};

  /// Told of every request that a module takes from the network, in the cycle in which it does.
  observer_list<packet>& served() { return served_; }
  /// Tells a sink of the modules' events, as those of the network's end `stage`.
  void observe(request_event_sink* sink, std::int32_t stage);

  const char* kind() const override { return "tributary::memory_array_module"; }

 private:
  void end_of_elaboration() override;
  void ready() override;
  void depart() override;
  void commit() override;
  void reset() override;

  std::int32_t stage_ = 0;
  observer_list<packet> served_;
};

}  // namespace tributary
