// SPDX-License-Identifier: Apache-2.0
// Components and memories of VCML on a network, next to processing elements of this library:
//
//   vcml_parts
//
// Exit status 0 if every sum is right and no rule of TLM-2.0 is broken.
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tributary/systemc/combining_network.h>
#include <tributary/systemc/processing_element_module.h>
#include <tributary/systemc/protocol_monitor.h>

#include <vcml/models/generic/memory.h>
#include <vcml/protocols/tlm.h>

namespace {

constexpr std::uint32_t ports = 8;
constexpr std::uint32_t components = 4;  // of VCML; the other ports have elements of ours
constexpr std::uint64_t rounds = 100;

constexpr std::uint64_t shared_size = 0x10000;  // interleaved, from 0
constexpr std::uint64_t exclusive_counter = 0;  // of the components
constexpr std::uint64_t element_counter = 8;
constexpr std::uint64_t bursts = 0x4000;
constexpr std::uint64_t burst_size = 0x400;
constexpr std::uint64_t private_base = 0x100000;
constexpr std::uint64_t private_size = 0x8000;  // in blocks, a block a memory
constexpr std::uint64_t block = private_size / ports;

tributary::combining_network_config network_config() {
  tributary::address_region shared;
  shared.name = "shared";
  shared.size = shared_size;

  tributary::address_region own;
  own.name = "private";
  own.base = private_base;
  own.size = private_size;
  own.mapping = tributary::region_mapping::blocked;
  own.combinable = false;  // so that pointers are given

  tributary::combining_network_config config;
  config.network.processing_elements = ports;
  config.addresses.regions = {shared, own};
  config.memory_interface.relative_addresses = true;  // a memory begins at 0
  return config;
}

/// Loosely timed: counts by exclusive accesses, moves bursts, and uses pointers.
class requester : public vcml::component {
 public:
  vcml::tlm_initiator_socket out{"out"};

  requester(const sc_core::sc_module_name& name, std::uint64_t id)
      : vcml::component(name), id_(id) {
    out.set_cpuid(id);
    clk.stub(100 * vcml::MHz);
    rst.stub();
    SC_THREAD(run);
  }

  bool finished() const { return finished_; }
  bool failed() const { return failed_; }
  std::uint64_t lost() const { return lost_; }
  bool has_pointer() { return out.lookup_dmi_ptr(private_base + id_ * block, 8) != nullptr; }

 private:
  TRIBUTARY_HAS_PROCESS(requester);

  void run() {
    for (std::uint64_t i = 0; i < rounds; ++i) count();
    move_bursts();
    use_pointers();
    finished_ = true;
  }

  void count() {
    for (;; ++lost_) {
      std::uint64_t value = 0;
      unsigned written = 0;
      check(out.readw(exclusive_counter, value, vcml::SBI_EXCL));
      ++value;
      check(out.writew(exclusive_counter, value, vcml::SBI_EXCL, &written));
      if (written != 0) return;
      wait(static_cast<double>(10 * id_), sc_core::SC_NS);
    }
  }

  void move_bursts() {
    std::vector<std::uint8_t> sent(burst_size);
    for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<std::uint8_t>(i * 7 + id_);
    std::vector<std::uint8_t> got(burst_size);
    check(out.writew(bursts + id_ * burst_size, sent));
    check(out.readw(bursts + id_ * burst_size, got));
    failed_ |= sent != got;
  }

  void use_pointers() {
    for (std::uint64_t at = 0; at < block; at += 8) {
      check(out.writew(private_base + id_ * block + at, at * 3 + id_));
    }
    for (std::uint64_t at = 0; at < block; at += 8) {
      std::uint64_t value = 0;
      check(out.readw(private_base + id_ * block + at, value));
      failed_ |= value != at * 3 + id_;
    }
  }

  void check(tlm::tlm_response_status status) { failed_ |= status != tlm::TLM_OK_RESPONSE; }

  std::uint64_t id_;
  std::uint64_t lost_ = 0;
  bool finished_ = false;
  bool failed_ = false;
};

/// Memories of VCML behind all ports, a monitor at each socket.
class platform : public sc_core::sc_module {
 public:
  explicit platform(const sc_core::sc_module_name& name)
      : sc_module(name), network_("network", network_config()) {
    network_.clock(clock_);
    for (std::uint32_t i = 0; i < ports; ++i) {
      tributary::protocol_monitor<>& above = watch("initiator" + std::to_string(i));
      above.initiator_socket.bind(network_.target_sockets[i]);
      if (i < components) {
        add_component(i, above);
      } else {
        add_element(i, above);
      }
      add_memory(i);
    }
  }

