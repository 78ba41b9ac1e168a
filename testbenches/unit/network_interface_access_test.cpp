// SPDX-License-Identifier: Apache-2.0
// Loosely timed, debug and direct accesses at the processor side of a network.
#include <tributary/systemc/network_interface_module.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <tlm_utils/tlm_quantumkeeper.h>

#include <tributary/sim/random_stream.h>
#include <tributary/systemc/messages.h>

#include <driver/simulation_context.h>

#include "support/socket_machine.h"
#include "support/systemc_test.h"
#include "support/word_payload.h"

namespace tributary {
namespace {

using testing::at_initiator;
using testing::socket_machine;
using testing::word_payload;

constexpr std::uint64_t window = std::uint64_t{1} << 44;
constexpr std::uint64_t fetch_add_bank = 1;

ultracomputer_config machine_of(std::uint32_t elements, std::uint32_t outstanding = 1) {
  ultracomputer_config config;
  config.network.processing_elements = elements;
  config.interface.outstanding = outstanding;
  return config;
}

/// The defaults, and two regions above them that allow pointers: one in blocks, one in a module.
ultracomputer_config machine_with_direct_regions() {
  ultracomputer_config config = machine_of(4);
  address_region blocked{
      "blocked", std::uint64_t{4} << 40, 0x4000, region_mapping::blocked, 0, false, false};
  address_region whole{"whole", std::uint64_t{5} << 40, 0x1000, region_mapping::module, 3, false,
                       false};
  config.addresses.regions.push_back(blocked);
  config.addresses.regions.push_back(whole);
  return config;
}

class access_test : public testing::systemc_test {
 protected:
  /// A process of the test's own, which may wait.
  static void run(std::function<void()> body) { sc_core::sc_spawn(std::move(body)); }

  static word_t word_at(socket_machine& machine, std::uint64_t address) {
    const address_region* region = machine.map.region_of(address);
    return machine.memories.core().words().read(
        location_of(machine.map.module_of(*region, address), address));
  }

  /// A blocking access of one word or less; returns the delay.
  sc_core::sc_time access(socket_machine& machine, std::uint32_t pe, tlm::tlm_command command,
                          std::uint64_t address, word_t& data, unsigned length = 8,
                          sc_core::sc_time delay = {}) {
    word_payload payload(command, address, 0, length);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&data));
    machine.initiators[pe].own_socket->b_transport(payload, delay);
    status_ = payload.get_response_status();
    return delay;
  }

  unsigned debug(socket_machine& machine, tlm::tlm_command command, std::uint64_t address,
                 void* data, unsigned length, std::uint32_t pe = 0) {
    word_payload payload(command, address, 0, length);
    payload.set_data_ptr(static_cast<unsigned char*>(data));
    return machine.initiators[pe].own_socket->transport_dbg(payload);
  }

  tlm::tlm_response_status status_ = tlm::TLM_INCOMPLETE_RESPONSE;
};

TEST_F(access_test, a_lone_blocking_access_takes_what_a_lone_request_takes) {
  socket_machine machine(machine_of(4));
  const sc_core::sc_time period = machine.clock.period();
  std::vector<double> periods;
  run([&] {
    word_t data = 7;
    sc_core::wait(2.5 * period);
    // Seen at edge 3, delivered at 3 + 2k + 2.
    periods.push_back(access(machine, 0, tlm::TLM_WRITE_COMMAND, 8, data) / period);
    sc_core::wait(period / 2);
    // At edge 3, so seen at edge 4.
    data = 0;
    periods.push_back(access(machine, 0, tlm::TLM_READ_COMMAND, 8, data) / period);
    EXPECT_EQ(data, 7U);
    // Ten periods ahead of the simulation.
    periods.push_back(access(machine, 0, tlm::TLM_READ_COMMAND, 8, data, 8, 10 * period) / period);
  });
  machine.run_until(10);
  EXPECT_EQ(periods, (std::vector<double>{6.5, 7, 17}));
  EXPECT_EQ(word_at(machine, 8), 7U);
}

