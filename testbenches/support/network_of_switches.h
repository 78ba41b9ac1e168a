// SPDX-License-Identifier: Apache-2.0
// An omega network composed of single switch modules, as a user would compose one.
#pragma once

#include <cstddef>
#include <cstdint>

#include <tributary/network/omega/omega_network.h>
#include <tributary/systemc/combining_switch_module.h>
#include <tributary/systemc/packet_link.h>

namespace tributary::testing {

/// The network of `omega_network_module`, each switch a module of its own.
struct network_of_switches : sc_core::sc_module {
  network_of_switches(const sc_core::sc_module_name& name, const omega_network_config& described)
      : sc_module(name), config(described) {
    const auto link = [this](const char* of, std::size_t) {
      return new packet_link<packet>(of, config.processing_elements);
    };
    const auto back_link = [this](const char* of, std::size_t) {
      return new packet_link<reply>(of, config.processing_elements);
    };
    const auto a_switch = [this](const char* of, std::size_t i) {
      const auto route_bit = static_cast<unsigned>(config.stages() - 1 - i / columns());
      return new combining_switch_module(of, config.switches, route_bit);
    };
    requests.init(config.stages() - 1, link);
    replies.init(config.stages() - 1, back_link);
    switches.init(config.stages() * columns(), a_switch);
    for (std::size_t i = 0; i < switches.size(); ++i) connect(i / columns(), i % columns());
  }

  std::size_t columns() const { return config.processing_elements / 2; }

  /// Line l of a level enters input l / (N / 2) of switch l mod N / 2 of its stage; output o of
  /// switch j is line 2 j + o of the next level.
  void connect(std::size_t stage, std::size_t index) {
    combining_switch_module& here = switches[stage * columns() + index];
    here.clock(clock);
    here.reset_n(reset_n);
    for (std::size_t i = 0; i < 2; ++i) {
      const std::size_t before = i * columns() + index;
      const std::size_t behind = 2 * index + i;
      if (stage == 0) {
        here.request_in[i].bind(request_in, before);
        here.reply_out[i].bind(reply_out, before);
      } else {
        here.request_in[i].bind(requests[stage - 1], before);
        here.reply_out[i].bind(replies[stage - 1], before);
      }
      if (stage + 1 == config.stages()) {
        here.request_out[i].bind(request_out, behind);
        here.reply_in[i].bind(reply_in, behind);
      } else {
        here.request_out[i].bind(requests[stage], behind);
        here.reply_in[i].bind(replies[stage], behind);
      }
    }
  }

  void observe(request_event_sink* sink) {
    for (std::size_t i = 0; i < switches.size(); ++i) {
      const auto stage = static_cast<std::int32_t>(i / columns());
      switches[i].observe_at(sink, {stage, i % columns(), columns()});
    }
  }

  void report(statistics_group& group) const {
    for (std::size_t stage = 0; stage < config.stages(); ++stage) {
      combining_counters total = switches[stage * columns()].counters();
      for (std::size_t i = 1; i < columns(); ++i) {
        total.join(switches[stage * columns() + i].counters());
      }
      report_counters(total, config.switches, columns(),
                      group.group("stage").group(std::to_string(stage)));
    }
  }

  sc_core::sc_in<bool> clock{"clock"};
  sc_core::sc_in<bool> reset_n{"reset_n"};
  link_port<packet> request_in{"request_in"};    // by element
  link_port<reply> reply_out{"reply_out"};       // by element
  link_port<packet> request_out{"request_out"};  // by memory module
  link_port<reply> reply_in{"reply_in"};         // by memory module

  omega_network_config config;
  // Between the stages: link s joins stage s to stage s + 1.
  sc_core::sc_vector<packet_link<packet>> requests{"requests"};
  sc_core::sc_vector<packet_link<reply>> replies{"replies"};
  sc_core::sc_vector<combining_switch_module> switches{"switch"};
};

}  // namespace tributary::testing
