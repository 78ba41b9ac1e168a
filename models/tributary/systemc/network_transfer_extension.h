// SPDX-License-Identifier: Apache-2.0
// A message between nodes as a TLM-2.0 transaction.
#pragma once

#include <tributary/network/port.h>
#include <tributary/systemc/systemc.h>

namespace tributary {

/// What the network looks at. A message is a transaction of TLM_IGNORE_COMMAND with this extension,
/// so that a target that does not know it cannot pretend to have taken it; what else it carries are
/// further extensions, which the network passes on and does not know. `transfer.cargo` means
/// nothing here.
///
/// On the socket of one lane BEGIN_REQ is the head: it leaves a node in the first cycle that is not
/// before, and its first word of payload is at a node in the first cycle strictly after. END_REQ
/// says that the next message of the lane may be sent, however long it is, from the first cycle
/// strictly after.
/// BEGIN_RESP gives the oldest message's place back, from the first cycle strictly after; places
/// are alike, so responses come in the order of requests.
struct network_transfer_extension final : tlm::tlm_extension<network_transfer_extension> {
  network_transfer transfer;

  tlm::tlm_extension_base* clone() const override { return new network_transfer_extension(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override {
    transfer = static_cast<const network_transfer_extension&>(other).transfer;
  }
};

/// The extension of a payload that one initiator uses again and again; made at the first use.
template <class Extension>
Extension& reused_extension(tlm::tlm_generic_payload& payload) {
  auto* found = payload.get_extension<Extension>();
  if (found == nullptr) {
    found = new Extension;
    payload.set_extension(found);
  }
  return *found;
}

}  // namespace tributary