TEST_F(access_test, a_long_blocking_access_takes_its_words_one_after_the_other) {
  for (const std::uint32_t outstanding : {1U, 2U}) {
    const simulation_context context;
    socket_machine machine(machine_of(4, outstanding));
    const sc_core::sc_time period = machine.clock.period();
    std::array<word_t, 4> data{};
    double lone = 0;
    double loose = 0;
    run([&] {
      sc_core::wait(2.5 * period);
      loose = access(machine, 1, tlm::TLM_READ_COMMAND, 8, data[0], 32) / period;
    });
    machine.before_edge = [&](cycle_t now) {
      if (now != 20) return;
      at_initiator& first = machine.initiators[0];
      first.send(first.pool.acquire(tlm::TLM_READ_COMMAND, 8,
                                    reinterpret_cast<unsigned char*>(data.data()), 32));
    };
    machine.run_until(80);
    lone = (machine.initiators[0].outcomes.at(0).answered / period) - 19.5;
    EXPECT_DOUBLE_EQ(loose, lone) << outstanding << " outstanding";
  }
}

TEST_F(access_test, blocking_accesses_split_mask_and_perform_operations) {
  socket_machine machine(machine_of(4));
  run([&] {
    word_t data = 0xaabbccdd;
    access(machine, 0, tlm::TLM_WRITE_COMMAND, 6, data, 4);
    EXPECT_EQ(status_, tlm::TLM_OK_RESPONSE);
    tlm::tlm_generic_payload payload;
    fetch_op request = fetch_op::of(operation::fetch_add, 5);
    word_t old = 0;
    set_fetch_op(payload, 8, reinterpret_cast<unsigned char*>(&old), request);
    sc_core::sc_time delay;
    machine.initiators[0].own_socket->b_transport(payload, delay);
    EXPECT_TRUE(request.performed());
    EXPECT_EQ(old, 0xaabbU);
    payload.clear_extension<fetch_op>();
    access(machine, 0, tlm::TLM_READ_COMMAND, std::uint64_t{1} << 45, data);
    EXPECT_EQ(status_, tlm::TLM_ADDRESS_ERROR_RESPONSE);
  });
  machine.run_until(3);
  EXPECT_EQ(word_at(machine, 0), 0xccdd000000000000U);
  EXPECT_EQ(word_at(machine, 8), 0xaabbU + 5);
}

TEST_F(access_test, a_port_may_block_only_when_nothing_else_is_under_way) {
  expect_report(messages::protocol, testing::after_report::goes_on);
  socket_machine machine(machine_of(4));
  machine.initiators[0].monitor.checker().on_violation([](const protocol_violation&) {});
  machine.before_edge = [&](cycle_t now) {
    if (now != 2) return;
    for (std::uint32_t pe = 0; pe < 2; ++pe) {
      at_initiator& each = machine.initiators[pe];
      each.send(each.pool.acquire_word(tlm::TLM_READ_COMMAND, 8));
    }
  };
  run([&] {
    word_t data = 0;
    sc_core::wait(4 * machine.clock.period());
    access(machine, 2, tlm::TLM_READ_COMMAND, 8, data);
    EXPECT_EQ(status_, tlm::TLM_OK_RESPONSE) << "other ports do not matter";
    access(machine, 0, tlm::TLM_READ_COMMAND, 8, data);
    EXPECT_EQ(status_, tlm::TLM_GENERIC_ERROR_RESPONSE);
    sc_core::wait(20 * machine.clock.period());
    access(machine, 0, tlm::TLM_READ_COMMAND, 8, data);
    EXPECT_EQ(status_, tlm::TLM_OK_RESPONSE);
  });
  machine.run_until(30);
  EXPECT_EQ(reports(messages::protocol).size(), 1U);
}

