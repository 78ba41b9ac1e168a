// SPDX-License-Identifier: Apache-2.0
// A protocol whose handlers increment words coherently, by owning their lines.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tributary/controller/fiber_protocol.h>
#include <tributary/protocols/coherence/coherence.h>
#include <tributary/protocols/pp_ownership.h>
#include <tributary/sim/error.h>

#include "node_processor.h"

namespace tributary::testing {

/// An uncached store of any value in the protocol's space increments the word of that address once,
/// on whatever node it is.
class owned_increments final : public fiber_protocol {
 public:
  static constexpr std::uint8_t space = 3;

  owned_increments(const pp_ownership_costs& costs, line_states& lines)
      : ownership_(costs, lines) {}

  std::string name() const override { return "owned_increments"; }
  std::vector<dispatch_rule> rules() const override {
    return {{static_cast<std::uint8_t>(common_type::uncached_write), message_origin::processor,
             locality::any, handler_id{0}, space}};
  }
  std::vector<handler> handlers() override {
    using self = owned_increments;
    static constexpr named_body<self> bodies[] = {{"increment", &self::increment},
                                                  {"increment_owned", &self::increment_owned}};
    return handlers_from(*this, bodies);
  }
  std::uint64_t storage_bytes() const override { return 2 * word_bytes; }
  void initialize(const protocol_storage& where, word_memory&) override { storage_ = where; }

  /// Increments that are complete.
  word_t completed(const word_memory& memory) const { return memory.read(storage_.address); }
  /// Cycles in which the last line was given back, by the robust path.
  word_t cycles_of_return(const word_memory& memory) const {
    return memory.read(storage_.address + word_bytes);
  }

 private:
  void increment(handler_context& context) {
    const address_layout& layout = context.addresses();
    const std::uint64_t asked = context.arrived().address;
    const std::uint64_t word = layout.address_of(layout.node_of(asked), 0, layout.offset_of(asked));
    const std::uint64_t line = storage_.line.start(word);
    if (const auto data = ownership_.acquire(context, line)) {
      add(context, *data, word);
      ownership_.release(context, line, *data);
      return;
    }
    const auto first = static_cast<std::uint16_t>(storage_.first_handler);
    const handler_id owned{static_cast<std::uint16_t>(first + 1)};
    if (!ownership_.ask(context, line, owned, word)) throw simulation_error("the table is full");
  }

  void increment_owned(handler_context& context) {
    const auto data = ownership_.take(context);
    if (!data) {
      context.again();
      return;
    }
    add(context, *data, ownership_.argument(context));
    const cycle_t begun = context.now();
    ownership_.give_back(context, *data);
    context.store(storage_.address + word_bytes, context.now() - begun);
    context.done();
  }

  void add(handler_context& context, payload_handle data, std::uint64_t word) const {
    const std::size_t place = storage_.line.word(word);
    context.set_word(data, place, context.word(data, place) + 1);
    context.store(storage_.address, context.load(storage_.address) + 1);
  }

  pp_ownership ownership_;
  protocol_storage storage_;
};

/// Coherence of a node, and these increments.
inline std::vector<std::unique_ptr<protocol>> with_owned_increments(
    std::unique_ptr<coherence_protocol> coherence) {
  line_states& lines = coherence->lines();
  std::vector<std::unique_ptr<protocol>> all;
  all.push_back(std::move(coherence));
  all.push_back(std::make_unique<owned_increments>(pp_ownership_costs{}, lines));
  return all;
}

/// The increments of a node of a machine that was made with them.
inline const owned_increments& owned_increments_of(const magic_node& node) {
  return static_cast<const owned_increments&>(node.protocols().at(1));
}

/// Lets the protocol processor of a node increment the word at an address.
inline void increment_owned(magic_machine& machine, std::uint32_t node, std::uint64_t address) {
  const address_layout& layout = machine.config().node.addresses;
  const std::uint64_t asked = layout.address_of(layout.node_of(address), owned_increments::space,
                                                layout.offset_of(address));
  node_processor(machine, node).store(asked, 0);
}

}  // namespace tributary::testing
