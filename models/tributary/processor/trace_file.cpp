// SPDX-License-Identifier: Apache-2.0
#include <tributary/processor/trace_file.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <optional>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include <tributary/sim/error.h>
#include <tributary/sim/names.h>

namespace tributary {
namespace {

constexpr std::string_view header = "# tributary-trace 1";
constexpr std::string_view header_name = "# tributary-trace ";
constexpr std::string_view trailer = "# end ";

/// The words of a line, at most one more than a request has.
struct fields {
  std::array<std::string_view, 7> word{};
  std::size_t count = 0;
};

fields split(std::string_view line) {
  fields found;
  std::size_t at = 0;
  while (found.count < found.word.size()) {
    at = line.find_first_not_of(" \t", at);
    if (at == std::string_view::npos) break;
    const std::size_t end = std::min(line.find_first_of(" \t", at), line.size());
    found.word[found.count++] = line.substr(at, end - at);
    at = end;
  }
  return found;
}

/// Text from a file as a message may show it.
std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::string shown = "\"";
  for (const char c : text.substr(0, longest)) shown += c >= ' ' && c <= '~' ? c : '?';
  return shown + (text.size() > longest ? "...\"" : "\"");
}

std::optional<std::uint64_t> unsigned_number(std::string_view text) {
  const bool hexadecimal = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  if (hexadecimal) text.remove_prefix(2);
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, problem] = std::from_chars(text.data(), end, value, hexadecimal ? 16 : 10);
  if (problem != std::errc() || rest != end) return std::nullopt;
  return value;
}

/// A word of memory: unsigned, or negative in two's complement.
std::optional<word_t> word_number(std::string_view text) {
  if (text.empty() || text[0] != '-') return unsigned_number(text);
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, problem] = std::from_chars(text.data(), end, value);
  if (problem != std::errc() || rest != end) return std::nullopt;
  return static_cast<word_t>(value);
}

/// Every operation and form by name: what the third field of a line may be.
std::vector<std::string> function_names() {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < operation_count; ++i) {
    names.emplace_back(name_of(static_cast<operation>(i)));
  }
  for (unsigned i = 0; i < form_count; ++i) names.emplace_back(name_of(static_cast<form>(i)));
  return names;
}

class trace_parser {
 public:
  trace_parser(const std::string& path, const address_map& map)
      : path_(path), file_(path), map_(&map) {}

  std::vector<traced_request> parse() {
    read_header();
    std::string line;
    while (file_.next_line(line)) {
      if (ended_) {
        if (!split(line).count) continue;
        fail("there is a line after the end mark", "nothing after \"# end COUNT\"");
      }
      if (line.compare(0, trailer.size(), trailer) == 0) {
        read_trailer(line);
      } else if (!line.empty() && line[0] != '#') {
        read_request(line);
      }
    }
    if (!ended_) {
      throw input_error(path_ + ": ends after line " + std::to_string(file_.line_number()) +
                        " without an end mark, so part of it is missing (allowed: \"# end " +
                        std::to_string(requests_.size()) +
                        "\" as last line); copy or record it again");
    }
    return std::move(requests_);
  }

 private:
  [[noreturn]] void fail(const std::string& problem, const std::string& allowed) const {
    throw input_error(file_.place() + ": " + problem + " (allowed: " + allowed + ")");
  }

  void read_header() {
    std::string line;
    if (file_.next_line(line) && line == header) return;
    if (file_.line_number() == 0) {
      throw input_error(path_ + ": is empty (allowed: a trace, whose first line is \"" +
                        std::string(header) + "\"); record one with --record");
    }
    const bool other_version = line.compare(0, header_name.size(), header_name) == 0;
    fail(other_version
             ? "version " + quoted(line.substr(header_name.size())) + " of the format is not known"
             : quoted(line) + " does not begin a trace",
         "\"" + std::string(header) + "\" as first line");
  }

  void read_trailer(const std::string& line) {
    const auto count = unsigned_number(std::string_view(line).substr(trailer.size()));
    if (!count) fail("the end mark has no number of requests", "\"# end COUNT\"");
    if (*count != requests_.size()) {
      fail("the end mark says " + std::to_string(*count) + " requests, but the file has " +
               std::to_string(requests_.size()),
           "the number of requests before it; lines were lost or added");
    }
    ended_ = true;
  }

  void read_request(const std::string& line) {
    const fields found = split(line);
    if (found.count == 0) return;
    if (found.count < 4) {
      fail(std::to_string(found.count) + " fields", "cycle, pe, operation, address [, operands]");
    }
    traced_request request;
    request.cycle = read_cycle(found.word[0]);
    request.pe = read_pe(found.word[1]);
    request.address = read_address(found.word[3]);
    request.function = read_function(found);
    last_cycle_ = request.cycle;
    requests_.push_back(request);
  }

  cycle_t read_cycle(std::string_view text) const {
    const auto cycle = unsigned_number(text);
    if (!cycle || *cycle == 0 || *cycle == never) {
      fail("cycle " + quoted(text), "a whole number from 1");
    }
    if (*cycle < last_cycle_) {
      fail("cycle " + std::to_string(*cycle) + " comes after cycle " + std::to_string(last_cycle_),
           "requests ascending by cycle; sort the lines by their first field");
    }
    return *cycle;
  }

