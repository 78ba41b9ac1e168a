// SPDX-License-Identifier: Apache-2.0
// Cache coherence: which lines of a node's memory are in whose caches.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tributary/controller/fiber_protocol.h>
#include <tributary/protocols/coherence/coherence_costs.h>
#include <tributary/protocols/coherence/coherent_lines.h>
#include <tributary/protocols/coherence/directory.h>
#include <tributary/protocols/coherence/handlers.h>

namespace tributary {

/// When a write is granted that others have to be invalidated for.
enum class consistency_kind : std::uint8_t {
  relaxed,    ///< at once; it is complete when all have acknowledged (FLASH 6.3.4)
  sequential  ///< when all have acknowledged
};

/// Configuration of the protocol.
struct coherence_config {
  consistency_kind consistency = consistency_kind::relaxed;
  std::uint64_t elements = 4096;
  std::uint64_t records = 32;
  std::uint64_t owned_lines = 4;
  bool exclusive_on_read = false;

  void bind(parameter_set& parameters);
};

/// The base protocol: a directory by dynamic pointer allocation, three-hop forwarding, refusals
/// and retries (FLASH 2.2.3). Its handlers are those of coherence/handlers.h.
class coherence_protocol : public fiber_protocol {
 public:
  /// `bytes`: of the node's memory, from its beginning, that has a directory, in such lines.
  coherence_protocol(const coherence_config& config, const coherence_costs& costs,
                     std::uint64_t bytes, line_size line,
                     const pp_ownership_costs& ownership_costs = {});

  std::string name() const override { return "coherence"; }
  std::vector<dispatch_rule> rules() const override;
  std::vector<handler> handlers() override;
  std::vector<message_name> message_names() const override;
  std::vector<protocol_statistic> statistics() const override;
  std::uint64_t storage_bytes() const override;
  void initialize(const protocol_storage& where, word_memory& memory) override;

  const coherence::directory_layout& layout() const { return settings_.layout; }
  /// For handlers of other protocols of the node that own lines; complete once it is initialized.
  const coherence::handler_settings& settings() const { return settings_; }
  /// What other protocols of the node are told about lines.
  line_states& lines() { return lines_; }

 private:
  coherence::handler_settings settings_;
  coherent_lines lines_{settings_};
};

}  // namespace tributary
