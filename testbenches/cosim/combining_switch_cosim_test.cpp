// SPDX-License-Identifier: Apache-2.0
// The RTL of the combining switch beside its core, cycle by cycle, at every variant.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <sstream>
#include <string>

#include <tributary/base/random_stream.h>
#include <tributary/combining/combining_switch.h>

#include "support/random_choice.h"
#include "support/random_switch.h"
#include "support/single_switch.h"
#include "support/sizes.h"
#include "variants.h"
#include "verilated_switch.h"

namespace tributary {
namespace {

using testing::single_switch;
using testing::switch_traffic;
using testing::verilated_switch;

template <class Variant>
combining_switch_config config_of() {
  combining_switch_config config;
  config.type = Variant::DualInput != 0 ? queue_type::a : queue_type::b;
  config.coupled = Variant::Coupled != 0;
  config.order = Variant::Ordered != 0 ? match_order::ordered : match_order::oldest;
  config.slots = Variant::Slots;
  config.adaptive_limit = Variant::AdaptiveLimit;
  config.wait_buffer_entries = Variant::WaitBufferEntries;
  config.link_cycles = Variant::LinkCycles;
  config.reverse_slots = Variant::ReverseSlots;
  return config;
}

std::string text_of(const packet& request) {
  std::ostringstream text;
  text << request.pe << '.' << request.sequence << ' ' << name_of(request.kind) << std::hex
       << " location " << request.location << " a " << request.a << " b " << request.b
       << (request.combinable != 0 ? "" : " not combinable");
  return text.str();
}

std::string text_of(const reply& response) {
  std::ostringstream text;
  text << response.pe << '.' << response.sequence << std::hex << " value " << response.value
       << " status " << unsigned{response.status};
  return text.str();
}

/// What leaves a switch, one line a port.
std::string text_of(const switch_traffic& traffic) {
  std::ostringstream text;
  for (unsigned i = 0; i < 2; ++i) {
    text << "  output " << i << ": "
         << (traffic.requests[i] ? text_of(*traffic.requests[i]) : "nothing") << "\n  input " << i
         << ": " << (traffic.replies[i] ? text_of(*traffic.replies[i]) : "nothing") << '\n';
  }
  return text.str();
}

/// Core and RTL of one switch under the same random traffic. Phases in which hardly anything
/// arrives, requests leave seldom, or responses do, fill and empty every buffer.
template <class Variant>
class lockstep {
 public:
  lockstep(unsigned route_bit, std::uint64_t seed)
      : random_(seed, route_bit, 0U),
        route_bit_(route_bit),
        core_(config_of<Variant>(), route_bit),
        rtl_(route_bit, static_cast<int>(seed)) {}

  void step() {
    for (unsigned input = 0; input < 2; ++input) {
      ASSERT_EQ(core_.request_ready(input), rtl_.request_ready(input))
          << at() << ", input " << input;
    }
    ASSERT_EQ(core_.reply_ready(), rtl_.reply_ready()) << at();

    const std::array<std::uint8_t, 2> next{next_ready(), next_ready()};
    const std::array<bool, 2> sink{sinks(), sinks()};
    const switch_traffic leaving = core_.depart(next, sink);
    const switch_traffic rtl_leaving = rtl_.depart(next, sink);
    ASSERT_TRUE(leaving == rtl_leaving) << at() << "\ncore:\n"
                                        << text_of(leaving) << "RTL:\n"
                                        << text_of(rtl_leaving);

    const switch_traffic arriving = arrivals();
    for (unsigned output = 0; output < 2; ++output) {
      if (leaving.requests[output]) at_memory_[output].push_back(*leaving.requests[output]);
    }
    core_.commit(arriving);
    rtl_.commit(arriving);
    ++now_;
    ASSERT_EQ(core_.idle(), rtl_.idle()) << at();
    ASSERT_EQ(core_.core().counters().combined, rtl_.combined()) << at();
    ASSERT_EQ(rtl_.failed_assertions(), 0) << at();
  }

  /// Resets both in the middle of traffic.
  void reset() {
    core_ = single_switch(config_of<Variant>(), route_bit_);
    rtl_.reset();
    for (auto& pending : at_memory_) pending.clear();
    EXPECT_TRUE(rtl_.idle()) << at();
  }

