// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/graph/graph_dot.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tributary/sim/error.h>
#include <tributary/sim/json_document.h>

namespace tributary {
namespace {

enum class token_kind : std::uint8_t { end, word, quoted, mark };

// Letters and digits are those of ASCII, whatever the locale says.
constexpr bool is_between(char c, char first, char last) { return c >= first && c <= last; }
constexpr bool is_digit(char c) { return is_between(c, '0', '9'); }
constexpr char lower(char c) {
  return is_between(c, 'A', 'Z') ? static_cast<char>(c - 'A' + 'a') : c;
}

/// A word, a quoted text without its quotes, or a mark: { } [ ] ; , = : + or --.
struct dot_token {
  token_kind kind = token_kind::end;
  std::string text;
  file_place place;

  bool is_mark(std::string_view mark) const { return kind == token_kind::mark && text == mark; }
  bool is_id() const { return kind == token_kind::word || kind == token_kind::quoted; }
  /// A keyword is one in any case, but not in quotes.
  bool is_keyword(std::string_view keyword) const {
    return kind == token_kind::word &&
           std::equal(text.begin(), text.end(), keyword.begin(), keyword.end(),
                      [](char a, char b) { return lower(a) == b; });
  }
};

[[noreturn]] void refuse_dot(const std::string& source_name, const file_place& place,
                             const std::string& problem) {
  throw input_error(json_place(source_name, place.line, place.column) + ": " + problem);
}

/// Cuts a text into tokens.
class dot_lexer {
 public:
  dot_lexer(std::string_view text, const std::string& source_name)
      : text_(text), source_name_(source_name) {}

  dot_token next() {
    skip_space();
    dot_token token;
    token.place = place_;
    if (at_ == text_.size()) return token;
    const char first = text_[at_];
    if (first == '"') return quoted(token);
    if (is_word(first) || first == '-' || first == '.') return word_or_edge(token);
    if (std::string_view("{}[];,=:+").find(first) != std::string_view::npos) {
      return taken(token, token_kind::mark, 1);
    }
    refuse_dot(source_name_, place_,
               std::string("'") + first + "' is no part of a graph" +
                   (first == '<' ? "; write labels in quotes instead of HTML" : ""));
  }

 private:
  static bool is_word(char c) {
    return is_digit(c) || is_between(lower(c), 'a', 'z') || c == '_' ||
           static_cast<unsigned char>(c) >= 128;
  }

  void step() {
    if (text_[at_++] == '\n') {
      ++place_.line;
      place_.column = 1;
    } else {
      ++place_.column;
    }
  }

  bool looking_at(std::string_view what) const {
    return text_.compare(at_, what.size(), what) == 0;
  }

  void skip_until(std::string_view end) {
    while (at_ < text_.size() && !looking_at(end)) step();
  }

  void skip_space() {
    while (at_ < text_.size()) {
      const bool line_begins = place_.column == 1;
      if (std::string_view(" \t\r\n\f\v").find(text_[at_]) != std::string_view::npos) {
        step();
      } else if (looking_at("//") || (line_begins && looking_at("#"))) {
        skip_until("\n");
      } else if (looking_at("/*")) {
        const file_place begin = place_;
        skip_until("*/");
        if (at_ == text_.size()) refuse_dot(source_name_, begin, "the comment has no end; add */");
        step();
        step();
      } else {
        return;
      }
    }
  }

  dot_token& taken(dot_token& token, token_kind kind, std::size_t length) {
    token.kind = kind;
    token.text = text_.substr(at_, length);
    for (std::size_t c = 0; c < length; ++c) step();
    return token;
  }

