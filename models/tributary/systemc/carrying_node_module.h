// SPDX-License-Identifier: Apache-2.0
// A node on a network whose messages are of one kind.
#pragma once

#include <cstdint>

#include <tributary/systemc/network_node_module.h>
#include <tributary/systemc/network_transfer_extension.h>
#include <tributary/systemc/systemc.h>

namespace tributary {

/// `Pool` is the `cargo_pool` of the messages, `Extension` a TLM-2.0 extension that holds one as
/// `message`, whose header has an address.
template <class Pool, class Extension>
class carrying_node_module : public network_node_module {
 protected:
  using network_node_module::network_node_module;

  Pool& pool() { return messages_; }

 private:
  void load(tlm::tlm_generic_payload& payload, std::uint64_t cargo) final {
    auto& travels = reused_extension<Extension>(payload).message;
    travels = messages_.at(cargo);
    payload.set_address(travels.header.address);
    messages_.remove(cargo);
  }
  bool carries(const tlm::tlm_generic_payload& payload) const final {
    return payload.get_extension<Extension>() != nullptr;
  }
  std::uint64_t unload(const tlm::tlm_generic_payload& payload) final {
    return messages_.put(payload.get_extension<Extension>()->message);
  }

  Pool messages_;  // of this node: going out, and come in
};

}  // namespace tributary
