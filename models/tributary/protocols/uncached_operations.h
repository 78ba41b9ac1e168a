// SPDX-License-Identifier: Apache-2.0
// Uncached fetch-and-phi operations of the processor, on the memory of any node.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tributary/controller/fiber_protocol.h>
#include <tributary/memory/line.h>

namespace tributary {

class parameter_set;

/// Occupancy of the handlers. The publications have no such operations: all are assumed, after the
/// loads and stores of `uncached_costs`.
struct uncached_operation_costs {
  std::uint64_t perform = 16;
  std::uint64_t forward = 3;
  std::uint64_t reply = 2;
  void bind(parameter_set& parameters);
};

/// Functions of doublewords in the normal space: common_type::uncached_operation. The home's
/// protocol processor performs them one after the other and answers with the word before. The
/// operands' data buffer goes to the home and comes back with the answer, so no handler needs
/// another one, and none is ever refused.
class uncached_operations final : public fiber_protocol {
 public:
  enum class message_type : std::uint8_t { request = 24, reply };

  explicit uncached_operations(const uncached_operation_costs& costs) : costs_(costs) {}

  std::string name() const override { return "uncached_operations"; }
  std::vector<dispatch_rule> rules() const override;
  std::vector<handler> handlers() override;
  std::vector<message_name> message_names() const override;
  void initialize(const protocol_storage& where, word_memory&) override { line_ = where.line; }

 private:
  /// Performs the operation that arrived; returns the word before.
  word_t perform(handler_context& context) const;

  uncached_operation_costs costs_;
  line_size line_;
};

}  // namespace tributary