  dot_token word_or_edge(dot_token& token) {
    if (looking_at("--")) return taken(token, token_kind::mark, 2);
    if (looking_at("->")) {
      refuse_dot(source_name_, place_,
                 "-> is an edge of a directed graph; links are full duplex: "
                 "write --");
    }
    std::size_t length = text_[at_] == '-' ? 1 : 0;
    const bool number = length == 1 || !is_letter(text_[at_]);
    while (at_ + length < text_.size() &&
           (is_word(text_[at_ + length]) || (number && text_[at_ + length] == '.'))) {
      ++length;
    }
    return taken(token, token_kind::word, length);
  }

  static bool is_letter(char c) { return is_word(c) && !is_digit(c); }

  dot_token quoted(dot_token& token) {
    token.kind = token_kind::quoted;
    for (step(); at_ < text_.size() && text_[at_] != '"'; step()) {
      // A backslash belongs to what it precedes: \" is a quote, and \\ stays as it is.
      if (looking_at("\\\"")) {
        step();
      } else if (looking_at("\\\\")) {
        token.text += text_[at_];
        step();
      }
      token.text += text_[at_];
    }
    if (at_ == text_.size()) refuse_dot(source_name_, token.place, "the text has no end; add \"");
    step();
    return token;
  }

  std::string_view text_;
  const std::string& source_name_;
  std::size_t at_ = 0;
  file_place place_{1, 1};
};

/// Reads statements into a description. Source of the grammar: graphviz.org/doc/info/lang.html.
class dot_parser {
 public:
  dot_parser(std::string_view text, const std::string& source_name)
      : lexer_(text, source_name), source_name_(source_name) {
    advance();
  }

  graph_description read() {
    described_.source_name = described_.name = source_name_;
    if (now_.is_keyword("strict")) {
      strict_ = true;
      advance();
    }
    if (now_.is_keyword("digraph")) {
      refuse("a directed graph; links are full duplex: write graph, and edges with --");
    }
    if (!now_.is_keyword("graph")) refuse("the file begins with " + now_text() + "; write graph");
    advance();
    if (now_.is_id()) described_.name = take_id("a name").text;
    expect("{");
    while (!now_.is_mark("}")) statement();
    advance();
    if (now_.kind != token_kind::end) refuse(now_text() + " after the graph; end the file there");
    return std::move(described_);
  }

 private:
  [[noreturn]] void refuse(const std::string& problem) const {
    refuse_dot(source_name_, now_.place, problem);
  }

  std::string now_text() const {
    return now_.kind == token_kind::end ? "the end of the file" : "\"" + now_.text + "\"";
  }

  void advance() { now_ = lexer_.next(); }

  void expect(std::string_view mark) {
    if (!now_.is_mark(mark)) refuse(now_text() + " where " + std::string(mark) + " should be");
    advance();
  }

  // A quoted text may go on after a plus.
  dot_token take_id(const std::string& what) {
    if (!now_.is_id()) refuse(now_text() + " where " + what + " should be");
    dot_token taken = now_;
    advance();
    while (taken.kind == token_kind::quoted && now_.is_mark("+")) {
      advance();
      if (now_.kind != token_kind::quoted) refuse(now_text() + " after +, where a text should be");
      taken.text += now_.text;
      advance();
    }
    return taken;
  }

  void statement() {
    if (now_.is_mark(";")) return advance();
    if (now_.is_keyword("subgraph") || now_.is_mark("{")) {
      refuse("subgraphs are not read; write their nodes and edges in the graph");
    }
    if (now_.is_keyword("graph") || now_.is_keyword("node") || now_.is_keyword("edge")) {
      return defaults();
    }
    const dot_token first = take_id("a node");
    if (now_.is_mark("=")) {  // an attribute of the graph
      advance();
      take_id("a value");
      return;
    }
    edges_or_node(first);
  }

  void defaults() {
    const bool of_nodes = now_.is_keyword("node");
    const bool of_edges = now_.is_keyword("edge");
    advance();
    for (auto& [key, value] : attributes()) {
      if (of_nodes) node_defaults_[key] = value;
      if (of_edges) edge_defaults_[key] = value;
    }
  }

