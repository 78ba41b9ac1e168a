// SPDX-License-Identifier: Apache-2.0
// How many references an algorithm makes where nobody else is about.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <tributary/processor/program.h>
#include <tributary/sim/observer.h>
#include <ultracomputer/ultracomputer.h>

namespace tributary::testing {

/// References of one element: through the network, and into its own memory without it.
struct reference_count {
  std::uint64_t network = 0;
  std::uint64_t local = 0;

  bool operator==(const reference_count& other) const {
    return network == other.network && local == other.local;
  }
};

/// Counts what element 0 of a machine asks for while it performs `steps[i]`, for each i; the other
/// elements do nothing. The steps are made by `make` from the element's context.
class reference_counter final : public observer<offered_request> {
 public:
  using step = std::function<void()>;
  using step_maker = std::function<std::vector<step>(program_context&)>;

  static std::vector<reference_count> count(std::uint32_t elements, const step_maker& make) {
    ultracomputer_config config;
    config.network.processing_elements = elements;
    config.processor.start_window = 1;
    reference_counter counter;
    const auto alone = [&counter, &make](program_context& context) {
      if (context.rank() != 0) return;
      for (const step& each : make(context)) {
        counter.counts_.emplace_back();
        each();
      }
    };
    ultracomputer machine(config, 1, make_program(alone));
    counter.map_ = &machine.addresses();
    machine.interfaces().offers().attach(counter);
    while (!machine.finished()) machine.step();
    machine.interfaces().offers().detach(counter);
    return counter.counts_;
  }

  void on_event(const offered_request& offered) override {
    const std::uint64_t address = offered.request.address;
    const bool own = map_->region_of(address)->local_port &&
                     static_cast<std::uint32_t>(map_->module_of(address)) ==
                         static_cast<std::uint32_t>(offered.pe);
    ++(own ? counts_.back().local : counts_.back().network);
  }

 private:
  const address_map* map_ = nullptr;
  std::vector<reference_count> counts_;
};

}  // namespace tributary::testing
