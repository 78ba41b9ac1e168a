// SPDX-License-Identifier: Apache-2.0
// Two nodes with MAGIC whose handlers are those of a test.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tributary/magic/magic_machine.h>
#include <tributary/sim/error.h>

#include <support/failure.h>
#include <support/protocol_lists.h>

namespace tributary::testing {

using handler_body = std::function<void(handler_context&)>;

/// Handlers of the processor's reads and writes, of a message on each of two lanes, and one that
/// the others may defer.
struct script {
  static constexpr std::uint8_t request_type = first_protocol_type;
  static constexpr std::uint8_t reply_type = first_protocol_type + 1;
  static constexpr handler_id deferred{4};

  handler_body read = [](handler_context& context) { context.answer(0); };
  handler_body write = [](handler_context&) {};
  handler_body request = [](handler_context&) {};
  handler_body reply = [](handler_context&) {};
  handler_body later = [](handler_context& context) { context.done(); };
};

class scripted_protocol final : public fiber_protocol {
 public:
  explicit scripted_protocol(script bodies) : bodies_(std::move(bodies)) {}

  std::string name() const override { return "test"; }
  std::vector<dispatch_rule> rules() const override {
    const auto read = static_cast<std::uint8_t>(common_type::uncached_read);
    const auto write = static_cast<std::uint8_t>(common_type::uncached_write);
    const auto any = locality::any;
    return {{read, message_origin::processor, any, handler_id{0}},
            {write, message_origin::processor, any, handler_id{1}},
            {script::request_type, message_origin::network, any, handler_id{2}},
            {script::reply_type, message_origin::network, any, handler_id{3}}};
  }
  std::vector<handler> handlers() override {
    return {{"read", bodies_.read},
            {"write", bodies_.write},
            {"request", bodies_.request},
            {"reply", bodies_.reply},
            {"later", bodies_.later}};
  }
  std::uint64_t storage_bytes() const override { return 16384; }
  void initialize(const protocol_storage&, word_memory&) override {}

 private:
  script bodies_;
};

class scripted_machine {
 public:
  explicit scripted_machine(const script& bodies, const magic_machine_config& config = {})
      : machine(config,
                [&](node_id) { return list_of(std::make_unique<scripted_protocol>(bodies)); }) {}

  /// The processor of node 0 reads or writes the word at 0x100 of node 0.
  void read() { machine.node(0).processor().offer(0, {0x100}, machine.now()); }
  void write(word_t value) {
    machine.node(0).processor().offer(0, posted_store(0x100, value), machine.now());
  }

  /// What a run ends with; empty if no rule was broken.
  std::string run(cycle_t last = 5000) {
    return failure<simulation_error>([&] { machine.run_until(last); });
  }

  magic_machine machine;
};

}  // namespace tributary::testing
