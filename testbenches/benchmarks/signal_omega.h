// SPDX-License-Identifier: Apache-2.0
// The opponent of the modules: the network as SystemC is usually written, a module a switch.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <driver/simulation_context.h>
#include <tributary/memory/address_map.h>
#include <tributary/network/omega/switch_column.h>
#include <tributary/nic/network_interface.h>
#include <tributary/systemc/systemc.h>
#include <ultracomputer/ultracomputer_config.h>

namespace tributary::benchmarks {

/// What lies on a link: a message, or nothing.
template <class Message>
struct wire {
  Message content;
  bool valid = false;

  bool operator==(const wire& other) const {
    return valid == other.valid && (!valid || content == other.content);
  }
};
/// Both are asked of every type that an `sc_signal` carries.
template <class Message>
std::ostream& operator<<(std::ostream& out, const wire<Message>& shown) {
  return out << (shown.valid ? "message" : "nothing");
}
template <class Message>
void sc_trace(sc_core::sc_trace_file* file, const wire<Message>& traced, const std::string& name) {
  sc_core::sc_trace(file, traced.valid, name + ".valid");
}

/// The channels of an omega network: one of each kind per line and link level (0 to k), the line
/// numbers those of `omega_network`.
struct signal_links {
  signal_links(std::size_t lines, unsigned stages);

  std::size_t at(std::size_t level, std::size_t line) const { return level * lines + line; }

  std::size_t lines;
  sc_core::sc_vector<sc_core::sc_signal<wire<packet>>> request;
  sc_core::sc_vector<sc_core::sc_signal<std::uint8_t>> request_ready;
  sc_core::sc_vector<sc_core::sc_signal<wire<reply>>> response;
  sc_core::sc_vector<sc_core::sc_signal<bool>> response_ready;
};

/// On the rising edge of its clock it offers, on the falling edge it takes.
class two_edge_module : public sc_core::sc_module {
 public:
  sc_core::sc_in<bool> clock{"clock"};

 protected:
  explicit two_edge_module(const sc_core::sc_module_name& name);

 private:
  TRIBUTARY_HAS_PROCESS(two_edge_module);
  virtual void offer() = 0;
  virtual void take() = 0;
};

/// One switch: on the rising edge it offers what may leave, on the falling edge it takes what
/// arrived and says for what it has room. So a cycle of the contract is a period of the clock, and
/// a switch is evaluated twice in it.
class signal_switch final : public two_edge_module {
 public:
  signal_switch(const sc_core::sc_module_name& name, const combining_switch_config& config,
                unsigned route_bit);

  /// Binds the ports of switch `index` of stage `stage`.
  void bind(signal_links& links, std::size_t stage, std::size_t index);

  const combining_counters& counters() const { return core_.counters(); }
  void reset_counters() { core_.reset_counters(); }

 private:
  template <class T>
  using inputs = sc_core::sc_vector<sc_core::sc_in<T>>;
  template <class T>
  using outputs = sc_core::sc_vector<sc_core::sc_out<T>>;

  void end_of_elaboration() override;
  void offer() override;
  void take() override;

  inputs<wire<packet>> request_in_{"request_in", 2};
  outputs<std::uint8_t> request_ready_{"request_ready", 2};
  outputs<wire<packet>> request_out_{"request_out", 2};
  inputs<std::uint8_t> next_request_ready_{"next_request_ready", 2};
  inputs<wire<reply>> response_in_{"response_in", 2};
  outputs<bool> response_ready_{"response_ready", 2};
  outputs<wire<reply>> response_out_{"response_out", 2};
  inputs<bool> next_response_ready_{"next_response_ready", 2};
  switch_column core_;
  partner_pool partners_;
  switch_departures leaving_;
};

/// The whole machine of `ultracomputer_config`: the network in signals; the processing elements
/// and the memory modules, which are not what is compared, as the library's arrays in one module
/// each. Memory beside an element (local ports) is left out.
class signal_omega : public sc_core::sc_module {
 public:
  signal_omega(const sc_core::sc_module_name& name, const ultracomputer_config& config,
               std::uint64_t seed);
  ~signal_omega() override;

  sc_core::sc_in<bool> clock{"clock"};

  const network_interface& interfaces() const;
  unsigned stages() const { return stages_; }
  /// Sums over the switches of a stage.
  combining_counters counters(std::size_t stage) const;
  void reset_statistics();

 private:
  class elements;
  class memories;

  unsigned stages_;
  std::size_t lines_;
  address_map addresses_;
  signal_links links_;
  std::vector<std::unique_ptr<signal_switch>> switches_;  // stage by stage
  std::unique_ptr<elements> elements_;
  std::unique_ptr<memories> memories_;
};

/// A `signal_omega` with a clock and a simulation context of its own.
class signal_machine {
 public:
  signal_machine(const ultracomputer_config& config, std::uint64_t seed);

  void step(std::uint64_t cycles);
  signal_omega& network() { return network_; }

 private:
  simulation_context context_;
  sc_core::sc_clock clock_;
  signal_omega network_;
  std::uint64_t now_ = 0;
};

}  // namespace tributary::benchmarks