/// A machine whose ports read words at random times, by nb_transport or by b_transport.
class reading_machine {
 public:
  struct sample {
    void add(double periods) {
      sum += periods;
      longest = std::max(longest, periods);
      ++count;
    }
    double mean() const { return sum / static_cast<double>(count); }

    double sum = 0;
    double longest = 0;
    std::uint64_t count = 0;
  };

  sample timed;      ///< periods from BEGIN_REQ to BEGIN_RESP
  sample estimated;  ///< periods that b_transport tells

 protected:
  reading_machine(std::uint32_t elements, std::uint64_t seed) : machine_(machine_of(elements, 16)) {
    for (std::uint32_t pe = 0; pe < elements; ++pe) streams_.emplace_back(seed, pe, 0U);
    for (at_initiator& each : machine_.initiators) {
      each.on_response = [this](tlm::tlm_generic_payload& payload) {
        if (counts()) timed.add((sc_core::sc_time_stamp() - begun_[&payload]) / period());
      };
    }
  }

  sc_core::sc_time period() const { return machine_.clock.period(); }
  /// Whether what ends now is counted.
  bool counts() const { return machine_.interface.now() >= warm_; }
  std::uint64_t draw(std::uint32_t pe) { return 8 * streams_[pe].below(std::uint64_t{1} << 30); }

  void begin_read(std::uint32_t pe) {
    at_initiator& each = machine_.initiators[pe];
    auto& payload = each.pool.acquire_word(tlm::TLM_READ_COMMAND, draw(pe));
    begun_[&payload] = sc_core::sc_time_stamp();
    each.send(payload);
  }
  /// Periods that an access takes so far ahead of the simulation.
  double read(std::uint32_t pe, const sc_core::sc_time& ahead = {}) {
    word_payload payload(tlm::TLM_READ_COMMAND, draw(pe));
    sc_core::sc_time delay = ahead;
    machine_.initiators[pe].own_socket->b_transport(payload, delay);
    return (delay - ahead) / period();
  }

  simulation_context context_;
  socket_machine machine_;
  std::vector<random_stream> streams_;
  cycle_t warm_ = 0;

 private:
  std::unordered_map<const tlm::tlm_generic_payload*, sc_core::sc_time> begun_;
};

/// A request of each element every 1 / load cycles on average, all by one way.
class mean_latency : private reading_machine {
 public:
  mean_latency(std::uint32_t elements, double load, bool blocking)
      : reading_machine(elements, blocking ? 64 : 63), threshold_(probability_threshold(load)) {
    warm_ = 2000;
    for (std::uint32_t pe = 0; blocking && pe < elements; ++pe) {
      sc_core::sc_spawn([this, pe] { read_at_random(pe); });
    }
    if (!blocking) {
      machine_.before_edge = [this](cycle_t) {
        for (std::uint32_t pe = 0; pe < machine_.lines(); ++pe) {
          if (streams_[pe].bernoulli(threshold_)) begin_read(pe);
        }
      };
    }
    machine_.run_until(12000);
  }
  double mean() const { return timed.count != 0 ? timed.mean() : estimated.mean(); }

 private:
  void read_at_random(std::uint32_t pe) {
    sc_core::wait(1.5 * period());
    for (;;) {
      sc_core::wait(period());
      if (!streams_[pe].bernoulli(threshold_)) continue;
      const double periods = read(pe);
      if (counts()) estimated.add(periods);
    }
  }

  std::uint64_t threshold_;
};

TEST_F(access_test, the_estimate_is_within_a_cycle_of_the_mean_at_a_load_of_one_percent) {
  for (const std::uint32_t elements : {4U, 64U}) {
    const double timed = mean_latency(elements, 0.01, false).mean();
    const double estimated = mean_latency(elements, 0.01, true).mean();
    EXPECT_NEAR(estimated, timed, 1.0) << elements << " elements";
    RecordProperty("timed_" + std::to_string(elements), std::to_string(timed));
    RecordProperty("estimated_" + std::to_string(elements), std::to_string(estimated));
  }
}

