// SPDX-License-Identifier: Apache-2.0
// The RTL of a whole network, one verilated model, beside the omega_network and beside single
// switches, cycle by cycle under the same traffic: who is ready, what leaves, emptiness.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <built_networks.h>
#include <network_faulty.h>

#include <tributary/network/omega/omega_network.h>
#include <tributary/rtl/verilated_network.h>
#include <tributary/sim/random_stream.h>

#include "support/composed_network.h"
#include "support/network_bench.h"
#include "support/sizes.h"

namespace tributary {
namespace {

using testing::network_arrivals;
using testing::network_departures;

template <class Design>
omega_network_config network_of() {
  omega_network_config config;
  config.processing_elements = 1U << Design::stages;
  config.switches = config_of(Design::parameters);
  return config;
}

/// The RTL with the interface of composed_network.
template <class Design>
class rtl_network {
 public:
  explicit rtl_network(int seed) : network_(options_of(seed)) {}

  std::uint8_t request_ready(std::size_t pe) const { return network_.request_ready(pe); }
  bool reply_ready(std::size_t module) const { return network_.reply_ready(module); }
  bool idle() const { return network_.idle(); }
  void reset() { network_.reset(); }

  network_departures cycle(const std::vector<std::uint8_t>& memory_ready,
                           const std::vector<std::uint8_t>& element_ready,
                           const network_arrivals& arrivals) {
    network_departures out;
    network_.depart(memory_ready.data(), element_ready.data());
    network_.for_each_departing_request([&](std::size_t module, const packet& request) {
      out.served.emplace_back(module, request);
    });
    network_.for_each_departing_reply(
        [&](std::size_t pe, const reply& response) { out.delivered.emplace_back(pe, response); });
    for (std::size_t line = 0; line < arrivals.requests.size(); ++line) {
      if (arrivals.requests[line]) network_.accept_request(line, *arrivals.requests[line]);
      if (arrivals.replies[line]) network_.accept_reply(line, *arrivals.replies[line]);
    }
    network_.settle();
    return out;
  }

 private:
  static verilated_options options_of(int seed) {
    verilated_options options;
    options.name = Design::name;
    options.seed = seed;
    return options;
  }

  verilated_network<Design> network_;
};

/// The model, which needs elements that take all replies.
class model_network {
 public:
  explicit model_network(const omega_network_config& config) : whole_(config) {}
  std::uint8_t request_ready(std::size_t pe) const { return whole_.request_ready(pe); }
  bool reply_ready(std::size_t module) const { return whole_.reply_ready(module); }
  bool idle() const { return whole_.idle(); }
  network_departures cycle(const std::vector<std::uint8_t>& memory_ready,
                           const std::vector<std::uint8_t>&, const network_arrivals& arrivals) {
    return whole_.cycle(memory_ready, arrivals);
  }
  std::uint64_t combined() const { return whole_.joined().size(); }

 private:
  testing::whole_network whole_;
};

/// Single switches, whose elements may stall too.
class switch_network : public testing::composed_network<testing::single_switch> {
 public:
  using composed_network::composed_network;
  std::uint64_t combined() const { return 0; }
};

std::string text_of(const network_departures& leaving) {
  std::ostringstream text;
  for (const auto& [module, request] : leaving.served) {
    text << "  to module " << module << ": request " << request.sequence << " of element "
         << request.pe << ", form " << static_cast<unsigned>(request.kind) << " a " << request.a
         << " b " << request.b << " location " << request.location << '\n';
  }
  for (const auto& [pe, response] : leaving.delivered) {
    text << "  to element " << pe << ": reply " << response.sequence << " of element "
         << response.pe << ", value " << response.value << '\n';
  }
  return text.str();
}

/// How a run draws its traffic.
struct run_case {
  std::uint64_t seed = 1;
  bool memory_stalls = true;
  bool elements_stall = false;
};

/// Model and RTL under the same traffic.
template <class Model, class Design>
class both_networks {
 public:
  /// `rtl`: one that is empty; else another is made.
  explicit both_networks(const run_case& what, std::unique_ptr<rtl_network<Design>> rtl = nullptr)
      : what_(what),
        random_(what.seed, 5U, 0U),
        model_(network_of<Design>()),
        rtl_(rtl != nullptr ? std::move(rtl)
                            : std::make_unique<rtl_network<Design>>(static_cast<int>(what.seed))),
        bench_(elements, what.memory_stalls, random_) {}

