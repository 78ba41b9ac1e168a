// SPDX-License-Identifier: Apache-2.0
// The Ultracomputer around a network that is one verilated model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <tributary/algorithms/workload_choice.h>
#include <tributary/memory/address_map.h>
#include <tributary/memory/memory.h>
#include <tributary/memory/packet.h>
#include <tributary/nic/network_interface.h>
#include <tributary/processor/workload.h>
#include <tributary/rtl/verilated_network.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/error.h>
#include <tributary/sim/statistics.h>
#include <ultracomputer/ultracomputer.h>

namespace tributary::benchmarks {

/// Elements, interfaces and memory are those of an `ultracomputer` and take turns as they do there;
/// no memory module has a local port. `Design` as of `verilated_network`.
template <class Design>
class rtl_machine {
 public:
  /// Throws `error` if the RTL is that of another network.
  rtl_machine(const ultracomputer_config& config, std::uint64_t seed)
      : seed_(seed),
        config_(checked(config)),
        map_(config.addresses, elements),
        memory_(config.memory, config.network.switches.link_cycles, elements),
        interface_(config.resolved_interface(), map_, Design::stages - 1,
                   config.network.switches.link_cycles, elements),
        workload_(make_workload(config.workload, config.processor, config.interface.outstanding,
                                map_, seed)),
        request_ready_(elements),
        reply_ready_(elements),
        takes_replies_(elements, 1) {}

  void step() {
    ++now_;
    responses_.clear();
    workload_->advance(now_, interface_);
    network_.depart(memory_.request_ready(), takes_replies_.data());
    look_at_ready();
    interface_.depart(request_ready_.data(), memory_.local_ready());
    memory_.depart(reply_ready_.data());
    interface_.advance();
    memory_.advance();
    move_requests();
    move_replies();
    network_.settle();
    memory_.settle();
    workload_->deliver(now_, responses_);
  }
  void step(std::uint64_t cycles) {
    for (std::uint64_t i = 0; i < cycles; ++i) step();
  }

  /// Throws `error` unless a machine of models has by now delivered the same, as late.
  void check_against_models() const {
    ultracomputer models(config_, seed_);
    models.step(now_);
    const average expected = models.interfaces().latency();
    const average found = interface_.latency();
    if (found == expected) return;
    throw error("after " + std::to_string(now_) + " cycles the RTL has delivered " +
                std::to_string(found.count()) + " replies with a mean latency of " +
                std::to_string(found.mean()) + ", the models " + std::to_string(expected.count()) +
                " with " + std::to_string(expected.mean()));
  }

 private:
  static constexpr std::uint32_t elements = 1U << Design::stages;

  static const ultracomputer_config& checked(const ultracomputer_config& config) {
    const bool same = config.network.processing_elements == elements;
    if (!same) throw error("the RTL is that of a network of " + std::to_string(elements));
    return config;
  }

  void look_at_ready() {
    for (std::size_t line = 0; line < elements; ++line) {
      request_ready_[line] = network_.request_ready(line);
      reply_ready_[line] = network_.reply_ready(line) ? 1 : 0;
    }
  }

  void move_requests() {
    network_.for_each_departing_request(
        [&](std::size_t module, const packet& request) { memory_.serve(module, request, now_); });
    interface_.release_requests(
        now_, [&](std::size_t pe, const packet& request) { network_.accept_request(pe, request); },
        [](std::size_t, const packet&) { throw error("this machine has no local ports"); });
  }

  void move_replies() {
    network_.for_each_departing_reply([&](std::size_t pe, const reply& response) {
      responses_.push_back(interface_.deliver(pe, response, now_));
    });
    memory_.release_replies(now_, [&](std::size_t module, const reply& response) {
      network_.accept_reply(module, response);
    });
  }

  std::uint64_t seed_;
  ultracomputer_config config_;
  address_map map_;
  verilated_network<Design> network_;
  memory memory_;
  network_interface interface_;
  std::unique_ptr<workload> workload_;
  std::vector<std::uint8_t> request_ready_;  // by element, of this cycle
  std::vector<std::uint8_t> reply_ready_;    // by module
  std::vector<std::uint8_t> takes_replies_;  // elements always do (cycle contract, rule 11)
  std::vector<memory_response> responses_;   // of this cycle
  cycle_t now_ = 0;
};

}  // namespace tributary::benchmarks
