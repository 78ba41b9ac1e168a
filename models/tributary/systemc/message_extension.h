// SPDX-License-Identifier: Apache-2.0
// What a message between nodes carries, as an extension of the transaction that it is.
#pragma once

#include <tributary/systemc/systemc.h>

namespace tributary {

/// Accompanies `network_transfer_extension` on the transaction of a message.
template <class Message>
struct message_extension final : tlm::tlm_extension<message_extension<Message>> {
  Message message;

  tlm::tlm_extension_base* clone() const override { return new message_extension(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override {
    message = static_cast<const message_extension&>(other).message;
  }
};

}  // namespace tributary
