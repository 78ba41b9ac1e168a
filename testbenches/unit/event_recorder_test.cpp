// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include <tributary/memory/address_map.h>
#include <tributary/nic/event_recorder.h>
#include <tributary/nic/network_interface.h>

namespace tributary {
namespace {

constexpr unsigned stages = 2;
constexpr std::size_t lines = 4;

class collector final : public observer<network_event> {
 public:
  void on_event(const network_event& event) override { events.push_back(event); }

  std::vector<network_event> events;
};

packet request_of(std::uint16_t pe, std::uint32_t sequence) {
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
  event_recorder recorder{interfaces, stages, lines};
  collector seen;
};

TEST(event_recorder, tells_events_in_the_order_of_traces_however_they_were_reported) {
  std::vector<std::function<void(event_recorder&)>> reports;
  for (std::int32_t stage = processor_side; stage <= std::int32_t{stages}; ++stage) {
    for (std::size_t port = 0; port < lines; ++port) {
      for (const event_kind kind : {event_kind::inserted, event_kind::departed}) {
        for (std::uint16_t pe = 0; pe < 2; ++pe) {
          for (std::uint32_t sequence = 0; sequence < 2; ++sequence) {
            reports.emplace_back([=](event_recorder& recorder) {
              const packet what = request_of(pe, sequence);
              recorder.request(kind, stage, port, what, what.id());
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
    const auto out_of_order = [](const network_event& x, const network_event& y) {
      return !(x < y);
    };
    EXPECT_EQ(std::adjacent_find(one.seen.events.begin(), one.seen.events.end(), out_of_order),
              one.seen.events.end())
        << "stride " << stride;
  }
}

TEST(event_recorder, tells_every_event_once_with_its_cycle) {
  recorder_under_test one;
  one.recorder.begin(1);
  one.recorder.request(event_kind::inserted, 0, 3, request_of(0, 0), {0, 0});
  one.recorder.begin(2);
  one.recorder.request(event_kind::inserted, 0, 3, request_of(1, 0), {0, 1});
  one.recorder.end();
  one.recorder.end();
  ASSERT_EQ(one.seen.events.size(), 2U);
  EXPECT_EQ(one.seen.events[0].cycle, 1U);
  EXPECT_EQ(one.seen.events[1].cycle, 2U);
  EXPECT_EQ(one.seen.events[1].switch_index, 1U);
  EXPECT_EQ(one.seen.events[1].port, 1U);
}

TEST(event_recorder, numbers_a_departing_reply_by_its_line) {
  recorder_under_test one;
  for (std::size_t line = 0; line < lines; ++line) {
    one.recorder.begin(1 + line);
    one.recorder.reply_departed(0, line, {});
  }
  one.recorder.end();
  ASSERT_EQ(one.seen.events.size(), lines);
  for (std::size_t line = 0; line < lines; ++line) {
    EXPECT_EQ(one.seen.events[line].switch_index, line % 2) << line;
    EXPECT_EQ(one.seen.events[line].port, line / 2) << line;
  }
}

TEST(event_recorder, joins_form_and_address_also_after_the_delivery_of_the_cycle) {
  recorder_under_test one;
  one.accept(3, 40);
  const reply response{5, 0, 3, 0};
  one.recorder.begin(4);
  one.recorder.response(event_kind::delivered, processor_side, 3, response, response.id());
  one.interfaces.deliver(3, response, 4);
  one.recorder.reply_departed(0, 2, response);
  one.recorder.end();
  ASSERT_EQ(one.seen.events.size(), 2U);
  for (const network_event& event : one.seen.events) {
    EXPECT_EQ(event.function, form::add);
    EXPECT_EQ(event.address, 40U);
    EXPECT_EQ(event.value, 5);
  }
}

}  // namespace
}  // namespace tributary
