// SPDX-License-Identifier: Apache-2.0
// Harts and memories of riscv-vp on a network, loosely timed:
//
//   riscv_vp_harts atomics.bin HARTS [QUANTUM]
//
// QUANTUM is in cycles of a hart. Exit status 0 if every hart ends its program with 0 and the sums
// in shared memory are right.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <tributary/systemc/combining_network.h>
#include <tributary/systemc/protocol_monitor.h>

#include "bus.h"
#include "iss.h"
#include "mem.h"
#include "memory.h"

namespace {

// The addresses of riscv_hart/programs/local.ld.
constexpr std::uint64_t local_base = 0x80000000;
constexpr std::uint64_t local_size = 0x100000;
constexpr std::uint64_t shared_base = 0x10000000;
constexpr std::uint32_t shared_size = 0x10000;
constexpr unsigned cycle = 10;  // ns, as riscv-vp has it

using local_memory = std::vector<std::uint8_t>;

/// Ends a program at its ecall.
class ending : public rv64::syscall_emulator_if {
 public:
  void execute_syscall(rv64::iss_syscall_if* core) override {
    status_ = core->read_register(rv64::RegFile::a0);
    core->sys_exit();
  }
  std::uint64_t status() const { return status_; }

 private:
  std::uint64_t status_ = 0;
};

/// A hart with a memory of its own, which it reaches by pointer, and a socket for the rest.
class hart : public sc_core::sc_module {
 public:
  hart(const sc_core::sc_module_name& name, std::uint64_t id, std::uint64_t harts,
       local_memory content, std::shared_ptr<BusLock> lock)
      : sc_module(name), content_(std::move(content)), core_(id), mmu_(core_) {
    memory.bus_lock = std::move(lock);
    memory.dmi_ranges.push_back(
        MemoryDMI::create_start_size_mapping(content_.data(), local_base, local_size));
    core_.init(&memory, &memory, nullptr, local_base, local_base + local_size);
    core_.write_register(rv64::RegFile::a0, id);
    core_.write_register(rv64::RegFile::a1, harts);
    core_.sys = &end_;
    SC_THREAD(run);
  }

  bool ended() const { return ended_; }
  std::uint64_t status() const { return end_.status(); }
  std::uint64_t instructions() const { return core_.csrs.instret.reg; }

 private:
  TRIBUTARY_HAS_PROCESS(hart);

  void run() {
    core_.run();
    ended_ = true;
  }

  local_memory content_;
  rv64::ISS core_;
  rv64::MMU mmu_;
  ending end_;
  bool ended_ = false;

 public:
  rv64::CombinedMemoryInterface memory{"memory", core_, mmu_};
};

tributary::combining_network_config network_config(std::uint32_t harts) {
  tributary::address_region shared;
  shared.name = "shared";
  shared.base = shared_base;
  shared.size = shared_size;

  tributary::combining_network_config config;
  config.network.processing_elements = harts;
  config.addresses.regions = {shared};
  config.memory_interface.relative_addresses = true;  // a SimpleMemory begins at 0
  return config;
}

/// As many memories as harts, a monitor at each socket.
class machine : public sc_core::sc_module {
 public:
  machine(const sc_core::sc_module_name& name, std::uint32_t harts, const local_memory& program)
      : sc_module(name), network_("network", network_config(harts)) {
    network_.clock(clock_);
    for (std::uint32_t i = 0; i < harts; ++i) connect(i, harts, program);
  }

  bool ended() const {
    return std::all_of(harts_.begin(), harts_.end(), [](const auto& one) { return one->ended(); });
  }
  bool right() const {
    return std::all_of(harts_.begin(), harts_.end(),
                       [](const auto& one) { return one->ended() && one->status() == 0; });
  }

  void print_result() const {
    std::uint64_t instructions = 0;
    for (const auto& one : harts_) instructions += one->instructions();
    std::cout << harts_.size() << " harts, " << instructions << " instructions, "
              << network_.statistics().find("memory_interface.loosely_timed") << " accesses\n";
    for (std::size_t i = 0; i < harts_.size(); ++i) {
      if (!harts_[i]->ended()) std::cout << "  hart " << i << " still runs\n";
      if (harts_[i]->status() != 0) {
        std::cout << "  hart " << i << " ended with " << harts_[i]->status() << "\n";
      }
    }
  }

  /// What broke a rule of the base protocol, by rule.
  void print_breaches() const {
    for (const auto& [rule, count] : breaches_) std::cout << "  " << rule << ": " << count << "\n";
  }