TEST_F(access_test, the_estimate_follows_the_load) {
  const double timed = mean_latency(64, 0.1, false).mean();
  const double estimated = mean_latency(64, 0.1, true).mean();
  EXPECT_NEAR(estimated, timed, 0.1 * timed);
}

/// One port by b_transport with a quantum, the others by nb_transport, a request of each port every
/// so many cycles on average.
class decoupled_latency : public reading_machine {
 public:
  decoupled_latency(cycle_t quantum, std::uint32_t spacing)
      : reading_machine(4, 65), quantum_(quantum), spacing_(spacing) {
    machine_.before_edge = [this](cycle_t) {
      for (std::uint32_t pe = 1; pe < machine_.lines(); ++pe) {
        if (streams_[pe].below(spacing_) == 0) begin_read(pe);
      }
    };
    sc_core::sc_spawn([this] { run_ahead(); });
    machine_.run_until(std::max<cycle_t>(30000, 3 * quantum));
    ended_ = true;
    tlm_utils::tlm_quantumkeeper::set_global_quantum(sc_core::SC_ZERO_TIME);
  }

 private:
  void run_ahead() {
    sc_core::wait(1.5 * period());
    tlm_utils::tlm_quantumkeeper keeper;
    tlm_utils::tlm_quantumkeeper::set_global_quantum(static_cast<double>(quantum_) * period());
    keeper.reset();
    // Without an end the sanitizer would take the call for one that never returns, and look for the
    // stack of the thread in vain.
    while (!ended_) {
      const double taken = read(0, keeper.get_local_time());
      // In the first quantum no load has been seen yet.
      const bool seen = sc_core::sc_time_stamp() > static_cast<double>(quantum_) * period();
      if (seen) estimated.add(taken);
      // As the other ports, it does not wait for the answer.
      keeper.inc(static_cast<double>(1 + streams_[0].below(2 * spacing_ - 1)) * period());
      if (keeper.need_sync()) keeper.sync();
    }
  }

  cycle_t quantum_;
  std::uint32_t spacing_;
  bool ended_ = false;
};

TEST_F(access_test, the_estimate_stands_a_quantum_beside_requests_in_the_network) {
  for (const cycle_t quantum : {1U, 1000U, 100000U}) {
    const decoupled_latency run(quantum, 100);
    EXPECT_NEAR(run.estimated.mean(), run.timed.mean(), 1.0) << "quantum " << quantum;
    EXPECT_LT(run.estimated.longest, 9.0) << "quantum " << quantum;
    RecordProperty("timed_" + std::to_string(quantum), std::to_string(run.timed.mean()));
    RecordProperty("estimated_" + std::to_string(quantum), std::to_string(run.estimated.mean()));
    RecordProperty("longest_" + std::to_string(quantum), std::to_string(run.estimated.longest));
  }
}

TEST_F(access_test, debug_accesses_move_bytes_of_any_range) {
  socket_machine machine(machine_of(4));
  machine.run_until(1);
  std::array<unsigned char, 40> written{};
  for (std::size_t i = 0; i < written.size(); ++i) written[i] = static_cast<unsigned char>(i + 1);
  EXPECT_EQ(debug(machine, tlm::TLM_WRITE_COMMAND, 13, written.data(), 40), 40U);
  std::array<unsigned char, 42> read{};
  EXPECT_EQ(debug(machine, tlm::TLM_READ_COMMAND, 12, read.data(), 42, 3), 42U);
  EXPECT_EQ(read[0], 0U);
  EXPECT_EQ(std::memcmp(read.data() + 1, written.data(), 40), 0);
  EXPECT_EQ(read[41], 0U);
  EXPECT_EQ(debug(machine, tlm::TLM_IGNORE_COMMAND, 13, written.data(), 40), 0U);
}