  bool finished() const {
    bool all = network_.idle() && counted_ == (ports - components) * rounds;
    for (const auto& one : requesters_) all &= one->finished();
    return all;
  }
  bool failed() const {
    bool any = element_failed_;
    for (const auto& one : requesters_) any |= one->failed();
    return any;
  }
  std::uint64_t lost() const {
    std::uint64_t sum = 0;
    for (const auto& one : requesters_) sum += one->lost();
    return sum;
  }
  bool pointers() {
    bool all = true;
    for (const auto& one : requesters_) all &= one->has_pointer();
    return all;
  }
  const std::map<std::string, std::uint64_t>& breaches() const { return breaches_; }
  double statistic(const std::string& path) const { return network_.statistics().find(path); }

  std::uint64_t word(std::uint64_t address) {
    std::uint64_t content = 0;
    requesters_[0]->out.readw(address, content, vcml::SBI_DEBUG);
    return content;
  }

 private:
  tributary::protocol_monitor<>& watch(const std::string& name) {
    monitors_.push_back(
        std::make_unique<tributary::protocol_monitor<>>(("monitor_" + name).c_str()));
    monitors_.back()->checker().on_violation([this, name](const auto& breach) {
      ++breaches_[name + " " + std::string(tributary::name_of(breach.rule))];
      if (breaches_.size() < 4) std::cerr << breach.text << "\n";
    });
    return *monitors_.back();
  }

  void add_component(std::uint32_t i, tributary::protocol_monitor<>& above) {
    requesters_.push_back(
        std::make_unique<requester>(("requester" + std::to_string(i)).c_str(), i));
    requesters_[i]->out.bind(above.target_socket);
  }

  void add_element(std::uint32_t i, tributary::protocol_monitor<>& above) {
    const auto next = [left = rounds]() mutable -> std::optional<tributary::access> {
      if (left == 0) return {};
      --left;
      return tributary::access{element_counter, function_of(tributary::operation::fetch_add, 1)};
    };
    elements_.push_back(std::make_unique<tributary::processing_element_module>(
        ("element" + std::to_string(i)).c_str(), tributary::processing_element_module_config{},
        tributary::pe_id{i}, 1, next));
    elements_.back()->clock(clock_);
    elements_.back()->on_response([this](const tributary::element_response& got) {
      element_failed_ |= got.status != tlm::TLM_OK_RESPONSE;
      ++counted_;
    });
    elements_.back()->initiator_socket.bind(above.target_socket);
  }

  void add_memory(std::uint32_t i) {
    tributary::protocol_monitor<>& below = watch("memory" + std::to_string(i));
    memories_.push_back(std::make_unique<vcml::generic::memory>(
        ("memory" + std::to_string(i)).c_str(), (shared_size + private_size) / ports));
    memories_[i]->clk.stub(100 * vcml::MHz);
    memories_[i]->rst.stub();
    network_.initiator_sockets[i].bind(below.target_socket);
    memories_[i]->in.bind(below.initiator_socket);
  }

  sc_core::sc_clock clock_{"clock", 10, sc_core::SC_NS};
  tributary::combining_network network_;
  std::vector<std::unique_ptr<requester>> requesters_;
  std::vector<std::unique_ptr<tributary::processing_element_module>> elements_;
  std::vector<std::unique_ptr<vcml::generic::memory>> memories_;
  std::vector<std::unique_ptr<tributary::protocol_monitor<>>> monitors_;
  std::map<std::string, std::uint64_t> breaches_;
  std::uint64_t counted_ = 0;
  bool element_failed_ = false;
};

bool check(bool holds, const std::string& claim) {
  std::cout << (holds ? "  ok      " : "  WRONG   ") << claim << "\n";
  return holds;
}

}  // namespace

int sc_main(int, char**) {
  platform all("platform");
  for (int i = 0; i < 100 && !all.finished() && !all.failed(); ++i) {
    sc_core::sc_start(10, sc_core::SC_US);
  }
  std::cout << sc_core::sc_time_stamp() << ", " << all.statistic("memory_interface.loosely_timed")
            << " accesses by b_transport, " << all.statistic("memory_interface.own_unit")
            << " operations by the ports' own units, " << all.lost() << " exclusive stores lost\n";
  bool right = check(all.finished(), "all components and elements finished");
  right &= check(!all.failed(), "every response was OK, and every read gave what was written");
  right &=
      check(all.word(exclusive_counter) == components * rounds, "exclusive accesses make the sum");
  right &= check(all.word(element_counter) == (ports - components) * rounds,
                 "fetch-and-adds make the sum");
  right &= check(all.pointers(), "pointers lead around the network");
  right &= check(all.breaches().empty(), "no rule of the base protocol was broken");
  for (const auto& [rule, count] : all.breaches())
    std::cout << "    " << rule << ": " << count << "\n";
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
