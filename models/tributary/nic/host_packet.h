// SPDX-License-Identifier: Apache-2.0
// A packet on its way between host interfaces: header and as many words as it has.
#pragma once

#include <string>
#include <vector>

#include <tributary/controller/message.h>
#include <tributary/network/cargo_pool.h>
#include <tributary/sim/state.h>

namespace tributary {

/// What travels: `words_of(header.length)` doublewords.
struct host_packet {
  message header;  ///< of what stays within a node it has nothing
  std::vector<word_t> words;

  TRIBUTARY_STATE(header, words);
};

/// The packets of interfaces that speak to each other.
class host_packet_pool final : public cargo_pool<host_packet> {
 public:
  std::string save() const override;
  void restore(const std::string& state) override;
};

}  // namespace tributary
