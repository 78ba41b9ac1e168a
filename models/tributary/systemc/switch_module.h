// SPDX-License-Identifier: Apache-2.0
// A 2x2 switch as a module at its ports, whatever is inside.
#pragma once

#include <cstddef>
#include <cstdint>

#include <tributary/memory/request_events.h>
#include <tributary/network/omega/switch_column.h>
#include <tributary/systemc/clocked_module.h>
#include <tributary/systemc/packet_link.h>

namespace tributary {

/// Where a switch stands in a network: in stage `stage`, the one of `switches` with number `index`.
struct switch_position {
  std::int32_t stage = 0;
  std::size_t index = 0;
  std::size_t switches = 1;
};

/// Eight links of one line, those of FG Figure 3.
class switch_module : public clocked_module {
 public:
  sc_core::sc_vector<link_port<packet>> request_in{"request_in", 2};    ///< by input
  sc_core::sc_vector<link_port<reply>> reply_out{"reply_out", 2};       ///< by input
  sc_core::sc_vector<link_port<packet>> request_out{"request_out", 2};  ///< by output
  sc_core::sc_vector<link_port<reply>> reply_in{"reply_in", 2};         ///< by output

  /// Tells a sink of the switch's events, as those of the switch at a position.
  virtual void observe_at(request_event_sink* sink, const switch_position& position) = 0;
  virtual const combining_counters& counters() const = 0;
  virtual void reset_statistics() = 0;

  const char* kind() const override { return "tributary::switch_module"; }

 protected:
  explicit switch_module(const sc_core::sc_module_name& name) : clocked_module(name) {}

  void end_of_elaboration() override {
    for (std::size_t i = 0; i < 2; ++i) {
      request_in[i].open(packet_link<packet>::end::receiver, 1);
      request_out[i].open(packet_link<packet>::end::sender, 1);
      reply_in[i].open(packet_link<reply>::end::receiver, 1);
      reply_out[i].open(packet_link<reply>::end::sender, 1);
    }
  }

  /// No room on any link.
  void refuse_all() {
    for (std::size_t i = 0; i < 2; ++i) {
      request_in[i].publish_all(0);
      reply_in[i].publish_all(0);
    }
  }
};

/// Presents the events of one switch as those of its stage; ports are its own, 0 and 1.
struct stage_observer {
  static constexpr bool enabled = true;
  request_event_sink& sink;
  const switch_position& position;

  void inserted(std::size_t port, const packet& request) const {
    tell(request_events::inserted, port, request, request.id());
  }
  void combined(std::size_t port, const packet& request, const packet& joined) const {
    combined(port, request, joined.id());
  }
  void combined(std::size_t port, const packet& request, const request_id& joined) const {
    tell(request_events::combined, port, request, joined);
  }
  void departed(std::size_t port, const packet& request) const {
    tell(request_events::departed, port, request, request.id());
  }
  void decombined(std::size_t port, const reply& response, const request_id& first) const {
    sink.response(request_events::decombined, position.stage, 2 * position.index + port, response,
                  first);
  }
  void reply_departed(std::size_t input, const reply& response) const {
    sink.reply_departed(position.stage, input * position.switches + position.index, response);
  }

 private:
  void tell(const event_kind& kind, std::size_t port, const packet& request,
            const request_id& other) const {
    sink.request(kind, position.stage, 2 * position.index + port, request, other);
  }
};

}  // namespace tributary
