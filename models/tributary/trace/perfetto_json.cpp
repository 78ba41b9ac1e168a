// SPDX-License-Identifier: Apache-2.0
// The JSON form of a Perfetto trace.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <tributary/sim/text_file.h>
#include <tributary/trace/detail_cache.h>
#include <tributary/trace/perfetto_writer.h>
#include <tributary/trace/text_line.h>

namespace tributary {
namespace {

/// `,"form":"add"` for each detail.
struct detail_members {
  const trace_catalog& catalog;

  std::string operator()(const trace_event& event) const {
    std::string text;
    const auto show = [&text](const char* detail, std::uint64_t value, const std::string* name) {
      text += name != nullptr ? fmt::format(R"(,"{}":"{}")", detail, *name)
                              : fmt::format(R"(,"{}":{})", detail, value);
    };
    catalog.for_each_detail(event, show);
    return text;
  }
};

class perfetto_json final : public perfetto_writer {
 public:
  perfetto_json(const std::string& path, const trace_catalog& catalog)
      : file_(path), details_({catalog}) {
    file_.write("{\"traceEvents\":[");
  }

  void name_process(std::uint32_t process, const std::string& name, track_id place) override {
    name_it("process", fmt::format(R"("pid":{})", process), name, place);
  }
  void name_thread(const perfetto_thread& thread, const std::string& name,
                   track_id place) override {
    const std::string ids = fmt::format(R"("pid":{},"tid":{})", thread.process, thread.number);
    name_it("thread", ids, name, place);
    threads_.resize(std::max<std::size_t>(threads_.size(), thread.number + std::size_t{1}));
    threads_[thread.number] = "," + ids + R"(,"ts":)";
  }

  void add(const perfetto_slice& slice) override {
    const std::string& at = threads_[slice.where.number];
    const std::string* const details =
        slice.about == nullptr ? nullptr : &details_.of(*slice.about);
    begin_event(most_of_slice + slice.title.words.size() + slice.kind.size() + at.size() +
                (details == nullptr ? 0 : details->size()));
    line_.append(R"({"ph":"X","name":")");
    append(slice.title);
    line_.append(R"(","cat":")");
    line_.append(slice.kind);
    line_.append('"');
    line_.append(at);
    line_.decimal(slice.begin);
    line_.append(R"(,"dur":)");
    line_.decimal(slice.end - slice.begin);
    line_.append(R"(,"args":{"identity":")");
    if (details == nullptr) {
      line_.append(slice.identity);
      line_.append('"');
    } else {
      append_arguments(*slice.about, *details);
    }
    line_.append(slice.is_open ? R"(,"open":true}})" : "}}");
    file_.write(line_.text());
    if (slice.arrows == nullptr) return;
    for (const perfetto_arrow& each : *slice.arrows) add(slice.where, each);
  }

  void add(const perfetto_thread& thread, const perfetto_arrow& arrow) override {
    // "bp": "e" binds the arrow's head to the slice around it.
    begin_event(0);
    file_.write(line_.text());
    file_.write(fmt::format(R"({{"ph":"{}",{}"id":{},"name":"{}","cat":"{}"{}{}}})",
                            static_cast<char>(arrow.is),
                            arrow.is == perfetto_arrow::part::begin ? "" : R"("bp":"e",)", arrow.id,
                            arrow.name, arrow.name, threads_[thread.number], arrow.cycle));
  }

  void begin(const perfetto_graph&, track_id) override {}  // its values name it
  void add(const perfetto_graph& graph, cycle_t cycle, std::uint64_t value) override {
    write(fmt::format(R"({{"ph":"C","name":"{}","pid":{},"ts":{},"args":{{"value":{}}}}})",
                      graph.name, graph.process, cycle, value));
  }

  void finish(bool partial) override {
    file_.write(
        fmt::format("\n],\n\"displayTimeUnit\":\"ns\",\n\"otherData\":{{\"format\":"
                    "\"{}\",\"time\":\"{}\",\"partial\":{}}}}}\n",
                    format, time, partial));
    file_.commit();
  }

 private:
  /// Two cycles, three identities, a number, two words, and what is between them.
  static constexpr std::size_t most_of_slice =
      5 * text_line::most_digits + 3 * text_line::most_of_identity + 180;

  void append(const perfetto_title& title) {
    line_.append(title.words);
    if (title.number) {
      line_.append(' ');
      line_.decimal(*title.number);
    }
    if (!title.has_identity) return;
    if (!title.words.empty()) line_.append(' ');
    line_.append(title.identity);
  }
  void append_arguments(const trace_event& about, const std::string& details) {
    line_.append(about.identity);
    line_.append('"');
    if (!about.parent.none()) {
      line_.append(R"(,"parent":")");
      line_.append(about.parent);
      line_.append('"');
    }
    if (about.kind->has_address) append_word(R"(,"address":")", about.address);
    if (about.kind->has_value) append_word(R"(,"value":")", about.value);
    line_.append(details);
  }
  void append_word(std::string_view name, std::uint64_t word) {
    line_.append(name);
    line_.hexadecimal(word);
    line_.append('"');
  }

  void name_it(const char* thing, const std::string& ids, const std::string& name, track_id place) {
    write(fmt::format(R"({{"ph":"M","name":"{}_name",{},"args":{{"name":"{}"}}}})", thing, ids,
                      name));
    write(fmt::format(R"({{"ph":"M","name":"{}_sort_index",{},"args":{{"sort_index":{}}}}})", thing,
                      ids, static_cast<std::uint32_t>(place)));
  }
  void write(std::string_view event) {
    begin_event(event.size());
    line_.append(event);
    file_.write(line_.text());
  }
  void begin_event(std::size_t most) {
    constexpr std::string_view separator = ",\n";
    line_.begin(separator.size() + most);
    line_.append(first_ ? separator.substr(1) : separator);
    first_ = false;
  }

  text_writer file_;
  text_line line_;
  detail_cache<detail_members> details_;
  std::vector<std::string> threads_;  // by number, where an event happens
  bool first_ = true;
};

}  // namespace

std::unique_ptr<perfetto_writer> open_perfetto_json(const std::string& path,
                                                    const trace_catalog& catalog) {
  return std::make_unique<perfetto_json>(path, catalog);
}

}  // namespace tributary
