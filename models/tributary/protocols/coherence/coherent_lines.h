// SPDX-License-Identifier: Apache-2.0
// The states of a node's lines as its directory has them.
#pragma once

#include <tributary/protocols/coherence/handlers.h>
#include <tributary/protocols/line_states.h>

namespace tributary {

/// Answers other protocols of a node from the directory of `coherence`.
class coherent_lines final : public line_states {
 public:
  /// `settings`: of the node's coherence, which must outlive this.
  explicit coherent_lines(const coherence::handler_settings& settings) : settings_(settings) {}

  line_place place_of(handler_context& context, std::uint64_t address) override;
  void ask_processor(handler_context& context, std::uint64_t address, payload_handle data) override;
  bool take_from_processor(handler_context& context, std::uint64_t address,
                           payload_handle data) override;
  node_id begin_asking_owner(handler_context& context, std::uint64_t address) override;
  void take_from_owner(handler_context& context, std::uint64_t address,
                       payload_handle data) override;
  void end_asking_owner(handler_context& context, std::uint64_t address) override;
  line_holders holders_of(handler_context& context, std::uint64_t address) override;
  void take_sharing(handler_context& context, std::uint64_t address) override;
  void drop_dirty(handler_context& context, std::uint64_t address) override;
  bool dropped(handler_context& context, std::uint64_t address) override;
  node_id next_holder(handler_context& context, std::uint64_t address) override;
  void await(handler_context& context, std::uint64_t address, word_t awaited) override;
  word_t acknowledged(handler_context& context, std::uint64_t address, bool had) override;
  bool was_there(handler_context& context, std::uint64_t address) override;
  bool drop(handler_context& context, std::uint64_t address, bool wants_state) override;
  bool has_homes() const override { return true; }
  bool ask_to_own(handler_context& context, std::uint64_t address, handler_id run,
                  word_t argument) override;
  word_t owned_argument(handler_context& context) override;
  void take_owned(handler_context& context, payload_handle data) override;
  void give_back(handler_context& context, payload_handle data) override;

 private:
  const coherence::handler_settings& settings_;
};

}  // namespace tributary
