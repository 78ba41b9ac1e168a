// SPDX-License-Identifier: Apache-2.0
#include <tributary/systemc/packet_link.h>

#include <gtest/gtest.h>

#include <string>

#include <tributary/memory/packet.h>
#include <tributary/systemc/messages.h>

#include "support/systemc_test.h"
#include "support/text_checks.h"

namespace tributary {
namespace {

using link = packet_link<packet>;

/// One end of a link: opens its port, and does nothing else.
struct link_end : sc_core::sc_module {
  link_end(const sc_core::sc_module_name& name, link::end which, std::size_t lines)
      : sc_module(name), which_(which), lines_(lines) {}
  void end_of_elaboration() override { port.open(which_, lines_); }

  link_port<packet> port{"port"};

 private:
  link::end which_;
  std::size_t lines_;
};

class packet_link_test : public testing::systemc_test {
 protected:
  /// The only report about a link that elaboration ends with.
  std::string refused_binding() {
    expect_report(messages::link_binding);
    EXPECT_THROW(sc_core::sc_start(1, sc_core::SC_NS), sc_core::sc_report);
    EXPECT_EQ(reports(messages::link_binding).size(), 1U);
    return reports(messages::link_binding).empty() ? "" : reports(messages::link_binding)[0];
  }
};

TEST_F(packet_link_test, two_receivers_of_one_line_are_reported) {
  link into("into");
  link_end one("one", link::end::receiver, 1);
  link_end other("other", link::end::receiver, 1);
  one.port(into);
  other.port(into);
  const std::string problem = refused_binding();
  EXPECT_NE(problem.find("reads"), std::string::npos) << problem;
  EXPECT_NE(problem.find("other"), std::string::npos) << problem;
}

TEST_F(packet_link_test, two_senders_of_one_line_are_reported) {
  link into("into", 3);
  link_end one("one", link::end::sender, 2);
  link_end other("other", link::end::sender, 2);
  one.port(into);
  other.port.bind(into, 1);
  const std::string problem = refused_binding();
  EXPECT_TRUE(testing::names(problem, {"writes", "line 1"})) << problem;
}

TEST_F(packet_link_test, a_link_with_too_few_lines_is_reported) {
  link into("into", 3);
  link_end one("one", link::end::sender, 2);
  one.port.bind(into, 2);
  const std::string problem = refused_binding();
  EXPECT_NE(problem.find("has only 3"), std::string::npos) << problem;
}

TEST_F(packet_link_test, what_is_sent_arrives_once) {
  link into("into", 2);
  link_end sender("sender", link::end::sender, 1);
  link_end receiver("receiver", link::end::receiver, 2);
  sender.port.bind(into, 1);
  receiver.port(into);
  sc_core::sc_clock clock("clock", 10, sc_core::SC_NS);
  sc_core::sc_start(1, sc_core::SC_NS);
  receiver.port.publish_all(3);
  EXPECT_EQ(*sender.port.ready(), 3);
  packet what;
  what.sequence = 64;
  sender.port.send(0, what);
  int taken = 0;
  const auto take = [&](std::size_t line, const packet& came) {
    ++taken;
    EXPECT_EQ(line, 1U);
    EXPECT_EQ(came.sequence, 64U);
  };
  receiver.port.receive(take);
  receiver.port.receive(take);
  EXPECT_EQ(taken, 1);
}

}  // namespace
}  // namespace tributary
