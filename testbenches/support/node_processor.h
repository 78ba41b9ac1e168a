// SPDX-License-Identifier: Apache-2.0
// The processor of a node with MAGIC, as a test speaks for it.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>

#include <tributary/algorithms/fbcopy.h>
#include <tributary/magic/magic_machine.h>

namespace tributary::testing {

/// Asks from outside of the simulation, which goes on until a load is answered. Stores are posted.
class node_processor final : public uncached_port, private memory_client {
 public:
  node_processor(magic_machine& machine, std::uint32_t node)
      : machine_(machine), port_(machine.node(node).processor()) {}
  ~node_processor() override { port_.set_client(nullptr); }

  word_t load(std::uint64_t address) override {
    answer_.reset();
    offer({address, {}, load_tag});
    run_until([this] { return answer_.has_value(); });
    return *answer_;
  }
  void store(std::uint64_t address, word_t value) override { offer(posted_store(address, value)); }
  void delay(std::uint64_t cycles) override { machine_.run_until(machine_.now() + cycles); }

 private:
  static constexpr std::uint64_t load_tag = 1;
  static constexpr cycle_t limit = 1'000'000;

  void offer(const access& asked) {
    port_.set_client(this);
    run_until([this] { return port_.can_take(); });
    port_.offer(0, asked, machine_.now());
  }
  template <class Condition>
  void run_until(const Condition& met) {
    if (met()) return;
    machine_.run_until(machine_.now() + limit, met);
    if (!met()) throw std::runtime_error("the node's processor waits in vain");
  }

  void completed(const completion& ended, cycle_t /*now*/) override {
    if (ended.tag == load_tag) answer_ = ended.value;
  }
  void room(std::size_t /*element*/, cycle_t /*now*/) override {}

  magic_machine& machine_;
  processor_interface& port_;
  std::optional<word_t> answer_;
};

}  // namespace tributary::testing
