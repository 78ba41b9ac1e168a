// SPDX-License-Identifier: Apache-2.0
// An illegal set of parameters stops the elaboration of the RTL with the sentence with which the
// model refuses it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <ostream>
#include <string>

#include <tributary/memory/memory.h>
#include <tributary/network/omega/combining_queue.h>
#include <tributary/network/omega/switch_column.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

namespace tributary {
namespace {

struct lint_result {
  int status = 0;
  std::string text;
};

/// Lints a module of the RTL with these parameters, "Slots=0 DualInput=1".
lint_result lint(const std::string& top, const std::string& parameters) {
  std::string command = VERILATOR_BIN " --lint-only -Wall -F " TRIBUTARY_SOURCE_DIR
                                      "/rtl/tributary.f --top-module " +
                        top;
  for (std::size_t at = 0; at < parameters.size();) {
    const std::size_t end = std::min(parameters.find(' ', at), parameters.size());
    command += " -G" + parameters.substr(at, end - at);
    at = end + 1;
  }
  std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) throw error("cannot run " + command);
  lint_result result;
  std::array<char, 256> part{};
  while (std::fgets(part.data(), part.size(), pipe) != nullptr) result.text += part.data();
  result.status = pclose(pipe);
  return result;
}

/// What is wrong and what is allowed, of "... key: what (allowed: ...); advice".
std::string sentence_of(const std::string& message, const std::string& key) {
  const std::size_t begin = message.find(key + ": ") + key.size() + 2;
  return message.substr(begin, message.rfind("); ") + 1 - begin);
}

/// A set that both refuse.
struct illegal_set {
  const char* top;
  const char* parameters;  ///< of the RTL; the first one begins the sentence
  const char* key;         ///< of the model
  std::function<void()> configure_model;
};

void PrintTo(const illegal_set& set, std::ostream* out) {
  *out << set.top << " with " << set.parameters;
}

using change_of_switch = std::function<void(combining_switch_config&)>;

illegal_set of_switch(const char* parameters, const char* key, const change_of_switch& change) {
  return {"combining_switch", parameters, key, [change] {
            combining_switch_config config;
            change(config);
            config.validate();
          }};
}

illegal_set of_queue(const char* top, const char* parameters, std::uint32_t slots,
                     std::uint32_t writers) {
  return {top, parameters, "slots", [slots, writers] {
            combining_queue_config config;
            config.slots = slots;
            config.writers = writers;
            combining_queue queue(config);
          }};
}

illegal_set of_memory(const char* parameters, const char* key,
                      const std::function<void(memory_config&)>& change) {
  return {"fetch_op_unit", parameters, key, [change] {
            memory_config config;
            change(config);
            check_ranges(config);
          }};
}

const auto illegal_sets = ::testing::Values(
    of_switch("Slots=0", "slots", [](auto& c) { c.slots = 0; }),
    of_switch("Slots=65", "slots", [](auto& c) { c.slots = 65; }),
    of_switch("Slots=1 DualInput=1", "slots", [](auto& c) { c.slots = 1, c.type = queue_type::a; }),
    of_switch("AdaptiveLimit=65", "adaptive_limit", [](auto& c) { c.adaptive_limit = 65; }),
    of_switch("Gradual=1", "adaptation", [](auto& c) { c.adaptation = queue_adaptation::gradual; }),
    of_switch("Gradual=1 AdaptiveLimit=2 Microarchitecture=1", "adaptation",
              [](auto& c) {
                c.adaptation = queue_adaptation::gradual;
                c.adaptive_limit = 2;
                c.microarchitecture = queue_microarchitecture::systolic;
              }),
    illegal_set{"combining_queue", "Gradual=1", "adaptation",
                [] {
                  combining_queue_config config;
                  config.adaptation = queue_adaptation::gradual;
                  combining_queue queue(config);
                }},
    of_switch("WaitBufferEntries=0", "wait_buffer_entries",
              [](auto& c) { c.wait_buffer_entries = 0; }),
    of_switch("LinkCycles=0", "link_cycles", [](auto& c) { c.link_cycles = 0; }),
    of_switch("LinkCycles=129", "link_cycles", [](auto& c) { c.link_cycles = 129; }),
    of_switch("ReverseSlots=4", "reverse_slots", [](auto& c) { c.reverse_slots = 4; }),
    of_switch("ReverseSlots=4097", "reverse_slots", [](auto& c) { c.reverse_slots = 4097; }),
    of_switch("Microarchitecture=1 DualInput=1", "microarchitecture",
              [](auto& c) {
                c.microarchitecture = queue_microarchitecture::systolic;
                c.type = queue_type::a;
              }),
    of_switch("Microarchitecture=1 Ordered=1", "microarchitecture",
              [](auto& c) {
                c.microarchitecture = queue_microarchitecture::systolic;
                c.order = match_order::ordered;
              }),
    of_queue("combining_queue", "Slots=0", 0, 1), of_queue("combining_queue", "Slots=65", 65, 1),
    of_queue("combining_queue", "Slots=1 Writers=2", 1, 2),
    of_queue("combining_queue", "Slots=4 Writers=3", 4, 3),
    of_queue("systolic_queue", "Slots=65", 65, 1),
    of_memory("Interval=0", "interval", [](auto& c) { c.interval = 0; }),
    of_memory("Interval=60001", "interval", [](auto& c) { c.interval = 60001; }),
    of_memory("Latency=0", "latency", [](auto& c) { c.latency = 0; }),
    of_memory("PipelineSlots=0", "pipeline", [](auto& c) { c.pipeline = 0; }),
    of_memory("PipelineSlots=4097", "pipeline", [](auto& c) { c.pipeline = 4097; }));

class illegal_parameters : public ::testing::TestWithParam<illegal_set> {};

TEST_P(illegal_parameters, are_refused_with_one_sentence) {
  const illegal_set& set = GetParam();
  std::string sentence;
  try {
    set.configure_model();
    FAIL() << "the model accepts them";
  } catch (const configuration_error& refused) {
    sentence = sentence_of(refused.what(), set.key);
  }
  const std::string parameter(set.parameters, std::string(set.parameters).find('='));
  const lint_result found = lint(set.top, set.parameters);
  EXPECT_NE(found.status, 0) << "elaboration accepts them";
  EXPECT_NE(found.text.find(parameter + ": " + sentence), std::string::npos)
      << "the model says '" << sentence << "', elaboration says:\n"
      << found.text;
}

INSTANTIATE_TEST_SUITE_P(rtl, illegal_parameters, illegal_sets,
                         [](const auto& tested) { return "set_" + std::to_string(tested.index); });

/// What no configuration of the model can say, and parts whose range is that of the switch.
struct illegal_in_rtl {
  const char* top;
  const char* parameters;
  const char* sentence;
};

TEST(illegal_parameters_of_the_rtl_alone, are_refused_with_a_sentence) {
  const illegal_in_rtl sets[] = {
      {"combining_switch", "DualInput=2", "DualInput: 2 is out of range (allowed: 0 or 1)"},
      {"combining_switch", "Coupled=2", "Coupled: 2 is out of range (allowed: 0 or 1)"},
      {"combining_switch", "Ordered=2", "Ordered: 2 is out of range (allowed: 0 or 1)"},
      {"combining_switch", "Microarchitecture=2",
       "Microarchitecture: 2 is out of range (allowed: 0 or 1)"},
      {"combining_switch", "ModuleWidth=1",
       "ModuleWidth: 1 is out of range (allowed: 2 or more bits)"},
      {"combining_switch", "ElementWidth=8",
       "ElementWidth: 8 is out of range (allowed: 16, that of ModuleWidth)"},
      {"wait_buffer", "Entries=0", "Entries: 0 is out of range (allowed: 1 to 65535 requests)"},
      {"reverse_queue", "Slots=4",
       "Slots: 4 responses is out of range (allowed: 5 to 4096 responses)"},
      {"fetch_op_unit", "LinkCycles=0",
       "LinkCycles: 0 cycles is out of range (allowed: 1 to 128 cycles)"},
  };
  for (const illegal_in_rtl& set : sets) {
    const lint_result found = lint(set.top, set.parameters);
    EXPECT_NE(found.status, 0) << set.top << " with " << set.parameters << " is accepted";
    EXPECT_NE(found.text.find(set.sentence), std::string::npos) << found.text;
  }
}

TEST(illegal_parameters_of_the_rtl_alone, are_not_the_limits_themselves) {
  for (const char* set : {"Slots=1", "Slots=64 AdaptiveLimit=64 DualInput=1 Coupled=1 Ordered=1",
                          "WaitBufferEntries=1 LinkCycles=1 ReverseSlots=5", "LinkCycles=128",
                          "Slots=1 Microarchitecture=1"}) {
    const lint_result found = lint("combining_switch", set);
    EXPECT_EQ(found.status, 0) << set << " is refused:\n" << found.text;
  }
}

}  // namespace
}  // namespace tributary