  described_attributes attributes() {
    described_attributes found;
    while (now_.is_mark("[")) {
      advance();
      while (!now_.is_mark("]")) {
        const dot_token key = take_id("an attribute");
        expect("=");
        const dot_token value = take_id("a value");
        found[key.text] = {value.text, value.place};
        if (now_.is_mark(",") || now_.is_mark(";")) advance();
      }
      advance();
    }
    return found;
  }

  /// An end of an edge: a node and perhaps the port that follows a colon.
  struct edge_end {
    dot_token node;
    std::optional<described_value> port;
  };

  edge_end end_of_edge(const dot_token& node) {
    edge_end end{node, std::nullopt};
    if (!now_.is_mark(":")) return end;
    advance();
    const dot_token port = take_id("a port");
    end.port = described_value{port.text, port.place};
    return end;
  }

  void edges_or_node(const dot_token& first) {
    std::vector<edge_end> chain{end_of_edge(first)};
    while (now_.is_mark("--")) {
      advance();
      if (now_.is_mark("{") || now_.is_keyword("subgraph")) {
        refuse("subgraphs are not read; write an edge for each node");
      }
      const dot_token node = take_id("a node");
      chain.push_back(end_of_edge(node));
    }
    const described_attributes given = attributes();
    if (chain.size() == 1) {
      for (const auto& [key, value] : given) node_of(first).attributes[key] = value;
      node_of(first);
      return;
    }
    for (const edge_end& each : chain) node_of(each.node);
    for (std::size_t e = 1; e < chain.size(); ++e) add_edge(chain[e - 1], chain[e], given);
  }

  described_node& node_of(const dot_token& token) {
    const auto [found, is_new] = places_.emplace(token.text, described_.nodes.size());
    if (is_new) described_.nodes.push_back({token.text, node_defaults_, token.place});
    return described_.nodes[found->second];
  }

  static std::pair<std::string, std::string> ordered(const std::string& a, const std::string& b) {
    if (a < b) return {a, b};
    return {b, a};
  }

  void add_edge(const edge_end& source, const edge_end& target, const described_attributes& given) {
    described_attributes added = given;
    if (source.port) added["source_port"] = *source.port;
    if (target.port) added["target_port"] = *target.port;
    if (strict_) {
      const auto [found, is_new] =
          joined_.emplace(ordered(source.node.text, target.node.text), described_.edges.size());
      if (!is_new) return merge(described_.edges[found->second], source.node.text, added);
    }
    described_edge edge;
    edge.source = {source.node.text, source.node.place};
    edge.target = {target.node.text, target.node.place};
    edge.place = source.node.place;
    edge.attributes = edge_defaults_;
    for (const auto& [key, value] : added) edge.attributes[key] = value;
    described_.edges.push_back(std::move(edge));
  }

  // As Graphviz does: a repeated edge adds its own attributes, but no defaults. A port stays that
  // of the node it was written for, if the edge is repeated the other way round.
  static void merge(described_edge& edge, const std::string& source,
                    const described_attributes& added) {
    const bool turned = edge.source.text != source;
    for (const auto& [key, value] : added) {
      const bool is_source = key == "source_port";
      const bool turns = turned && (is_source || key == "target_port");
      edge.attributes[turns ? (is_source ? "target_port" : "source_port") : key] = value;
    }
  }

  dot_lexer lexer_;
  const std::string& source_name_;
  dot_token now_;
  bool strict_ = false;
  graph_description described_;
  described_attributes node_defaults_;
  described_attributes edge_defaults_;
  std::map<std::string, std::size_t> places_;
  /// In a strict graph: the edge that joins two nodes, by its place among the edges.
  std::map<std::pair<std::string, std::string>, std::size_t> joined_;
};

}  // namespace

graph_description describe_dot(std::string_view text, const std::string& source_name) {
  return dot_parser(text, source_name).read();
}

}  // namespace tributary
