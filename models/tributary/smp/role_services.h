// SPDX-License-Identifier: Apache-2.0
// What processors do for the protocol beyond handlers, where that is no constant.
#pragma once

#include <cstdint>

#include <tributary/controller/message.h>
#include <tributary/sim/cycle.h>

namespace tributary {

/// A piece of work that a processor does, from its begin to its end.
enum class role_service : std::uint8_t {
  submit,     ///< writes the entry of its request, for whoever acts
  take_role,  ///< takes the role of the protocol processor
  take_role_and_submit,
  dispatch,     ///< finds what waits longest, and reads it
  resume_own,   ///< gives the role up, and goes back to its program with the answer
  resume,       ///< goes back to its program with the answer that another one wrote
  give_up_role  ///< gives the role up, and has no answer
};

/// Does these by accesses of the processors (level B).
class role_services {
 public:
  /// `about`: the message that it is for; `cycles`: beyond the accesses. `protocol_role::served`
  /// with `tag` follows.
  virtual void serve(role_service what, std::uint32_t processor, const message& about,
                     std::uint64_t cycles, std::uint64_t tag, cycle_t now) = 0;

 protected:
  ~role_services() = default;
};

}  // namespace tributary
