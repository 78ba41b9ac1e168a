// SPDX-License-Identifier: Apache-2.0
// The inbox with its jump table as a module.
#pragma once

#include <memory>
#include <vector>

#include <tributary/controller/address_layout.h>
#include <tributary/controller/protocol.h>
#include <tributary/magic/data_buffers.h>
#include <tributary/magic/direct_source.h>
#include <tributary/magic/dispatch.h>
#include <tributary/magic/inbox.h>
#include <tributary/magic/jump_table.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/ids.h>
#include <tributary/systemc/block_module.h>

namespace tributary {

/// A `inbox` as a module: see `magic_node_of_modules`.
class inbox_module final : public block_module<inbox> {
 public:
  /// `rules`: see `jump_table`.
  inbox_module(const sc_core::sc_module_name& name, const inbox_config& config,
               const jump_table_config& table, const std::vector<dispatch_rule>& rules,
               const address_layout& addresses, node_id here)
      : block_module(name),
        config_(config),
        table_(make_or_report(*this, messages::configuration,
                              [&] { return jump_table(table, rules, addresses, here); })) {}

  /// Its inputs by their names; one that is not bound stays empty.
  template <class Source>
  using input = sc_core::sc_port<exported<Source>, 1, sc_core::SC_ZERO_OR_MORE_BOUND>;

  block_port<agenda> time{"time"};
  block_port<data_buffers> buffers{"buffers"};
  block_port<outgoing_space> outgoing{"outgoing"};
  input<inbox_source> processor{"processor"};
  input<inbox_source> request_lane{"request_lane"};
  input<inbox_source> reply_lane{"reply_lane"};
  input<inbox_source> third_lane{"third_lane"};
  input<inbox_source> fourth_lane{"fourth_lane"};
  input<inbox_source> io{"io"};
  input<direct_source> deferred{"deferred"};
  input<direct_source> timed{"timed"};
  block_export<inbox> in{"in", [this]() -> inbox& { return core(); }};
  /// Who has something for it calls this one.
  block_export<selector> look{"look", [this]() -> selector& { return core(); }};

  const char* kind() const override { return "tributary::inbox_module"; }

 private:
  std::unique_ptr<inbox> make() override {
    return std::make_unique<inbox>(config_, time->reach(), table_, buffers->reach(),
                                   outgoing->reach());
  }
  void connect(inbox& core) override {
    connect_input(core, inbox_input::processor, processor);
    connect_input(core, inbox_input::request_lane, request_lane);
    connect_input(core, inbox_input::reply_lane, reply_lane);
    connect_input(core, inbox_input::third_lane, third_lane);
    connect_input(core, inbox_input::fourth_lane, fourth_lane);
    connect_input(core, inbox_input::io, io);
    connect_input(core, inbox_input::software_queue, deferred);
    connect_input(core, inbox_input::idle_handler, timed);
  }
  template <class Source>
  static void connect_input(inbox& core, inbox_input which, input<Source>& from) {
    if (from.size() != 0) core.connect(which, from->reach());
  }

  inbox_config config_;
  jump_table table_;
};

}  // namespace tributary
