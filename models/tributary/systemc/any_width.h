// SPDX-License-Identifier: Apache-2.0
// Base-protocol sockets that bind to those of any bus width.
#pragma once

#include <type_traits>
#include <typeindex>

#include <tributary/systemc/systemc.h>

namespace tributary {

/// Fails to compile, with what to do, unless a socket with these interfaces can be bound.
template <bool Right, class Forward, class Backward>
constexpr bool check_socket() {
  static_assert(Right && std::is_same_v<Forward, tlm::tlm_fw_transport_if<>> &&
                    std::is_same_v<Backward, tlm::tlm_bw_transport_if<>>,
                "Sockets of tributary bind to those of tlm_base_protocol_types with 32, 64, 128, "
                "256 or 512 bits. Put an adaptor between: docs/models/sockets.md, Widths and "
                "protocols");
  return Right;
}

/// What sockets of a width look for in the socket that they are bound to.
template <unsigned Width>
using base_initiator =
    tlm::tlm_base_initiator_socket_b<Width, tlm::tlm_fw_transport_if<>, tlm::tlm_bw_transport_if<>>;
/// The same of target sockets.
template <unsigned Width>
using base_target =
    tlm::tlm_base_target_socket_b<Width, tlm::tlm_fw_transport_if<>, tlm::tlm_bw_transport_if<>>;

#if SC_VERSION_MAJOR >= 3
/// SystemC 3 asks each of the bases, and answers itself for one width only.
template <class Base>
class single_socket : public Base {
  bool is_multi_socket() const final { return false; }
};
#else
/// Before SystemC 3 it is not asked for.
template <class Base>
using single_socket = Base;
#endif

/// A target socket of the base protocol that binds to sockets of 32, 64, 128, 256 and 512 bits. The
/// bus width of TLM-2.0 is part of a socket's type, and nothing in the protocol depends on it.
template <sc_core::sc_port_policy Policy = sc_core::SC_ONE_OR_MORE_BOUND>
class any_width_target_socket
    : public tlm::tlm_target_socket<32, tlm::tlm_base_protocol_types, 1, Policy>,
      public single_socket<base_target<64>>,
      public single_socket<base_target<128>>,
      public single_socket<base_target<256>>,
      public single_socket<base_target<512>> {
  using base = tlm::tlm_target_socket<32, tlm::tlm_base_protocol_types, 1, Policy>;
  using port = sc_core::sc_port_b<tlm::tlm_bw_transport_if<>>;
  using exported = sc_core::sc_export<tlm::tlm_fw_transport_if<>>;
  using forward = tlm::tlm_fw_transport_if<>;

 public:
  using base::base;
  using base::bind;
  using base::operator();

  /// What sockets of other widths and protocols find in their own `bind`; it is never defined.
  template <unsigned Width, class Forward, class Backward,
            bool = check_socket<false, Forward, Backward>()>
  operator tlm::tlm_base_target_socket_b<Width, Forward, Backward>&();  // NOLINT: bind converts

  template <unsigned Width, class Forward, class Backward>
  void bind(tlm::tlm_base_initiator_socket_b<Width, Forward, Backward>& initiator) {
    static_assert(check_socket<true, Forward, Backward>());
    initiator.get_base_port()(this->get_base_interface());
    this->get_base_port()(initiator.get_base_interface());
  }
  template <unsigned Width, class Forward, class Backward>
  void operator()(tlm::tlm_base_initiator_socket_b<Width, Forward, Backward>& initiator) {
    bind(initiator);
  }

  port& get_base_port() override { return base::get_base_port(); }
  const port& get_base_port() const override { return base::get_base_port(); }
  exported& get_base_export() override { return base::get_base_export(); }
  const exported& get_base_export() const override { return base::get_base_export(); }
  forward& get_base_interface() override { return base::get_base_interface(); }
  const forward& get_base_interface() const override { return base::get_base_interface(); }
  unsigned get_bus_width() const override { return base::get_bus_width(); }
  std::type_index get_protocol_types() const override { return base::get_protocol_types(); }
  tlm::tlm_socket_category get_socket_category() const override {
    return base::get_socket_category();
  }
};

/// The same of an initiator socket. Target sockets of other widths bind too, but for those that
/// look at their initiator's width, as `tlm_utils::multi_passthrough_target_socket` does.
template <sc_core::sc_port_policy Policy = sc_core::SC_ONE_OR_MORE_BOUND>
class any_width_initiator_socket
    : public tlm::tlm_initiator_socket<32, tlm::tlm_base_protocol_types, 1, Policy>,
      public single_socket<base_initiator<64>>,
      public single_socket<base_initiator<128>>,
      public single_socket<base_initiator<256>>,
      public single_socket<base_initiator<512>> {
  using base = tlm::tlm_initiator_socket<32, tlm::tlm_base_protocol_types, 1, Policy>;
  using port = sc_core::sc_port_b<tlm::tlm_fw_transport_if<>>;
  using exported = sc_core::sc_export<tlm::tlm_bw_transport_if<>>;
  using backward = tlm::tlm_bw_transport_if<>;

 public:
  using base::base;
  using base::bind;
  using base::operator();

  template <unsigned Width, class Forward, class Backward>
  void bind(tlm::tlm_base_target_socket_b<Width, Forward, Backward>& target) {
    static_assert(check_socket<true, Forward, Backward>());
    this->get_base_port()(target.get_base_interface());
    target.get_base_port()(this->get_base_interface());
  }
  /// To one of the module around this one's.
  template <unsigned Width, class Forward, class Backward>
  void bind(tlm::tlm_base_initiator_socket_b<Width, Forward, Backward>& outer) {
    static_assert(check_socket<true, Forward, Backward>());
    this->get_base_port()(outer.get_base_port());
    outer.get_base_export()(this->get_base_export());
  }
  template <class Socket>
  void operator()(Socket& other) {
    bind(other);
  }

  port& get_base_port() override { return base::get_base_port(); }
  const port& get_base_port() const override { return base::get_base_port(); }
  exported& get_base_export() override { return base::get_base_export(); }
  const exported& get_base_export() const override { return base::get_base_export(); }
  backward& get_base_interface() override { return base::get_base_interface(); }
  const backward& get_base_interface() const override { return base::get_base_interface(); }
  unsigned get_bus_width() const override { return base::get_bus_width(); }
  std::type_index get_protocol_types() const override { return base::get_protocol_types(); }
  tlm::tlm_socket_category get_socket_category() const override {
    return base::get_socket_category();
  }
};

}  // namespace tributary
