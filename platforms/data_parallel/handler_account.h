// SPDX-License-Identifier: Apache-2.0
// What processors and handlers of primitives do, as events of communication.
#pragma once

#include <tributary/controller/address_layout.h>
#include <tributary/controller/message.h>
#include <tributary/memory/port.h>
#include <tributary/sim/observer.h>
#include <tributary/trace/communication_account.h>

namespace tributary {

/// Tells an account of each message of the primitives, as it is sent, and of each access of a
/// processor to its protocol processor, as of a register: a store is a command, a load that waits
/// is status, or a body if it brings a result.
class handler_account final : public observer<message>, public observer<offered_request> {
 public:
  /// `account` must outlive it.
  handler_account(const address_layout& addresses, communication_account& account)
      : addresses_(addresses), account_(account) {}

  void on_event(const message& sent) override;
  void on_event(const offered_request& offered) override;

 private:
  address_layout addresses_;
  communication_account& account_;
};

}  // namespace tributary
