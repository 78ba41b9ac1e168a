// SPDX-License-Identifier: Apache-2.0
// Processing elements, a combining network and DRAMSys as the memory:
//
//   dramsys_memory CONFIG.json ELEMENTS [apart] [blocking] [completed]
//
// Exit status 0 if all elements finish, every sum is right and no rule of TLM-2.0 is broken.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <tlm_utils/simple_initiator_socket.h>

#include <tributary/systemc/combining_network.h>
#include <tributary/systemc/payload_pool.h>
#include <tributary/systemc/processing_element_module.h>
#include <tributary/systemc/protocol_monitor.h>

#if __has_include(<DRAMSys/DRAMSys.h>)
#include <DRAMSys/DRAMSys.h>
#else  // 5.1
#include <DRAMSys/simulation/DRAMSys.h>
#endif

namespace {

constexpr std::uint64_t counter = 0;
constexpr std::uint64_t logs = 0x100000;      // of the first element
constexpr std::uint64_t log_size = 0x100000;  // so that elements work in rows of their own
constexpr std::uint64_t rounds = 500;
constexpr int patience = 20;  // microseconds without a response

constexpr const char* usage =
    "usage: dramsys_memory CONFIG.json ELEMENTS [apart] [blocking] [completed]\n"
    "ELEMENTS is 2, 4, 8, ...; apart: nothing combines; blocking: elements use b_transport;\n"
    "completed: responses end by TLM_COMPLETED, on which DRAMSys waits forever\n";

struct options {
  std::string configuration;
  std::uint32_t elements = 0;
  bool combine = true;
  bool blocking = false;
  tributary::response_ending end_response = tributary::response_ending::phase;
};

tributary::combining_network_config network_config(const options& chosen) {
  tributary::address_region memory;
  memory.name = "dram";
  memory.size = 0x40000000;

  tributary::combining_network_config config;
  config.network.processing_elements = chosen.elements;
  config.network.switches.type = tributary::queue_type::a;
  config.network.switches.coupled = true;
  config.network.switches.combining = chosen.combine;
  config.addresses.regions = {memory};
  // DRAMSys knows reads and writes; anything else ends the program, or is taken for a write.
  config.memory_interface.fetch_ops = tributary::fetch_op_service::own_unit;
  config.memory_interface.end_response = chosen.end_response;
  return config;
}

/// The words are stored, nothing is recorded.
DRAMSys::Config::Configuration dram_config(const std::string& file) {
  DRAMSys::Config::Configuration config = DRAMSys::Config::from_path(file);
  config.simconfig.StoreMode = DRAMSys::Config::StoreModeType::Store;
  config.simconfig.DatabaseRecording = false;
  return config;
}

/// An element of the loosely timed style: one access by b_transport after the other.
class blocking_element : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<blocking_element> initiator_socket{"initiator_socket"};

  blocking_element(const sc_core::sc_module_name& name,
                   std::function<std::optional<tributary::access>()> next,
                   std::function<void(const tributary::element_response&)> take)
      : sc_module(name), next_(std::move(next)), take_(std::move(take)) {
    TRIBUTARY_HAS_PROCESS(blocking_element);
    SC_THREAD(run);
  }

 private:
  void run() {
    while (const std::optional<tributary::access> wanted = next_()) {
      tlm::tlm_generic_payload& payload = payload_of(*wanted);
      sc_core::sc_time delay;
      initiator_socket->b_transport(payload, delay);
      wait(delay);
      take_({*wanted, tributary::payload_pool::word_of(payload), payload.get_response_status()});
      payload.release();
    }
  }

  tlm::tlm_generic_payload& payload_of(const tributary::access& wanted) {
    if (wanted.function == function_of(tributary::operation::load)) {
      return pool_.acquire_word(tlm::TLM_READ_COMMAND, wanted.address);
    }
    return pool_.acquire_fetch_op(wanted.address, wanted.function);
  }

  std::function<std::optional<tributary::access>()> next_;
  std::function<void(const tributary::element_response&)> take_;
  tributary::payload_pool pool_;
};

