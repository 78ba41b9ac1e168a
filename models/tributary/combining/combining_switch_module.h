// SPDX-License-Identifier: Apache-2.0
// One 2x2 combining switch as a module.
#pragma once

#include <cstdint>

#include <tributary/combining/combining_switch.h>
#include <tributary/combining/partner_pool.h>
#include <tributary/network/packet_link.h>
#include <tributary/sockets/core_module.h>

namespace tributary {

/// One switch with the pool of its partners: a value.
struct single_combining_switch {
  combining_switch state;
  partner_pool partners;

  void reset_statistics() { state.reset_counters(); }
  void report(statistics_group& group) const { state.report(group); }
};

/// A `combining_switch` behind eight links of one line, those of FG Figure 3.
class combining_switch_module : public core_module<single_combining_switch> {
 public:
  /// `route_bit`: the bit of a memory module's number that selects the output, k - 1 - stage in an
  /// omega network of k stages. Refuses what `combining_switch_config::validate` does.
  combining_switch_module(const sc_core::sc_module_name& name,
                          const combining_switch_config& config, unsigned route_bit = 0);

  sc_core::sc_vector<link_port<packet>> request_in{"request_in", 2};    ///< by input
  sc_core::sc_vector<link_port<reply>> reply_out{"reply_out", 2};       ///< by input
  sc_core::sc_vector<link_port<packet>> request_out{"request_out", 2};  ///< by output
  sc_core::sc_vector<link_port<reply>> reply_in{"reply_in", 2};         ///< by output

  /// Tells a sink of the switch's events, as those of switch `index` of `switches` in a stage.
  void observe(network_event_sink* sink, std::int32_t stage, std::size_t index,
               std::size_t switches);

  const char* kind() const override { return "tributary::combining_switch_module"; }

 private:
  /// Presents the events of one switch as those of its stage.
  struct stage_observer {
    static constexpr bool enabled = true;
    network_event_sink& sink;
    std::int32_t stage;
    std::size_t first_port;
    void inserted(std::size_t port, const packet& request) const {
      sink.request(event_kind::inserted, stage, first_port + port, request, request.id());
    }
    void combined(std::size_t port, const packet& request, const packet& joined) const {
      sink.request(event_kind::combined, stage, first_port + port, request, joined.id());
    }
    void decombined(std::size_t port, const reply& response, const request_id& first) const {
      sink.response(event_kind::decombined, stage, first_port + port, response, first);
    }
  };

  void end_of_elaboration() override;
  void ready() override;
  void depart() override;
  void commit() override;
  void reset() override;

  void report_departures();
  template <class Observer>
  void accept(const Observer& observer);

  switch_departures leaving_;
  std::int32_t stage_ = 0;
  std::size_t index_ = 0;
  std::size_t switches_ = 1;
};

}  // namespace tributary