  std::uint64_t word(std::uint64_t address) {
    std::uint64_t content = 0;
    tlm::tlm_generic_payload payload;
    payload.set_command(tlm::TLM_READ_COMMAND);
    payload.set_address(address);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&content));
    payload.set_data_length(8);
    payload.set_streaming_width(8);
    harts_[0]->memory.isock->transport_dbg(payload);
    return content;
  }

 private:
  using monitor = tributary::protocol_monitor<>;

  monitor& watch(const std::string& name) {
    monitors_.push_back(std::make_unique<monitor>(name.c_str()));
    const std::string side = name.substr(0, name.find('_'));
    monitors_.back()->checker().on_violation([this, side](const auto& breach) {
      ++breaches_[side + " " + std::string(tributary::name_of(breach.rule))];
    });
    return *monitors_.back();
  }

  void connect(std::uint32_t i, std::uint32_t harts, const local_memory& program) {
    const std::string number = std::to_string(i);
    harts_.push_back(
        std::make_unique<hart>(("hart" + number).c_str(), i, harts, program, bus_lock_));
    monitor& above = watch("hart_" + number);
    harts_[i]->memory.isock.bind(above.target_socket);
    above.initiator_socket.bind(network_.target_sockets[i]);

    memories_.push_back(std::make_unique<SimpleMemory>(("mm" + number).c_str(), shared_size));
    monitor& below = watch("memory_" + number);
    network_.initiator_sockets[i].bind(below.target_socket);
    below.initiator_socket.bind(memories_[i]->tsock);
  }

  sc_core::sc_clock clock_{"clock", cycle, sc_core::SC_NS};
  std::shared_ptr<BusLock> bus_lock_ = std::make_shared<BusLock>();
  tributary::combining_network network_;
  std::vector<std::unique_ptr<hart>> harts_;
  std::vector<std::unique_ptr<SimpleMemory>> memories_;
  std::vector<std::unique_ptr<monitor>> monitors_;
  std::map<std::string, std::uint64_t> breaches_;
};

/// Throws `std::runtime_error` for a file that is not there or too long.
local_memory read_program(const std::string& name) {
  std::ifstream file(name, std::ios::binary);
  local_memory content{std::istreambuf_iterator<char>(file), {}};
  if (content.empty() || content.size() > local_size / 2) {
    throw std::runtime_error(name + ": not there, empty or too long (allowed: " +
                             std::to_string(local_size / 2) + " bytes)");
  }
  content.resize(local_size);
  return content;
}

/// The sums of atomics.c, which does 8 rounds: of the tickets, of each hart's number, of the
/// rounds.
bool right_sums(machine& all, std::uint64_t harts) {
  const std::uint64_t tickets = 8 * harts;
  return all.word(shared_base) == tickets * (tickets - 1) / 2 &&
         all.word(shared_base + 8) == 8 * harts * (harts + 1) / 2 &&
         all.word(shared_base + 16) == 36 * harts;
}

int run(const std::string& program, std::uint32_t harts, unsigned quantum) {
  tlm::tlm_global_quantum::instance().set(sc_core::sc_time(quantum * cycle, sc_core::SC_NS));
  machine all("machine", harts, read_program(program));
  constexpr unsigned patience = 100;  // ms
  for (unsigned i = 0; i < patience && !all.ended(); ++i) sc_core::sc_start(1, sc_core::SC_MS);
  all.print_result();
  const bool sums = right_sums(all, harts);
  std::cout << (sums ? "the sums are right" : "the sums are WRONG")
            << "\nbreaches of the base protocol:\n";
  all.print_breaches();
  return sums && all.right() ? EXIT_SUCCESS : EXIT_FAILURE;
}

/// Throws `std::invalid_argument` for what is no number.
std::uint32_t read_number(const std::string& name, const std::string& text,
                          const std::string& allowed) {
  std::uint32_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, number);
  if (problem == std::errc() && stop == end) return number;
  throw std::invalid_argument(name + ": \"" + text + "\" is no number (allowed: " + allowed +
                              "); choose one");
}

}  // namespace

int sc_main(int argc, char** argv) {
  try {
    if (argc > 2) {
      const std::uint32_t harts = read_number("HARTS", argv[2], "2, 4, 8, ...");
      const std::uint32_t quantum =
          argc > 3 ? read_number("QUANTUM", argv[3], "cycles from 0 on") : 1;
      return run(argv[1], harts, quantum);
    }
    std::cerr << "usage: riscv_vp_harts atomics.bin HARTS [QUANTUM]\n";
  } catch (const std::exception& problem) {
    std::cerr << problem.what() << "\n";
  }
  return EXIT_FAILURE;
}
