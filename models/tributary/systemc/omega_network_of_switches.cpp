// SPDX-License-Identifier: Apache-2.0
#include <tributary/systemc/omega_network_of_switches.h>

#include <algorithm>
#include <string>
#include <utility>

#include <tributary/network/omega/switch_selection.h>
#include <tributary/sim/statistics.h>
#include <tributary/systemc/messages.h>

namespace tributary {

omega_network_of_switches::omega_network_of_switches(const sc_core::sc_module_name& name,
                                                     const omega_network_config& config)
    : sc_module(name),
      config_(make_or_report(*this, messages::configuration,
                             [&] {
                               config.validate();
                               return config;
                             })),
      replaced_(select_switches("network.rtl", config_.rtl, config_.stages(), columns())),
      requests_("requests", config_.stages() - 1,
                [&](const char* link, std::size_t) {
                  return new packet_link<packet>(link, config_.processing_elements);
                }),
      replies_("replies", config_.stages() - 1,
               [&](const char* link, std::size_t) {
                 return new packet_link<reply>(link, config_.processing_elements);
               }),
      switches_("switch", config_.stages() * columns(), [&](const char* module, std::size_t i) {
        return make_switch(module, {i / columns(), i % columns()});
      }) {
  for (std::size_t stage = 0; stage < config_.stages(); ++stage) {
    for (std::size_t index = 0; index < columns(); ++index) connect(stage, index);
  }
}

combining_switch_module* omega_network_of_switches::make_switch(const char* name,
                                                                const switch_place& place) {
  const auto route_bit = static_cast<unsigned>(config_.stages() - 1 - place.stage);
  if (std::find(replaced_.begin(), replaced_.end(), place) == replaced_.end()) {
    return new combining_switch_module(name, config_.switches, route_bit);
  }
  auto replacement =
      make_or_report(*this, messages::configuration, [&] { return config_.make_replaced(place); });
  return new combining_switch_module(name, std::move(replacement), config_.switches, route_bit);
}

void omega_network_of_switches::connect(std::size_t stage, std::size_t index) {
  combining_switch_module& here = at(stage, index);
  here.clock(clock);
  here.reset_n(reset_n);
  for (std::size_t i = 0; i < 2; ++i) {
    // Line l of a level enters input l / (N / 2) of switch l mod N / 2 of its stage; output o of
    // switch j is line 2 j + o of the next level.
    const std::size_t line_before = i * columns() + index;
    const std::size_t line_behind = 2 * index + i;
    if (stage == 0) {
      here.request_in[i].bind(request_in, line_before);
      here.reply_out[i].bind(reply_out, line_before);
    } else {
      here.request_in[i].bind(requests_[stage - 1], line_before);
      here.reply_out[i].bind(replies_[stage - 1], line_before);
    }
    if (stage + 1 == config_.stages()) {
      here.request_out[i].bind(request_out, line_behind);
      here.reply_in[i].bind(reply_in, line_behind);
    } else {
      here.request_out[i].bind(requests_[stage], line_behind);
      here.reply_in[i].bind(replies_[stage], line_behind);
    }
  }
}

void omega_network_of_switches::observe(request_event_sink* sink) {
  for (std::size_t stage = 0; stage < config_.stages(); ++stage) {
    for (std::size_t index = 0; index < columns(); ++index) {
      at(stage, index).observe_at(sink, {static_cast<std::int32_t>(stage), index, columns()});
    }
  }
}

void omega_network_of_switches::reset_statistics() {
  for (combining_switch_module& each : switches_) each.reset_statistics();
}

void omega_network_of_switches::report(statistics_group& group) const {
  for (std::size_t stage = 0; stage < config_.stages(); ++stage) {
    const std::size_t first = stage * columns();
    combining_counters total = switches_[first].counters();
    for (std::size_t i = 1; i < columns(); ++i) total.join(switches_[first + i].counters());
    report_counters(total, config_.switches, columns(),
                    group.group("stage").group(std::to_string(stage)));
  }
}

}  // namespace tributary
