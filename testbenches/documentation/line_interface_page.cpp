// SPDX-License-Identifier: Apache-2.0
#include "line_interface_page.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <tributary/controller/message.h>
#include <tributary/magic/data_buffers.h>
#include <tributary/magic/line_interface.h>
#include <tributary/magic/processor_queue.h>
#include <tributary/memory/line_port.h>
#include <tributary/sim/agenda.h>

namespace tributary::documentation {
namespace {

constexpr node_id here{0};
constexpr std::uint64_t line = 0;
constexpr std::uint8_t tag = 0;

struct named_reply {
  const char* name;
  common_type type;
  bool answers[line_want_count];  ///< by line_want: handlers answer such a request so
};

constexpr named_reply replies[] = {
    {"line_shared", common_type::line_shared, {true, false, false}},
    {"line_exclusive", common_type::line_exclusive, {true, true, false}},
    {"line_upgraded", common_type::line_upgraded, {false, false, true}},
    {"line_refused", common_type::line_refused, {true, true, true}}};

constexpr bool brings_line(common_type type) {
  return type == common_type::line_shared || type == common_type::line_exclusive;
}

/// A line interface whose caches share the line, so that an intervention finds it if they are
/// asked. They wait for an answer to one request.
class outstanding_request final : private line_client {
 public:
  explicit outstanding_request(line_want want) {
    lines_.set_client(*this);
    lines_.ask(want, line, tag, 0);
  }

  /// Whether it finds the line. The handler reads the state before another one can reply.
  bool intervene(intervention asked) {
    lines_.intervene(asked, line, no_payload, true, time_.now());
    time_.advance_to(lines_.state_known());
    processor_time_.advance_to(time_.now() * config_.ratio);
    return lines_.read_state() != line_state::invalid;
  }

  /// Returns what the caches get.
  std::string reply(common_type type) {
    message sent;
    sent.type = static_cast<std::uint8_t>(type);
    sent.tag = tag;
    if (brings_line(type)) {
      sent.data = *buffers_.allocate(buffer_claim::handler, time_.now());
      buffers_.fill(sent.data, {}, {time_.now(), time_.now()});
      buffers_.hand_over(sent.data);
    }
    lines_.reply(sent, time_.now());
    processor_time_.advance_to(processor_time_.next_wakeup());
    return got_;
  }

 private:
  void filled(std::uint8_t, const line_answer& answer, cycle_t) override {
    got_ = answer.exclusive ? "exclusive" : "shared";
  }
  void upgraded(std::uint8_t, cycle_t) override { got_ = "upgraded"; }
  void refused(std::uint8_t, cycle_t) override { got_ = "refused"; }
  void room(cycle_t) override {}
  void settled(cycle_t) override {}
  found_line intervene(intervention, std::uint64_t, cycle_t) override {
    return {line_state::shared, {}};
  }

  line_interface_config config_;
  agenda time_;
  agenda processor_time_;
  data_buffers buffers_{{}, time_, here};
  processor_queue queue_{2, time_, buffers_};
  line_interface lines_{config_, {}, time_, processor_time_, here, queue_, buffers_};
  std::string got_;
};

/// The cells behind those of the request and the intervention.
std::string cells(line_want want, intervention asked) {
  std::string text = outstanding_request(want).intervene(asked) ? " if there |" : " no |";
  for (const named_reply& each : replies) {
    if (each.answers[static_cast<std::size_t>(want)]) {
      outstanding_request run(want);
      run.intervene(asked);
      text += " " + run.reply(each.type);
    }
    text += " |";
  }
  return text + "\n";
}

}  // namespace

std::string conversion_table() {
  std::string titles = "| Asked for | Intervention meanwhile | Finds the line |";
  std::string rule = "|---|---|---|";
  for (const named_reply& each : replies) {
    titles += " `" + std::string(each.name) + "` |";
    rule += "---|";
  }
  std::string table = titles + "\n" + rule + "\n";
  for (std::size_t want = 0; want < line_want_count; ++want) {
    // One row of interventions that do the same.
    std::vector<std::pair<std::string, std::string>> rows;
    for (std::size_t i = 0; i < intervention_count; ++i) {
      const auto asked = static_cast<intervention>(i);
      const std::string name = "`" + std::string(name_of(asked)) + "`";
      const std::string done = cells(static_cast<line_want>(want), asked);
      if (!rows.empty() && rows.back().second == done) {
        rows.back().first += ", " + name;
      } else {
        rows.emplace_back(name, done);
      }
    }
    for (const auto& [names, done] : rows) {
      table += fmt::format("| {} | {} |{}", name_of(static_cast<line_want>(want)), names, done);
    }
  }
  return table;
}

}  // namespace tributary::documentation
