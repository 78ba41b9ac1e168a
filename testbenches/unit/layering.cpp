// SPDX-License-Identifier: Apache-2.0
#include "layering.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <sstream>
#include <string_view>

namespace tributary::testing {
namespace {

using breaches = std::vector<layering_breach>;

// architecture.md, from the top down.
constexpr std::array<std::string_view, 14> layers = {
    "systemc",    "rtl",   "algorithms", "processor", "magic",  "nic",   "protocols",
    "controller", "cache", "bus",        "network",   "memory", "trace", "sim"};

std::optional<std::size_t> layer_index(std::string_view name) {
  const auto found = std::find(layers.begin(), layers.end(), name);
  if (found == layers.end()) return std::nullopt;
  return static_cast<std::size_t>(found - layers.begin());
}

bool starts_with(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

/// "network" of "tributary/network/link.h"; empty for any other kind of path.
std::string_view layer_of(std::string_view path) {
  constexpr std::string_view root = "tributary/";
  if (!starts_with(path, root)) return {};
  path.remove_prefix(root.size());
  const std::size_t slash = path.find('/');
  return slash == std::string_view::npos ? std::string_view{} : path.substr(0, slash);
}

bool is_systemc_header(std::string_view header) {
  if (header == "systemc" || header == "systemc.h" || header == "tlm" || header == "tlm.h") {
    return true;
  }
  constexpr std::array<std::string_view, 5> folders = {"sysc/", "tlm_core/", "tlm_utils/", "tlm/",
                                                       "scc/"};
  return std::any_of(folders.begin(), folders.end(),
                     [&](std::string_view folder) { return starts_with(header, folder); });
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// A word, a number, a literal (text is `"`) or one punctuation character.
struct token {
  std::string text;
  std::size_t line = 0;
};

/// Splits C++ text into tokens, without comments and without what literals hold, so that a word
/// in either is not taken for code. Include directives keep their header: see `include_lines`.
class tokenizer {
 public:
  explicit tokenizer(std::string_view text) : text_(text) {}

  std::vector<token> run() {
    while (position_ < text_.size()) step();
    return std::move(tokens_);
  }

 private:
  void step() {
    const char c = text_[position_];
    if (next_is("//")) {
      skip_to("\n", 0);
    } else if (next_is("/*")) {
      skip_to("*/", 2);
    } else if (next_is("R\"")) {
      raw_string();
    } else if (c == '"' || c == '\'') {
      literal(c);
    } else if (is_word(c)) {
      word();
    } else {
      if (std::isspace(static_cast<unsigned char>(c)) == 0) tokens_.push_back({{c}, line_});
      advance(1);
    }
  }

  bool next_is(std::string_view expected) const {
    return starts_with(text_.substr(position_), expected);
  }

  void advance(std::size_t count) {
    const std::size_t end = std::min(position_ + count, text_.size());
    for (; position_ < end; ++position_) line_ += text_[position_] == '\n' ? 1 : 0;
  }

  void skip_to(std::string_view end, std::size_t beyond) {
    const std::size_t found = text_.find(end, position_ + beyond);
    advance(found == std::string_view::npos ? text_.size() : found + beyond - position_);
  }

  void raw_string() {
    tokens_.push_back({"\"", line_});
    const std::size_t open = std::min(text_.find('(', position_), text_.size());
    std::string close{")"};
    close += text_.substr(position_ + 2, open - position_ - 2);
    close += '"';
    advance(open - position_);
    skip_to(close, close.size());
  }

  void literal(char quote) {
    tokens_.push_back({"\"", line_});
    advance(1);
    while (position_ < text_.size() && text_[position_] != quote) {
      advance(text_[position_] == '\\' ? 2 : 1);
    }
    advance(1);
  }

  /// A number is one word with its digit separators, which are no character literals.
  void word() {
    const bool number = std::isdigit(static_cast<unsigned char>(text_[position_])) != 0;
    std::size_t end = position_;
    while (end < text_.size() && (is_word(text_[end]) || (number && text_[end] == '\''))) ++end;
    tokens_.push_back({std::string(text_.substr(position_, end - position_)), line_});
    advance(end - position_);
  }

  std::string_view text_;
  std::size_t position_ = 0;
  std::size_t line_ = 1;
  std::vector<token> tokens_;
};

struct include_line {
  std::string header;
  std::size_t line = 0;
  bool quoted = false;
};

/// The header between the quotes or angle brackets of an include directive's line.
std::string header_name(std::string_view line) {
  const std::size_t open = line.find_first_of("<\"");
  if (open == std::string_view::npos) return {};
  const std::size_t close = line.find_first_of(">\"", open + 1);
  return std::string(line.substr(open + 1, close - open - 1));
}

std::vector<include_line> include_lines(std::string_view text, const std::vector<token>& tokens) {
  std::vector<std::string_view> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  std::vector<include_line> result;
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (tokens[i].text != "#" || tokens[i + 1].text != "include") continue;
    const std::size_t line = tokens[i].line;
    result.push_back({header_name(lines[line - 1]), line, tokens[i + 2].text == "\""});
  }
  return result;
}

std::optional<std::string> wrong_arrow(std::string_view file, std::string_view header) {
  const std::string_view from = layer_of(file);
  const std::string_view to = layer_of(header);
  const auto from_index = layer_index(from);
  const auto to_index = layer_index(to);
  const std::string arrow = std::string(from) + " -> " + std::string(to);
  if (!from_index) return "'" + std::string(from) + "' is no layer of architecture.md";
  if (!to_index) return arrow + ": '" + std::string(to) + "' is no layer of architecture.md";
  if (*to_index < *from_index) return arrow + " points up the list of layers";
  return std::nullopt;
}

std::optional<std::string> wrong_include(const std::string& file, const include_line& include,
                                         const std::set<std::string>& systemc_files) {
  const std::string& header = include.header;
  if (include.quoted) return "\"" + header + "\": write #include <tributary/...>";
  if (starts_with(header, "tributary/")) {
    if (auto arrow = wrong_arrow(file, header)) return arrow;
  }
  const bool systemc = is_systemc_header(header) || systemc_files.count(header) != 0;
  if (systemc && systemc_files.count(file) == 0) {
    return "a core -> <" + header + ">: only files of tributary::models may use SystemC";
  }
  return std::nullopt;
}

template <std::size_t N>
bool is_one_of(std::string_view word, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// The word at `i` if it is one that the library must not use there, else nothing.
std::optional<std::string> forbidden_word(const std::vector<token>& tokens, std::size_t i) {
  constexpr std::array<std::string_view, 3> streams = {"cout", "wcout", "stdout"};
  constexpr std::array<std::string_view, 12> functions = {
      "printf", "vprintf", "wprintf",    "puts",  "putchar", "exit",
      "_exit",  "_Exit",   "quick_exit", "abort", "sc_stop", "sc_set_time_resolution"};
  constexpr std::array<std::string_view, 2> formatted = {"print", "println"};
  const auto text = [&](std::size_t k) {
    return k < tokens.size() ? std::string_view(tokens[k].text) : std::string_view{};
  };
  const bool member = text(i - 1) == "." || (text(i - 1) == ">" && text(i - 2) == "-");
  const bool of_std = text(i - 1) == ":" && (text(i - 3) == "std" || text(i - 3) == "sc_core");
  const bool of_fmt = text(i - 1) == ":" && text(i - 3) == "fmt";
  const bool of_global = text(i - 1) == ":" && (text(i - 3).empty() || !is_word(text(i - 3)[0]));
  const bool plain = text(i - 1) != ":" && !member;
  const std::string word(text(i));
  if (is_one_of(word, streams) && !member) return word;
  const bool called = text(i + 1) == "(";
  if (called && is_one_of(word, functions) && (plain || of_std || of_global)) return word;
  // With a file or stream as its first argument, print is not about stdout.
  if (called && is_one_of(word, formatted) && of_fmt && text(i + 2) == "\"") return "fmt::" + word;
  return std::nullopt;
}

}  // namespace

std::string to_string(const layering_breach& breach) {
  return breach.file + ":" + std::to_string(breach.line) + ": " + breach.what;
}

std::vector<layering_breach> check_layering(const std::string& file, const std::string& text,
                                            const std::set<std::string>& systemc_files) {
  breaches found;
  const std::vector<token> tokens = tokenizer(text).run();
  if (!layer_index(layer_of(file))) {
    found.push_back({file, 1, "'" + std::string(layer_of(file)) + "' is no layer"});
  }
  for (const include_line& include : include_lines(text, tokens)) {
    if (auto what = wrong_include(file, include, systemc_files))
      found.push_back({file, include.line, *what});
  }
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (auto word = forbidden_word(tokens, i)) {
      found.push_back({file, tokens[i].line,
                       *word +
                           ": the library writes nothing to stdout, never ends the program or the "
                           "simulation, and leaves the time resolution alone"});
    }
  }
  return found;
}

std::vector<included_header> included_headers(const std::string& text) {
  std::vector<included_header> headers;
  for (include_line& line : include_lines(text, tokenizer(text).run())) {
    headers.push_back({std::move(line.header), line.quoted});
  }
  return headers;
}

std::set<std::string> systemc_files(const std::string& cmake_text) {
  std::set<std::string> files;
  std::istringstream lines(cmake_text.substr(cmake_text.find("add_library(tributary_models)")));
  for (std::string line; std::getline(lines, line);) {
    constexpr std::string_view listed = "  tributary/";
    if (!starts_with(line, listed)) continue;
    const std::string name = line.substr(2);
    if (name.find('.') != std::string::npos) {
      files.insert(name);
    } else {
      files.insert({name + ".h", name + ".cpp"});
    }
  }
  return files;
}

std::vector<std::string> library_files(const std::filesystem::path& models) {
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(models / "tributary")) {
    const std::string extension = entry.path().extension().string();
    if (extension == ".h" || extension == ".cpp" || extension == ".def") {
      files.push_back(entry.path().lexically_relative(models).generic_string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace tributary::testing
