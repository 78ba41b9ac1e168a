// SPDX-License-Identifier: Apache-2.0
// Fetch-and-phi operations of processors, performed by the controller of the word's home.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tributary/controller/fiber_protocol.h>
#include <tributary/memory/line.h>
#include <tributary/protocols/fetch_op/coherent_fetch_op_handlers.h>
#include <tributary/protocols/fetch_op/fetch_op_costs.h>

namespace tributary {

class parameter_set;

/// Who changes a word for a processor that has caches. A processor without has a handler at the
/// word's home do it, on memory.
enum class fetch_op_method : std::uint8_t {
  ll_sc,    ///< the processor, by load-linked and store-conditional
  home,     ///< a handler at the word's home, on memory; no cache keeps such words
  coherent  ///< a handler at the word's home, which owns the line meanwhile
};

/// Configuration of the protocol.
struct fetch_op_config {
  fetch_op_method method = fetch_op_method::ll_sc;
  std::uint64_t uncached_bytes = 0;

  void bind(parameter_set& parameters);
  /// Throws `configuration_error` for bytes that no window of lines can have.
  void validate(line_size line) const;
};

/// Every operation of operation_forms.def on doublewords of the normal space:
/// common_type::uncached_operation (FLASH 7.2.1). The handlers are those of fetch_op_handlers.h, or
/// of coherent_fetch_op_handlers.h.
class fetch_op_protocol : public fiber_protocol {
 public:
  explicit fetch_op_protocol(const fetch_op_costs& costs, const fetch_op_config& config = {});
  /// For `fetch_op_method::coherent`; `coherence`: of the node's coherence, which must outlive
  /// this. `nodes`: of the machine, whose processors have up to `outstanding` accesses outstanding.
  fetch_op_protocol(const fetch_op_costs& costs, const fetch_op_config& config,
                    const coherence::handler_settings& coherence, std::uint32_t nodes,
                    std::uint32_t outstanding);

  std::string name() const override { return "fetch_op"; }
  std::vector<dispatch_rule> rules() const override;
  std::vector<handler> handlers() override;
  operated_words operations() const override;
  std::uint64_t storage_bytes() const override;
  void initialize(const protocol_storage& where, word_memory& memory) override;

 private:
  bool is_coherent() const { return settings_.coherence != nullptr; }

  fetch_op_config config_;
  fetch_ops::coherent_settings settings_;
};

}  // namespace tributary
