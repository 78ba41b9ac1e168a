// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/omega/lockstep_switch.h>

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <memory>
#include <string>

#include <tributary/network/omega/core_switch.h>
#include <tributary/network/omega/switch_column.h>
#include <tributary/sim/error.h>

namespace tributary {
namespace {

/// A core with one fault.
class faulty_switch final : public switch_implementation {
 public:
  using fault = std::function<void(switch_traffic&, switch_activity&)>;
  /// `more`: what it shows beyond the occupancy of a wait buffer.
  faulty_switch(const combining_switch_config& config, fault what, std::uint32_t more = 0)
      : core_(config, 0), fault_(std::move(what)), more_(more) {}

  std::uint8_t request_ready(unsigned input) const override { return core_.request_ready(input); }
  bool reply_ready(unsigned output) const override { return core_.reply_ready(output); }
  const switch_traffic& depart(const std::array<std::uint8_t, 2>& requests,
                               const std::array<bool, 2>& replies) override {
    traffic_ = core_.depart(requests, replies);
    fault_(traffic_, activity_);
    return traffic_;
  }
  const switch_activity& commit(const switch_traffic& arriving) override {
    activity_ = core_.commit(arriving);
    fault_(traffic_, activity_);
    return activity_;
  }
  bool idle() const override { return core_.idle(); }
  void reset() override { core_.reset(); }
  std::optional<switch_occupancy> occupancy() const override {
    std::optional<switch_occupancy> now = core_.occupancy();
    now->waiting[1] += more_;
    return now;
  }

 private:
  core_switch core_;
  fault fault_;
  std::uint32_t more_;
  switch_traffic traffic_;
  switch_activity activity_;
};

packet fetch_add(std::uint16_t pe, word_t addend) {
  packet request;
  request.kind = form::add;
  request.a = addend;
  request.pe = pe;
  request.sequence = 1;
  return request;
}

/// Two requests that meet in one queue, and the response to both. Returns the message of the first
/// difference, or an empty string.
std::string run(const combining_switch_config& reference,
                std::unique_ptr<switch_implementation> implementation) {
  try {
    lockstep_switch both("the switch", std::make_unique<core_switch>(reference, 0),
                         std::move(implementation));
    for (const std::uint16_t pe : std::array<std::uint16_t, 3>{2, 4, 6}) {
      both.depart({0, 0}, {true, true});
      switch_traffic arriving;
      arriving.requests[0] = fetch_add(pe, 5);
      both.commit(arriving);
    }
    for (unsigned cycle = 0; cycle < 4; ++cycle) {
      both.depart({3, 3}, {true, true});
      both.commit({});
    }
    both.depart({3, 3}, {true, true});
    switch_traffic arriving;
    arriving.replies[0] = reply{100, 1, 4, 0};
    both.commit(arriving);
    for (unsigned cycle = 0; cycle < 4; ++cycle) {
      both.depart({3, 3}, {true, true});
      both.commit({});
    }
    return "";
  } catch (const simulation_error& difference) {
    return difference.what();
  }
}

std::string run_with(faulty_switch::fault fault) {
  return run({}, std::make_unique<faulty_switch>(combining_switch_config{}, std::move(fault)));
}

TEST(lockstep_switch, finds_no_difference_between_equals) {
  EXPECT_EQ(run({}, std::make_unique<core_switch>(combining_switch_config{}, 0)), "");
}

TEST(lockstep_switch, names_the_cycle_and_shows_both_states) {
  const std::string message = run_with([](switch_traffic& leaving, switch_activity&) {
    if (leaving.requests[0]) leaving.requests[0]->a += 1;
  });
  EXPECT_NE(message.find("the switch: the implementation differs from its reference in cycle 4: "
                         "what leaves"),
            std::string::npos)
      << message;
  EXPECT_NE(message.find("reference:\n  output 0: request 1 of element 2: add module 0 address 0x0 "
                         "a 0x5"),
            std::string::npos)
      << message;
  EXPECT_NE(message.find("implementation:\n  output 0: request 1 of element 2: add module 0 "
                         "address 0x0 a 0x6"),
            std::string::npos)
      << message;
  EXPECT_NE(message.find("state of the reference:\n"), std::string::npos) << message;
}

TEST(lockstep_switch, finds_other_ready_bits) {
  combining_switch_config smaller;
  smaller.slots = 2;
  const std::string message = run({}, std::make_unique<core_switch>(smaller, 0));
  EXPECT_NE(message.find("in cycle 3: ready bits"), std::string::npos) << message;
}

TEST(lockstep_switch, finds_a_second_response_that_is_missing_or_wrong) {
  const std::string missing =
      run_with([](switch_traffic&, switch_activity& activity) { activity.decombined[0].reset(); });
  EXPECT_NE(missing.find("what happened"), std::string::npos) << missing;
  const std::string wrong = run_with([](switch_traffic&, switch_activity& activity) {
    if (activity.decombined[0]) activity.decombined[0]->value ^= 1;
  });
  EXPECT_NE(wrong.find("what happened"), std::string::npos) << wrong;
}

TEST(lockstep_switch, finds_a_joining_with_another_request) {
  const std::string message = run_with([](switch_traffic&, switch_activity& activity) {
    for (switch_joining& joined : activity.combined) joined.first.pe ^= 1;
  });
  EXPECT_NE(message.find("what happened"), std::string::npos) << message;
}

TEST(lockstep_switch, finds_another_occupancy) {
  const std::string message =
      run({}, std::make_unique<faulty_switch>(
                  combining_switch_config{}, [](switch_traffic&, switch_activity&) {}, 1));
  EXPECT_NE(message.find("in cycle 1: occupancy"), std::string::npos) << message;
}

}  // namespace
}  // namespace tributary