  std::uint64_t combined() const { return rtl_.combined(); }
  std::uint64_t decombined() const { return core_.core().counters().decombined; }

 private:
  std::string at() const {
    return std::string("variant ") + Variant::name + ", route bit " + std::to_string(route_bit_) +
           ", cycle " + std::to_string(now_);
  }

  bool once_in(std::uint64_t n) { return random_.below(n) == 0; }
  unsigned phase() const { return static_cast<unsigned>(now_ / 400 % 4); }
  std::uint8_t next_ready() {
    if (phase() == 1) return once_in(8) ? 3 : 0;
    return once_in(4) ? static_cast<std::uint8_t>(random_.below(4)) : 3;
  }
  bool sinks() { return phase() == 2 ? once_in(6) : !once_in(5); }

  switch_traffic arrivals() {
    switch_traffic arriving;
    for (unsigned i = 0; i < 2; ++i) {
      if (!once_in(phase() == 3 ? 2 : 4) || phase() == 0) arriving.requests[i] = new_request(i);
      arriving.replies[i] = new_reply(i);
    }
    return arriving;
  }

  std::optional<packet> new_request(unsigned input) {
    packet request = testing::random_request(random_, 1U << (route_bit_ + 1));
    const unsigned output = (index(request.module()) >> route_bit_) & 1U;
    if (((core_.request_ready(input) >> output) & 1U) == 0) return std::nullopt;
    if (once_in(4)) request.a = extreme();
    if (once_in(4)) request.b = extreme();
    request.pe = static_cast<std::uint16_t>((input << route_bit_) |
                                            random_.below(std::uint64_t{1} << route_bit_));
    request.sequence = next_sequence_++;
    return request;
  }

  word_t extreme() {
    const word_t sign = word_t{1} << 63;
    return testing::one_of<word_t>(random_, {0, ~word_t{0}, sign, sign - 1, random_.next_u64()});
  }

  std::optional<reply> new_reply(unsigned output) {
    std::deque<packet>& pending = at_memory_[output];
    if (pending.empty() || !core_.reply_ready() || once_in(3)) return std::nullopt;
    const auto which = static_cast<std::ptrdiff_t>(random_.below(pending.size()));
    const packet request = pending[static_cast<std::size_t>(which)];
    pending.erase(pending.begin() + which);
    const std::uint8_t status = once_in(20) ? std::uint8_t{3} : std::uint8_t{0};
    return reply{once_in(4) ? extreme() : random_.next_u64(), request.sequence, request.pe, status};
  }

  random_stream random_;
  unsigned route_bit_;
  single_switch core_;
  verilated_switch<typename Variant::model> rtl_;
  std::uint64_t now_ = 1;
  std::uint32_t next_sequence_ = 1;
  std::array<std::deque<packet>, 2> at_memory_;
};

/// Cycles a variant, over all its runs; TRIBUTARY_LONG=1 for the long form.
std::uint64_t cycles_of_a_variant() {
  return testing::long_form() ? 500'000 : testing::scaled(24'000);
}

template <class Variant>
class combining_switch_cosim : public ::testing::Test {};

struct variant_names {
  template <class Variant>
  static std::string GetName(int) {
    return Variant::name;
  }
};

using variants = ::testing::Types<TRIBUTARY_SWITCH_VARIANTS>;
TYPED_TEST_SUITE(combining_switch_cosim, variants, variant_names);

TYPED_TEST(combining_switch_cosim, equals_the_core_cycle_by_cycle) {
  for (const unsigned route_bit : {0U, 3U}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      lockstep<TypeParam> both(route_bit, seed);
      for (std::uint64_t cycle = 0; cycle < cycles_of_a_variant() / 6; ++cycle) {
        both.step();
        if (this->HasFatalFailure()) return;
      }
      EXPECT_GT(both.combined(), 0U) << "nothing combined: the traffic shows nothing";
      EXPECT_GT(both.decombined(), 0U);
    }
  }
}

TYPED_TEST(combining_switch_cosim, runs_clean_after_a_reset_in_mid_traffic) {
  lockstep<TypeParam> both(1, 7);
  for (unsigned resets = 0; resets < 5; ++resets) {
    for (unsigned cycle = 0; cycle < 300; ++cycle) {
      both.step();
      if (this->HasFatalFailure()) return;
    }
    both.reset();
  }
}

}  // namespace
}  // namespace tributary