/// Takes numbers from the shared counter, writes each to a log and reads it back.
class number_taker {
 public:
  number_taker(const std::string& name, std::uint32_t element, bool blocking)
      : log_(logs + element * log_size) {
    const auto ask = [this] { return next(); };
    const auto answer = [this](const tributary::element_response& got) { take(got); };
    if (blocking) {
      blocking_ = std::make_unique<blocking_element>(name.c_str(), ask, answer);
    } else {
      module_ = std::make_unique<tributary::processing_element_module>(
          name.c_str(), tributary::processing_element_module_config{}, tributary::pe_id{element}, 1,
          ask);
      module_->on_response(answer);
    }
  }

  template <typename Clock, typename Target>
  void bind(Clock& clock, Target& target) {
    if (blocking_) {
      blocking_->initiator_socket.bind(target);
    } else {
      module_->clock(clock);
      module_->initiator_socket.bind(target);
    }
  }

  unsigned look(tlm::tlm_generic_payload& payload) {
    return blocking_ ? blocking_->initiator_socket->transport_dbg(payload)
                     : module_->initiator_socket->transport_dbg(payload);
  }

  std::uint64_t responses() const { return responses_; }
  /// When the last response came.
  sc_core::sc_time end() const { return end_; }
  bool finished() const { return round_ == rounds; }
  bool failed() const { return failed_; }

 private:
  enum class step { number, write, read };

  std::optional<tributary::access> next() {
    if (finished() || failed_) return {};
    switch (step_) {
      case step::number:
        return tributary::access{counter, function_of(tributary::operation::fetch_add, 1)};
      case step::write:
        return tributary::access{log_ + 8 * round_,
                                 function_of(tributary::operation::store, number_)};
      case step::read:
        break;
    }
    return tributary::access{log_ + 8 * round_, function_of(tributary::operation::load)};
  }

  void take(const tributary::element_response& got) {
    ++responses_;
    end_ = sc_core::sc_time_stamp();
    failed_ |= got.status != tlm::TLM_OK_RESPONSE;
    if (step_ == step::number) number_ = got.value;
    if (step_ == step::read) {
      failed_ |= got.value != number_;
      ++round_;
    }
    step_ = step_ == step::read ? step::number : step{static_cast<int>(step_) + 1};
  }

  std::uint64_t log_;
  std::uint64_t round_ = 0;
  tributary::word_t number_ = 0;
  step step_ = step::number;
  sc_core::sc_time end_;
  std::uint64_t responses_ = 0;
  bool failed_ = false;
  std::unique_ptr<blocking_element> blocking_;  // one of these two
  std::unique_ptr<tributary::processing_element_module> module_;
};

/// Every port of the network to one DRAMSys, whose arbiter has a thread for each.
class platform : public sc_core::sc_module {
 public:
  platform(const sc_core::sc_module_name& name, const options& chosen)
      : sc_module(name),
        network_("network", network_config(chosen)),
        dram_("dram", dram_config(chosen.configuration)) {
    network_.clock(clock_);
    for (std::uint32_t i = 0; i < chosen.elements; ++i) connect(i, chosen.blocking);
  }

  bool finished() const {
    return network_.idle() && std::all_of(takers_.begin(), takers_.end(),
                                          [](const auto& taker) { return taker->finished(); });
  }
  std::uint64_t responses() const {
    std::uint64_t sum = 0;
    for (const auto& taker : takers_) sum += taker->responses();
    return sum;
  }
  bool failed() const {
    return std::any_of(takers_.begin(), takers_.end(),
                       [](const auto& taker) { return taker->failed(); });
  }
  std::uint64_t breaches() const {
    std::uint64_t sum = 0;
    for (const auto& monitor : monitors_) sum += monitor->checker().violations();
    return sum;
  }

