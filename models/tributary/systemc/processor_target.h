// SPDX-License-Identifier: Apache-2.0
// The socket of a node with MAGIC by which any TLM-2.0 initiator takes the place of its processor.
#pragma once

#include <tributary/memory/port.h>
#include <tributary/systemc/systemc.h>
#include <tributary/systemc/word_target.h>

namespace tributary {

class magic_node_module;

/// From transactions to uncached accesses of a `processor_interface`, and back. Refused with an
/// address error is what no window or node has. Debug accesses reach the node's own memory.
class processor_target final : public word_target {
 public:
  /// `owner` has the node and the socket.
  explicit processor_target(magic_node_module& owner);
  ~processor_target() override;

  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override;

 private:
  const char* socket_name() const override;
  tlm::tlm_response_status check_place(const access& asked) const override;

  magic_node_module& owner_;
};

}  // namespace tributary