TEST_F(access_test, debug_accesses_end_where_the_regions_end) {
  socket_machine machine(machine_of(4));
  machine.run_until(1);
  std::array<unsigned char, 16> bytes{};
  const std::uint64_t end = std::uint64_t{2} << 40;
  EXPECT_EQ(debug(machine, tlm::TLM_READ_COMMAND, end - 4, bytes.data(), 16), 4U);
  EXPECT_EQ(debug(machine, tlm::TLM_WRITE_COMMAND, end + 4, bytes.data(), 16), 0U);
}

TEST_F(access_test, debug_reads_see_what_waiting_requests_will_have_done) {
  ultracomputer_config config = machine_of(8);
  config.memory.interval = 40;
  socket_machine machine(config);
  machine.before_edge = [&](cycle_t now) {
    if (now != 2) return;
    for (at_initiator& each : machine.initiators) {
      each.send(each.pool.acquire_fetch_op(16, function_of(operation::fetch_add, 1)));
    }
  };
  bool waited = false;
  for (cycle_t cycle = 3; cycle < 400; ++cycle) {
    machine.run_until(cycle);
    word_t seen = 0;
    const bool idle = machine.network.core().idle();
    waited = waited || word_at(machine, 16) < machine.interface.core().accepted().value();
    ASSERT_EQ(debug(machine, tlm::TLM_READ_COMMAND, 16, &seen, 8), 8U);
    EXPECT_EQ(seen, machine.interface.core().accepted().value()) << "cycle " << cycle;
    EXPECT_EQ(machine.network.core().idle(), idle);
  }
  EXPECT_TRUE(waited);
  EXPECT_EQ(word_at(machine, 16), 8U);
}

TEST_F(access_test, waiting_requests_act_after_a_debug_write) {
  ultracomputer_config config = machine_of(4);
  config.memory.interval = 40;
  config.network.switches.combining = false;
  socket_machine machine(config);
  machine.before_edge = [&](cycle_t now) {
    if (now != 2) return;
    for (at_initiator& each : machine.initiators) {
      each.send(each.pool.acquire_fetch_op(16, function_of(operation::fetch_add, 1)));
    }
  };
  machine.run_until(10);
  const word_t done = word_at(machine, 16);
  word_t data = 100;
  EXPECT_EQ(debug(machine, tlm::TLM_WRITE_COMMAND, 16, &data, 8), 8U);
  EXPECT_EQ(word_at(machine, 16), 100U);
  machine.run_until(300);
  EXPECT_EQ(word_at(machine, 16), 104U - done);
}

TEST_F(access_test, debug_accesses_in_the_window_of_aliases_perform_nothing) {
  alias_config aliases;
  aliases.enabled = true;
  socket_machine machine(machine_of(4), aliases);
  machine.run_until(1);
  word_t data = 5;
  const std::uint64_t alias = window + fetch_add_bank * aliases.size + 16;
  EXPECT_EQ(debug(machine, tlm::TLM_WRITE_COMMAND, alias, &data, 8), 8U);
  EXPECT_EQ(debug(machine, tlm::TLM_WRITE_COMMAND, alias, &data, 8), 8U);
  EXPECT_EQ(word_at(machine, 16), 5U);
  data = 0;
  EXPECT_EQ(debug(machine, tlm::TLM_READ_COMMAND, alias, &data, 8), 8U);
  EXPECT_EQ(data, 5U);
  const auto operand = window + static_cast<std::uint64_t>(alias_register::operand);
  EXPECT_EQ(debug(machine, tlm::TLM_WRITE_COMMAND, operand, &data, 8, 1), 8U);
  word_t seen = 0;
  EXPECT_EQ(debug(machine, tlm::TLM_READ_COMMAND, operand, &seen, 8, 1), 8U);
  EXPECT_EQ(seen, 5U);
  EXPECT_EQ(debug(machine, tlm::TLM_READ_COMMAND, operand, &seen, 8, 2), 8U);
  EXPECT_EQ(seen, 0U) << "each port has registers of its own";
}

