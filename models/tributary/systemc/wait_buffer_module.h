// SPDX-License-Identifier: Apache-2.0
// One wait buffer as a module.
#pragma once

#include <cstdint>
#include <optional>

#include <tributary/network/omega/partner_pool.h>
#include <tributary/network/omega/wait_buffer.h>
#include <tributary/systemc/core_module.h>
#include <tributary/systemc/packet_link.h>

namespace tributary {

/// One wait buffer with the pool of its partners: a value.
struct single_wait_buffer {
  wait_buffer buffer;
  partner_pool partners;

  bool operator==(const single_wait_buffer& other) const {
    return buffer.equals(partners, other.buffer, other.partners);
  }
  void reset_statistics() {}
  void report(statistics_group& group) const;
  /// The same of a buffer that is implemented elsewhere.
  static void report(statistics_group& group, std::uint64_t held);
};

/// A `wait_buffer` behind links. It takes partners while it is not full, and looks every response
/// up; what a match yields leaves by `second_out` in the next cycle, whether its receiver is ready
/// or not. (Inside a switch, where nothing lies between, it is there in the same cycle.)
class wait_buffer_module : public core_module<single_wait_buffer> {
 public:
  /// `entries`: 1 to 65,535; others are reported as `messages::configuration`.
  wait_buffer_module(const sc_core::sc_module_name& name, std::uint32_t entries);

  link_port<partner> partner_in{"partner_in"};
  link_port<reply> reply_in{"reply_in"};
  link_port<reply> second_out{"second_out"};

  const char* kind() const override { return "tributary::wait_buffer_module"; }

 private:
  void end_of_elaboration() override;
  void ready() override;
  void depart() override;
  void commit() override;
  void reset() override;

  void look_up(const reply& response);

  std::optional<reply> yielded_;  // output register
};

}  // namespace tributary
