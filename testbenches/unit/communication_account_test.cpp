// SPDX-License-Identifier: Apache-2.0
// What messages cost in bytes of control.
#include <gtest/gtest.h>

#include <cstdint>

#include <tributary/sim/statistics.h>
#include <tributary/trace/communication_account.h>
#include <tributary/trace/communication_events.h>

namespace tributary {
namespace {

namespace events = communication_events;
using type = communication_message;
using purpose = communication_purpose;

/// Bytes of the header of a message, with the count and the strides in a table of their own.
double control_of(type is, purpose of, bool merges) {
  communication_account_config config;
  config.header_bytes.read = 1000;
  config.header_bytes.write = 2000;
  config.header_bytes.tree = 3000;
  config.header_bytes.count = 100;
  config.header_bytes.stride = 10;
  config.merges_requests = merges;
  communication_account account(config);
  trace_event event;
  event.kind = &events::sent;
  event.details = events::message.put(static_cast<std::uint64_t>(is)) |
                  events::purpose.put(static_cast<std::uint64_t>(of)) | events::bytes.put(8);
  account.on_event(event);
  statistics_tree tree;
  account.report(tree.root());
  return tree.find("messages.control");
}

TEST(communication_account, only_headers_of_gets_and_sends_say_how_items_are_apart) {
  EXPECT_EQ(control_of(type::read, purpose::get, true), 1120) << "strides of both sides";
  EXPECT_EQ(control_of(type::write, purpose::get, true), 2110) << "the answer";
  EXPECT_EQ(control_of(type::write, purpose::send, true), 2110);
  EXPECT_EQ(control_of(type::write, purpose::broadcast, true), 2000);
  EXPECT_EQ(control_of(type::tagged, purpose::combining_send, true), 2000);
  EXPECT_EQ(control_of(type::write, purpose::barrier, true), 3000);
}

TEST(communication_account, without_merged_requests_no_header_is_longer) {
  EXPECT_EQ(control_of(type::read, purpose::get, false), 1000);
  EXPECT_EQ(control_of(type::write, purpose::send, false), 2000);
}

}  // namespace
}  // namespace tributary
