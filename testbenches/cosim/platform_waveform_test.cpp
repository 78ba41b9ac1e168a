// SPDX-License-Identifier: Apache-2.0
// `tributary run --fst`: the signals of a switch of a running machine, beside its event log.
#include <algorithm>
#include <cstdint>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <tributary/rtl/verilated_waveform.h>

#include "cli/program_fixture.h"
#include "waveform_file.h"

namespace tributary {
namespace {

using testing::waveform_file;

constexpr unsigned element_bits = 16;  // the widths of the RTL in a platform
constexpr unsigned id_bits = 48;
constexpr unsigned word_bits = 64;

/// A line of the event log of the switch that is looked at.
struct logged {
  std::uint64_t cycle = 0;
  unsigned port = 0;
  std::string event;
  std::uint64_t id = 0;  ///< as on the ports
  std::uint64_t value = 0;
};

std::vector<std::string> fields_of(const std::string& line) {
  std::istringstream text(line);
  std::vector<std::string> fields;
  for (std::string field; std::getline(text, field, '\t');) fields.push_back(field);
  return fields;
}

std::uint64_t id_of(const std::string& request) {
  const std::size_t dot = request.find('.');
  return std::stoull(request.substr(dot + 1)) << element_bits | std::stoull(request.substr(0, dot));
}

/// Of a switch, "stage.3.switch.0"; the last figure of a track is its port.
std::vector<logged> events_of(const std::string& log, const std::string& name) {
  std::istringstream text(log);
  std::vector<logged> events;
  for (std::string line; std::getline(text, line);) {
    const std::vector<std::string> field = fields_of(line);
    if (line[0] == '#' || field.at(2).rfind(name + ".", 0) != 0) continue;
    const auto port = static_cast<unsigned>(field.at(2).back() - '0');
    events.push_back({std::stoull(field.at(0)), port, field.at(3), id_of(field.at(4)),
                      std::stoull(field.at(7), nullptr, 16)});
  }
  return events;
}

/// Signals of one switch, in cycles.
class switch_signals {
 public:
  switch_signals(const waveform_file& file, std::string scope)
      : file_(file), scope_(std::move(scope)) {}

  /// Bit `i` of a port as the edge that ends `cycle` takes it.
  std::uint64_t bit(const std::string& port, std::uint64_t cycle, unsigned i) const {
    return file_.at(scope_ + "." + port, time_of(cycle), i, 1);
  }
  /// A field of element `i` of a port of messages, of `width` bits.
  std::uint64_t field(const std::string& port, std::uint64_t cycle, unsigned i,
                      const std::string& name, unsigned width) const {
    return file_.at(scope_ + "." + port + "[" + std::to_string(i) + "]." + name, time_of(cycle), 0,
                    width);
  }

  void expect(const logged& event) const {
    SCOPED_TRACE("cycle " + std::to_string(event.cycle) + ", port " + std::to_string(event.port) +
                 ": " + event.event);
    if (event.event == "departed") {
      expect_port(event, "request_valid_o", "request_o", "operation.a");
    } else if (event.event == "reply_departed") {
      expect_port(event, "response_valid_o", "response_o", "value");
    } else if (event.event == "decombined") {
      expect_port(event, "event_decombined_o", "event_second_o", "value");
    } else {
      const std::string signal =
          event.event == "inserted" ? "event_inserted_o" : "event_combined_o";
      // Ids stay on a port after their request.
      const bool first = bit("request_valid_i", event.cycle, 0) == 1 &&
                         field("request_i", event.cycle, 0, "id", id_bits) == event.id;
      const unsigned input = first ? 0 : 1;
      EXPECT_EQ(bit("request_valid_i", event.cycle, input), 1U);
      EXPECT_EQ(field("request_i", event.cycle, input, "id", id_bits), event.id);
      EXPECT_EQ(field("request_i", event.cycle, input, "operation.a", word_bits), event.value);
      EXPECT_EQ(bit(signal, event.cycle, input), 1U);
    }
  }

 private:
  static std::uint64_t time_of(std::uint64_t cycle) {
    return verilated_waveform::period * cycle - 1;
  }
  void expect_port(const logged& event, const std::string& valid, const std::string& message,
                   const std::string& value) const {
    EXPECT_EQ(bit(valid, event.cycle, event.port), 1U);
    EXPECT_EQ(field(message, event.cycle, event.port, "id", id_bits), event.id);
    EXPECT_EQ(field(message, event.cycle, event.port, value, word_bits), event.value);
  }

  const waveform_file& file_;
  std::string scope_;
};

class platform_waveform_test : public program_fixture {
 protected:
  program_outcome run_with_waveform(const std::vector<std::string>& more) {
    std::vector<std::string> all{"run",   "improved",
                                 "--set", "network.processing_elements=16",
                                 "--set", "workload.traffic.hot_spot=1",
                                 "--set", "run.until=cycles",
                                 "--set", "run.warmup=0",
                                 "--set", "processor.start_window=1",
                                 "--set", "run.cycles=300",
                                 "--set", "network.rtl=stage 3",
                                 "--fst", "stage 3 switch 0",
                                 "--log", "log",
                                 "--out", "out"};
    all.insert(all.end(), more.begin(), more.end());
    return run(all);
  }
  std::string path() const { return (folder() / "work/out/stage_3_switch_0.fst").string(); }
};

TEST_F(platform_waveform_test, signals_agree_with_the_event_log_in_both_engines) {
  for (const std::string engine : {"loop", "systemc"}) {
    SCOPED_TRACE(engine);
    const program_outcome outcome = run_with_waveform({"--engine", engine});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("out/stage_3_switch_0.fst"), std::string::npos) << outcome.out;
    const waveform_file file(path());
    const switch_signals signals(file, "stage_3_switch_0");
    std::vector<std::string> kinds;
    for (const logged& event : events_of(read("log"), "stage.3.switch.0")) {
      signals.expect(event);
      if (HasFailure()) return;
      kinds.push_back(event.event);
    }
    for (const std::string kind :
         {"inserted", "combined", "departed", "decombined", "reply_departed"}) {
      EXPECT_NE(std::count(kinds.begin(), kinds.end(), kind), 0) << kind << " never happened";
    }
  }
}

TEST_F(platform_waveform_test, a_window_chooses_cycles) {
  const program_outcome outcome = run_with_waveform({"--window", "100..120"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const waveform_file file(path());
  const switch_signals signals(file, "stage_3_switch_0");
  EXPECT_EQ(file.end(), verilated_waveform::period * 119 + verilated_waveform::period / 2);
  EXPECT_EQ(signals.bit("rst_ni", 100, 0), 1U);
  EXPECT_THROW(signals.bit("rst_ni", 99, 0), std::runtime_error);
}

}  // namespace
}  // namespace tributary