  std::uint32_t read_pe(std::string_view text) const {
    const auto pe = unsigned_number(text);
    if (!pe || *pe >= map_->modules()) {
      fail("processing element " + quoted(text),
           "0 to " + std::to_string(map_->modules() - 1) +
               "; network.processing_elements sets how many there are");
    }
    return static_cast<std::uint32_t>(*pe);
  }

  std::uint64_t read_address(std::string_view text) const {
    const auto address = unsigned_number(text);
    if (!address || *address % word_bytes != 0) {
      fail("address " + quoted(text), "a multiple of 8, decimal or 0x and hexadecimal");
    }
    if (map_->region_of(*address) == nullptr) {
      fail("address " + quoted(text) + " is in no region",
           "an address in one of addresses.regions");
    }
    return *address;
  }

  word_function read_function(const fields& found) const {
    const std::string_view name = found.word[2];
    const std::size_t operands = found.count - 4;
    if (const auto op = operation_named(name)) {
      expect_operands(name, operands, operand_count(*op));
      const word_t e = operands > 0 ? read_word(found.word[4]) : 0;
      const word_t f = operands > 1 ? read_word(found.word[5]) : 0;
      return function_of(*op, e, f);
    }
    if (const auto kind = form_named(name)) {
      expect_operands(name, operands, 2);
      return {*kind, read_word(found.word[4]), read_word(found.word[5])};
    }
    const std::vector<std::string> names = function_names();
    const std::string nearest = nearest_name(name, names);
    fail("there is no operation " + quoted(name) +
             (nearest.empty() ? "" : "; did you mean \"" + nearest + "\"?"),
         fmt::format("{}", fmt::join(names, ", ")));
  }

  void expect_operands(std::string_view name, std::size_t got, std::size_t wanted) const {
    if (got == wanted) return;
    fail(std::string(name) + " with " + (got > 2 ? "more than 2" : std::to_string(got)) +
             " operands",
         std::to_string(wanted));
  }

  word_t read_word(std::string_view text) const {
    const auto word = word_number(text);
    if (!word) {
      fail("operand " + quoted(text),
           "a whole number of 64 bits: decimal, negative, or 0x and hexadecimal");
    }
    return *word;
  }

  std::string path_;
  text_reader file_;
  const address_map* map_;
  std::vector<traced_request> requests_;
  cycle_t last_cycle_ = 0;
  bool ended_ = false;
};

/// An operation and its operands that make a function.
struct spelled_operation {
  operation op;
  word_t e = 0;
  word_t f = 0;
};

/// The operation whose function is exactly `function`, if there is one: easier to read than a form.
std::optional<spelled_operation> spelled(const word_function& function) {
  const std::array<spelled_operation, 11> candidates{{
      {operation::load},
      {operation::store, function.a},
      {operation::fetch_add, function.a},
      {operation::fetch_and, function.a},
      {operation::fetch_or, function.b},
      {operation::fetch_xor, function.b},
      {operation::fetch_max, function.a},
      {operation::fetch_min, function.b},
      {operation::fetch_max_unsigned, function.a},
      {operation::fetch_min_unsigned, function.b},
      {operation::narrow_store, function.a, function.b},
  }};
  for (const spelled_operation& each : candidates) {
    if (function_of(each.op, each.e, each.f) == function) return each;
  }
  return std::nullopt;
}

std::string text_of(const word_function& function) {
  return fmt::format(" {:#x} {:#x}", function.a, function.b);
}

}  // namespace

std::vector<traced_request> read_trace(const std::string& path, const address_map& map) {
  return trace_parser(path, map).parse();
}

trace_writer::trace_writer(const std::string& path) : file_(path) {
  file_.write(fmt::format("{}\n# cycle pe operation address operands\n", header));
}

void trace_writer::write(const traced_request& request) {
  const auto spelling = spelled(request.function);
  fmt::memory_buffer line;
  const auto out = std::back_inserter(line);
  fmt::format_to(out, "{} {} {} {:#x}", request.cycle, request.pe,
                 spelling ? name_of(spelling->op) : name_of(request.function.kind),
                 request.address);
  if (!spelling) {
    fmt::format_to(out, "{}", text_of(request.function));
  } else {
    if (operand_count(spelling->op) > 0) fmt::format_to(out, " {:#x}", spelling->e);
    if (operand_count(spelling->op) > 1) fmt::format_to(out, " {:#x}", spelling->f);
  }
  fmt::format_to(out, "\n");
  file_.write({line.data(), line.size()});
  ++requests_;
}

void trace_writer::on_event(const offered_request& offered) {
  write({offered.cycle, index(offered.pe), offered.request.address, offered.request.function});
}

void trace_writer::finish(bool partial) {
  if (partial) file_.write("# the run was interrupted here\n");
  file_.write(fmt::format("{}{}\n", trailer, requests_));
  file_.commit();
}

}  // namespace tributary
