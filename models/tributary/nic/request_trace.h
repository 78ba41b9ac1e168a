// SPDX-License-Identifier: Apache-2.0
// Turns what the blocks of an omega network report into events of a trace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <tributary/memory/request_events.h>
#include <tributary/network/omega/omega_network.h>
#include <tributary/network/omega/omega_tracks.h>
#include <tributary/nic/network_interface.h>
#include <tributary/sim/cycle.h>
#include <tributary/trace/catalog.h>
#include <tributary/trace/recorder.h>

namespace tributary {

/// Collects the events of one cycle, and tells its observers at the cycle's end. Replies carry
/// neither form nor address: both are looked up by identity in the interfaces, where every request
/// in the network has its record until the cycle in which it is delivered.
class request_trace final : public request_event_sink {
 public:
  /// For a network of `shape`, on a machine of that name; `interfaces` must outlive the trace.
  request_trace(const network_interface& interfaces, const omega_network_config& shape,
                const std::string& machine);

  observer_list<trace_event>& observers() { return recorder_.observers(); }
  bool observed() const { return recorder_.observed(); }
  trace_recorder& recorder() { return recorder_; }
  trace_catalog& catalog() { return catalog_; }
  const omega_tracks& tracks() const { return tracks_; }

  /// What is reported from here on happens in cycle `now`; the cycle before ends.
  void begin(cycle_t now) {
    end();
    cycle_ = now;
  }
  /// Tells the observers what the cycle brought. Does nothing the second time.
  void end() {
    recorder_.tell(cycle_);
    delivered_.clear();
  }

  void request(const event_kind& kind, std::int32_t stage, std::size_t port, const packet& request,
               const request_id& parent) override;
  void response(const event_kind& kind, std::int32_t stage, std::size_t port, const reply& response,
                const request_id& parent) override;
  void reply_departed(std::int32_t stage, std::size_t line, const reply& response) override;

 private:
  trace_event& add(const event_kind& kind, track_id track, const request_id& id,
                   const request_id& parent);
  asked_request add_asked(trace_event& event, const reply& response) const;
  asked_request delivered_request(const request_id& id) const;

  /// What an element had asked for by a request whose response it got.
  struct delivered_record {
    request_id id;
    asked_request asked;
  };

  const network_interface& interfaces_;
  omega_tracks tracks_;
  bool inserts_before_joining_;
  trace_catalog catalog_;
  trace_recorder recorder_;
  std::vector<delivered_record> delivered_;  // in this cycle
  cycle_t cycle_ = 0;
};

/// What a network holds after cycle `now`.
trace_start start_of(const omega_network& network, cycle_t now);

}  // namespace tributary