  /// Words of memory, looked at through the network.
  std::vector<std::uint64_t> look(std::uint64_t address, std::size_t words) {
    std::vector<std::uint64_t> content(words);
    const auto bytes = static_cast<unsigned>(8 * words);
    tlm::tlm_generic_payload payload;
    payload.set_command(tlm::TLM_READ_COMMAND);
    payload.set_address(address);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(content.data()));
    payload.set_data_length(bytes);
    payload.set_streaming_width(bytes);
    if (takers_[0]->look(payload) != bytes) content.clear();
    return content;
  }

  /// Whether every number from 0 on is in one log, once.
  bool each_number_once() {
    std::vector<std::uint64_t> numbers;
    for (std::size_t i = 0; i < takers_.size(); ++i) {
      const std::vector<std::uint64_t> log = look(logs + i * log_size, rounds);
      numbers.insert(numbers.end(), log.begin(), log.end());
    }
    std::sort(numbers.begin(), numbers.end());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i] != i) return false;
    }
    return numbers.size() == takers_.size() * rounds;
  }

  void print_result() const {
    const tributary::statistics_tree statistics = network_.statistics();
    double combined = 0;
    for (unsigned stage = 0; stage < network_.network().stages(); ++stage) {
      combined += statistics.find("network.stage." + std::to_string(stage) + ".combined");
    }
    sc_core::sc_time end;
    for (const auto& taker : takers_) end = std::max(end, taker->end());
    std::cout << takers_.size() << " elements, " << 3 * rounds << " requests each: " << end << ", ";
    if (statistics.find("interface.latency.count") > 0) {  // b_transport goes around the network
      std::cout << "mean latency " << statistics.find("interface.latency.mean") << " ns, ";
    }
    std::cout << combined << " requests combined\n";
  }

 private:
  void connect(std::uint32_t i, bool blocking) {
    const std::string number = std::to_string(i);
    takers_.push_back(std::make_unique<number_taker>("element" + number, i, blocking));
    takers_[i]->bind(clock_, network_.target_sockets[i]);
    monitors_.push_back(
        std::make_unique<tributary::protocol_monitor<>>(("monitor" + number).c_str()));
    monitors_[i]->checker().on_violation(
        [](const tributary::protocol_violation& breach) { std::cerr << breach.text << "\n"; });
    network_.initiator_sockets[i].bind(monitors_[i]->target_socket);
    monitors_[i]->initiator_socket.bind(dram_.tSocket);
  }

  sc_core::sc_clock clock_{"clock", 1, sc_core::SC_NS};
  tributary::combining_network network_;
  DRAMSys::DRAMSys dram_;
  std::vector<std::unique_ptr<number_taker>> takers_;
  std::vector<std::unique_ptr<tributary::protocol_monitor<>>> monitors_;
};

bool check(bool holds, const std::string& claim) {
  std::cout << (holds ? "  ok      " : "  WRONG   ") << claim << "\n";
  return holds;
}

/// Simulates until all elements are through or none has got a response for too long.
void simulate(platform& machine) {
  std::uint64_t before = 0;
  do {
    before = machine.responses();
    sc_core::sc_start(patience, sc_core::SC_US);
  } while (!machine.finished() && machine.responses() != before);
}

int run(const options& chosen) {
  platform machine("platform", chosen);
  simulate(machine);
  machine.print_result();
  bool right = check(machine.finished(), "all elements finished");
  right &= check(!machine.failed(), "every response was OK, and every read gave what was written");
  right &= check(machine.look(counter, 1) == std::vector{chosen.elements * rounds},
                 "the counter is the sum");
  right &= check(machine.each_number_once(), "each number is in one log, once");
  right &= check(machine.breaches() == 0, "no rule of the base protocol was broken");
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
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

/// Throws `std::invalid_argument` for what is no number of elements.
std::optional<options> read_options(int argc, char** argv) {
  if (argc < 3) return {};
  options chosen;
  chosen.configuration = argv[1];
  chosen.elements = read_number("ELEMENTS", argv[2], "2, 4, 8, ...");
  for (int i = 3; i < argc; ++i) {
    if (argv[i] == std::string("apart")) {
      chosen.combine = false;
    } else if (argv[i] == std::string("blocking")) {
      chosen.blocking = true;
    } else if (argv[i] == std::string("completed")) {
      chosen.end_response = tributary::response_ending::completed;
    } else {
      return {};
    }
  }
  return chosen;
}

}  // namespace

int sc_main(int argc, char** argv) {
  try {
    const std::optional<options> chosen = read_options(argc, argv);
    if (chosen) return run(*chosen);
    std::cerr << usage;
  } catch (const std::exception& problem) {
    std::cerr << problem.what() << "\n";
  }
  return EXIT_FAILURE;
}