  /// Cycles with requests, then those until both are empty; the first difference, or nothing.
  std::string run(std::uint64_t cycles) {
    for (now_ = 1; now_ <= cycles || !model_.idle() || !bench_.idle(); ++now_) {
      if (now_ > cycles + 20'000) return "never drains";
      if (std::string found = step(now_ <= cycles); !found.empty()) {
        return "cycle " + std::to_string(now_) + ", " + found;
      }
    }
    if (bench_.sent() != bench_.answered()) return "requests without an answer";
    return rtl_->idle() ? "" : "the RTL is not empty";
  }

  std::uint64_t sent() const { return bench_.sent(); }
  std::uint64_t combined() const { return combined_; }

 private:
  static constexpr std::uint32_t elements = 1U << Design::stages;

  std::string step(bool sending) {
    if (std::string found = ready_differs(); !found.empty()) return found;
    const auto memory_ready = bench_.memory_ready();
    const auto element_ready = ready_elements();
    const network_arrivals entering = bench_.arrivals(model_, sending);
    const network_departures expected = model_.cycle(memory_ready, element_ready, entering);
    const network_departures found = rtl_->cycle(memory_ready, element_ready, entering);
    if (!(found == expected)) {
      return "what leaves\nmodel:\n" + text_of(expected) + "RTL:\n" + text_of(found);
    }
    combined_ += model_.combined();
    bench_.take(expected);
    return "";
  }

  std::string ready_differs() const {
    for (std::uint32_t line = 0; line < elements; ++line) {
      if (model_.request_ready(line) != rtl_->request_ready(line)) {
        return "whether element " + std::to_string(line) + " may send";
      }
      if (model_.reply_ready(line) != rtl_->reply_ready(line)) {
        return "whether module " + std::to_string(line) + " may answer";
      }
    }
    return model_.idle() == rtl_->idle() ? "" : "emptiness";
  }

  std::vector<std::uint8_t> ready_elements() {
    std::vector<std::uint8_t> ready(elements, 1);
    if (!what_.elements_stall) return ready;
    for (std::uint8_t& each : ready) each = random_.below(3) == 0 ? 0 : 1;
    return ready;
  }

  run_case what_;
  random_stream random_;
  Model model_;
  std::unique_ptr<rtl_network<Design>> rtl_;
  testing::network_bench bench_;
  std::uint64_t now_ = 0;
  std::uint64_t combined_ = 0;
};

/// Cycles a run.
std::uint64_t cycles_of_a_run() { return testing::long_form() ? 20'000 : testing::scaled(1500); }

template <class Design>
class omega_network_cosim : public ::testing::Test {};

struct named_by_design {
  template <class Design>
  static std::string GetName(int) {
    return Design::name;
  }
};
TYPED_TEST_SUITE(omega_network_cosim, built_networks, named_by_design);

TYPED_TEST(omega_network_cosim, equals_the_model_cycle_by_cycle) {
  for (const bool stalls : {false, true}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      both_networks<model_network, TypeParam> both({seed, stalls, false});
      ASSERT_EQ(both.run(cycles_of_a_run()), "")
          << "network " << TypeParam::name << ", seed " << seed << ", stalls " << stalls;
      EXPECT_GT(both.sent(), cycles_of_a_run() / 4);
      EXPECT_GT(both.combined(), 0U) << "nothing combined: the traffic shows nothing";
    }
  }
}

TYPED_TEST(omega_network_cosim, equals_single_switches_where_elements_stall_too) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    both_networks<switch_network, TypeParam> both({seed, true, true});
    ASSERT_EQ(both.run(cycles_of_a_run()), "")
        << "network " << TypeParam::name << ", seed " << seed;
    EXPECT_GT(both.sent(), cycles_of_a_run() / 4);
  }
}

TYPED_TEST(omega_network_cosim, is_as_new_after_a_reset_in_mid_traffic) {
  random_stream random(4U, 6U, 0U);
  auto used = std::make_unique<rtl_network<TypeParam>>(1);
  const std::uint32_t elements = 1U << TypeParam::stages;
  testing::network_bench bench(elements, true, random);
  const std::vector<std::uint8_t> nobody(elements, 0);
  for (int cycle = 0; cycle < 40; ++cycle) {
    used->cycle(nobody, nobody, bench.arrivals(*used, true));
  }
  EXPECT_FALSE(used->idle());
  used->reset();
  EXPECT_TRUE(used->idle());
  both_networks<model_network, TypeParam> both({7, true, false}, std::move(used));
  EXPECT_EQ(both.run(cycles_of_a_run()), "") << "network " << TypeParam::name;
}

TEST(omega_network_cosim_fault, two_swapped_wires_of_the_shuffle_are_found) {
  both_networks<model_network, network_faulty> both({1, false, false});
  const std::string found = both.run(200);
  EXPECT_NE(found.find("cycle "), std::string::npos) << found;
  EXPECT_NE(found.find("what leaves"), std::string::npos) << found;
}

}  // namespace
}  // namespace tributary