TEST_F(access_test, a_debug_access_without_data_is_reported) {
  expect_report(messages::protocol, testing::after_report::goes_on);
  socket_machine machine(machine_of(4));
  machine.initiators[0].monitor.checker().on_violation([](const protocol_violation&) {});
  machine.run_until(1);
  EXPECT_EQ(debug(machine, tlm::TLM_READ_COMMAND, 16, nullptr, 8), 0U);
  EXPECT_EQ(debug(machine, tlm::TLM_WRITE_COMMAND, 16, nullptr, 8), 0U);
  ASSERT_EQ(reports(messages::protocol).size(), 2U);
  EXPECT_NE(reports(messages::protocol)[0].find("target_sockets_0"), std::string::npos);
}

TEST_F(access_test, a_blocking_access_during_reset_is_refused_and_does_nothing) {
  socket_machine machine(machine_of(4));
  sc_core::sc_signal<bool> reset_n{"reset_n", true};
  machine.interface.reset_n(reset_n);
  machine.network.reset_n(reset_n);
  machine.memories.reset_n(reset_n);
  const sc_core::sc_time period = machine.clock.period();
  bool done = false;
  run([&] {
    sc_core::wait(3.5 * period);
    reset_n.write(false);
    sc_core::wait(period);
    word_t data = 7;
    EXPECT_EQ(access(machine, 0, tlm::TLM_WRITE_COMMAND, 8, data, 8, period), period);
    EXPECT_EQ(status_, tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(word_at(machine, 8), 0U);
    reset_n.write(true);
    sc_core::wait(period);
    access(machine, 0, tlm::TLM_WRITE_COMMAND, 8, data);
    EXPECT_EQ(status_, tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(word_at(machine, 8), 7U);
    done = true;
  });
  machine.run_until(30);
  EXPECT_TRUE(done);
}

/// A grant of all addresses from 0 on, with the pointer's value telling the address.
bool grant_everything(mm_id, tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi) {
  static unsigned char somewhere = 0;
  dmi.set_dmi_ptr(&somewhere);
  dmi.allow_read_write();
  dmi.set_read_latency(sc_core::sc_time(3, sc_core::SC_NS));
  return true;
}

class direct_test : public access_test {
 protected:
  bool ask(socket_machine& machine, std::uint64_t address) {
    dmi_.init();
    tlm::tlm_generic_payload payload;
    payload.set_address(address);
    return machine.initiators[0].own_socket->get_direct_mem_ptr(payload, dmi_);
  }
  tlm::tlm_dmi dmi_;
};

TEST_F(direct_test, a_region_that_is_whole_to_a_module_is_granted_and_clipped) {
  socket_machine machine(machine_with_direct_regions());
  machine.around.direct = grant_everything;
  machine.run_until(1);
  const std::uint64_t base = std::uint64_t{5} << 40;
  ASSERT_TRUE(ask(machine, base + 100));
  EXPECT_EQ(dmi_.get_start_address(), base);
  EXPECT_EQ(dmi_.get_end_address(), base + 0xfff);
  EXPECT_EQ(dmi_.get_read_latency(),
            sc_core::sc_time(3, sc_core::SC_NS) + 4 * machine.clock.period());
}

TEST_F(direct_test, a_region_in_blocks_is_clipped_to_the_block) {
  socket_machine machine(machine_with_direct_regions());
  mm_id asked{};
  machine.around.direct = [&](mm_id module, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
    asked = module;
    return grant_everything(module, payload, dmi);
  };
  machine.run_until(1);
  const std::uint64_t base = std::uint64_t{4} << 40;
  ASSERT_TRUE(ask(machine, base + 0x2010));
  EXPECT_EQ(asked, mm_id{2});
  EXPECT_EQ(dmi_.get_start_address(), base + 0x2000);
  EXPECT_EQ(dmi_.get_end_address(), base + 0x2fff);
}

TEST_F(direct_test, other_addresses_are_refused_with_their_range) {
  alias_config aliases;
  aliases.enabled = true;
  socket_machine machine(machine_with_direct_regions(), aliases);
  machine.around.direct = grant_everything;
  machine.run_until(1);
  EXPECT_FALSE(ask(machine, 8));
  EXPECT_EQ(dmi_.get_start_address(), 0U);
  EXPECT_EQ(dmi_.get_end_address(), (std::uint64_t{1} << 40) - 1);
  EXPECT_TRUE(dmi_.is_read_write_allowed()) << "both are refused";
  EXPECT_FALSE(ask(machine, window + 8));
  EXPECT_EQ(dmi_.get_start_address(), (std::uint64_t{5} << 40) + 0x1000);
  EXPECT_EQ(dmi_.get_end_address(), ~std::uint64_t{0});
  EXPECT_TRUE(dmi_.is_read_write_allowed());
  EXPECT_FALSE(ask(machine, std::uint64_t{3} << 40));
  EXPECT_EQ(dmi_.get_start_address(), std::uint64_t{2} << 40);
  EXPECT_EQ(dmi_.get_end_address(), (std::uint64_t{4} << 40) - 1);
}

TEST_F(direct_test, what_memory_refuses_is_refused) {
  socket_machine machine(machine_with_direct_regions());
  machine.run_until(1);
  EXPECT_FALSE(ask(machine, std::uint64_t{5} << 40));
  EXPECT_TRUE(dmi_.is_read_write_allowed());
  machine.around.direct = [](mm_id, tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi) {
    dmi.allow_write();
    return false;
  };
  EXPECT_FALSE(ask(machine, std::uint64_t{5} << 40));
  EXPECT_TRUE(dmi_.is_write_allowed());
  EXPECT_FALSE(dmi_.is_read_allowed()) << "memory says itself what it refuses";
}

TEST_F(direct_test, the_hint_of_memory_is_passed_on_where_a_pointer_may_be_given) {
  alias_config aliases;
  aliases.enabled = true;
  socket_machine machine(machine_with_direct_regions(), aliases);
  const auto hinted = [&](tlm::tlm_command command, std::uint64_t address) {
    word_payload payload(command, address);
    sc_core::sc_time delay;
    machine.initiators[0].own_socket->b_transport(payload, delay);
    return payload.is_dmi_allowed();
  };
  run([&] {
    const std::uint64_t blocked = std::uint64_t{4} << 40;
    const std::uint64_t whole = std::uint64_t{5} << 40;
    EXPECT_FALSE(hinted(tlm::TLM_READ_COMMAND, whole)) << "memory gives none";
    machine.around.hinting = mm_id{3};
    EXPECT_TRUE(hinted(tlm::TLM_READ_COMMAND, whole));
    EXPECT_TRUE(hinted(tlm::TLM_WRITE_COMMAND, whole + 8));
    EXPECT_TRUE(hinted(tlm::TLM_READ_COMMAND, blocked + 0x3000));
    EXPECT_FALSE(hinted(tlm::TLM_READ_COMMAND, blocked + 0x2000)) << "another module's block";
    EXPECT_FALSE(hinted(tlm::TLM_IGNORE_COMMAND, whole));
    EXPECT_FALSE(hinted(tlm::TLM_READ_COMMAND, 24)) << "combinable";
    EXPECT_FALSE(hinted(tlm::TLM_READ_COMMAND, window + 8)) << "an alias";
    EXPECT_FALSE(hinted(tlm::TLM_READ_COMMAND, whole + 0x2000)) << "no region";
  });
  machine.run_until(3);
}

TEST_F(direct_test, invalidations_reach_every_port) {
  socket_machine machine(machine_with_direct_regions());
  machine.run_until(1);
  machine.around.invalidate(16, 31);
  for (const at_initiator& each : machine.initiators) {
    EXPECT_EQ(each.invalidated, (std::vector<std::pair<std::uint64_t, std::uint64_t>>{{16, 31}}));
  }
}

}  // namespace
}  // namespace tributary
