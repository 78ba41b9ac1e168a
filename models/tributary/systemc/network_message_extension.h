// SPDX-License-Identifier: Apache-2.0
// A message of MAGIC as what a network carries between sockets.
#pragma once

#include <tributary/controller/network_message.h>
#include <tributary/systemc/systemc.h>

namespace tributary {

/// Accompanies `network_transfer_extension` on the transaction of a message.
struct network_message_extension final : tlm::tlm_extension<network_message_extension> {
  network_message message;

  tlm::tlm_extension_base* clone() const override { return new network_message_extension(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override {
    message = static_cast<const network_message_extension&>(other).message;
  }
};

}  // namespace tributary
