// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <tributary/memory/address_map.h>
#include <tributary/nic/network_interface.h>
#include <tributary/nic/request_trace.h>

namespace tributary {
namespace {

constexpr std::size_t lines = 4;

omega_network_config network_of_four() {
  omega_network_config network;
  network.processing_elements = lines;
  return network;
}

class collector final : public observer<trace_event> {
 public:
  void on_event(const trace_event& event) override { events.push_back(event); }

  std::vector<trace_event> events;
};

packet packet_of(std::uint16_t pe, std::uint32_t sequence) {
  packet made;
  made.pe = pe;
  made.sequence = sequence;
  return made;
}

/// An observed recorder of a machine of four, and its interfaces.
struct recorder_under_test {
  recorder_under_test() { recorder.observers().attach(seen); }

  /// Lets an element's first request, a fetch-and-add to `address`, into the network.
  void accept(std::size_t pe, std::uint64_t address) {
    access asked;
    asked.address = address;
    asked.function = {form::add, 1, 0};
    interfaces.offer(pe, asked, 1);
    const std::vector<std::uint8_t> ready(lines, 3);
    interfaces.depart(ready.data(), ready.data());
    const auto ignore = [](std::size_t, const packet&) {};
    interfaces.release_requests(1, ignore, ignore);
  }

  address_map map{address_map_config(), lines};
  network_interface interfaces{network_interface_config(), map, 1, 1, lines};
  request_trace recorder{interfaces, network_of_four(), "four"};
  collector seen;
};

TEST(request_trace, tells_events_in_the_order_of_traces_however_they_were_reported) {
  std::vector<std::function<void(request_trace&)>> reports;
  for (std::int32_t stage = processor_side; stage <= 2; ++stage) {
    for (std::size_t port = 0; port < lines; ++port) {
      for (const event_kind* kind : {&request_events::inserted, &request_events::departed}) {
        for (std::uint16_t pe = 0; pe < 2; ++pe) {
          for (std::uint32_t sequence = 0; sequence < 2; ++sequence) {
            reports.emplace_back([=](request_trace& recorder) {
              const packet what = packet_of(pe, sequence);
              recorder.request(*kind, stage, port, what, what.id());
            });
          }
        }
      }
    }
  }
  // Strides without a common factor with the number of reports reach each of them.
  for (const std::size_t stride : {1U, 37U, 127U}) {
    recorder_under_test one;
    one.recorder.begin(7);
    for (std::size_t i = 0; i < reports.size(); ++i) {
      reports[i * stride % reports.size()](one.recorder);
    }
    EXPECT_TRUE(one.seen.events.empty()) << "before the cycle's end";
    one.recorder.end();
    ASSERT_EQ(one.seen.events.size(), reports.size());
    const auto out_of_order = [](const trace_event& x, const trace_event& y) {
      return x.track != y.track ? y.track < x.track : !comes_before(x, y);
    };
    EXPECT_EQ(std::adjacent_find(one.seen.events.begin(), one.seen.events.end(), out_of_order),
              one.seen.events.end())
        << "stride " << stride;
  }
}

TEST(request_trace, tells_every_event_once_with_its_cycle) {
  recorder_under_test one;
  one.recorder.begin(1);
  one.recorder.request(request_events::inserted, 0, 3, packet_of(0, 0), {0, 0});
  one.recorder.begin(2);
  one.recorder.request(request_events::inserted, 0, 3, packet_of(1, 0), {0, 1});
  one.recorder.end();
  one.recorder.end();
  ASSERT_EQ(one.seen.events.size(), 2U);
  EXPECT_EQ(one.seen.events[0].cycle, 1U);
  EXPECT_EQ(one.seen.events[1].cycle, 2U);
  EXPECT_EQ(one.recorder.catalog().name_of(one.seen.events[1].track), "stage.0.switch.1.output.1");
}

TEST(request_trace, numbers_a_departing_reply_by_its_line) {
  recorder_under_test one;
  for (std::size_t line = 0; line < lines; ++line) {
    one.recorder.begin(1 + line);
    one.recorder.reply_departed(0, line, {});
  }
  one.recorder.end();
  ASSERT_EQ(one.seen.events.size(), lines);
  for (std::size_t line = 0; line < lines; ++line) {
    EXPECT_EQ(one.recorder.catalog().name_of(one.seen.events[line].track),
              "stage.0.switch." + std::to_string(line % 2) + ".input." + std::to_string(line / 2));
  }
}

TEST(request_trace, names_who_was_joined_as_parent) {
  recorder_under_test one;
  one.recorder.begin(1);
  one.recorder.request(request_events::inserted, 0, 0, packet_of(1, 4), {4, 1});
  one.recorder.request(request_events::combined, 0, 0, packet_of(2, 0), {4, 1});
  one.recorder.end();
  ASSERT_EQ(one.seen.events.size(), 2U);
  EXPECT_TRUE(one.seen.events[0].parent.none());
  EXPECT_EQ(to_string(one.seen.events[1].identity), "2.0");
  EXPECT_EQ(one.seen.events[1].parent, one.seen.events[0].identity);
}

TEST(request_trace, joins_form_and_address_also_after_the_delivery_of_the_cycle) {
  recorder_under_test one;
  one.accept(3, 40);
  const reply response{5, 0, 3, 0};
  one.recorder.begin(4);
  one.recorder.response(request_events::delivered, processor_side, 3, response, response.id());
  one.interfaces.deliver(3, response, 4);
  one.recorder.reply_departed(0, 2, response);
  one.recorder.end();
  ASSERT_EQ(one.seen.events.size(), 2U);
  for (const trace_event& event : one.seen.events) {
    EXPECT_EQ(request_events::form_of(event), form::add);
    EXPECT_EQ(event.address, 40U);
    EXPECT_EQ(event.value, 5);
  }
}

}  // namespace
}  // namespace tributary
