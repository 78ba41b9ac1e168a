// SPDX-License-Identifier: Apache-2.0
// Tables for a terminal.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace tributary {

/// Rows of cells, the first of which is the header. Columns are as wide as their widest cell.
class text_table {
 public:
  static constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

  /// `left`: how many of the first columns are aligned to the left, the others to the right.
  explicit text_table(std::size_t left = 1) : left_(left) {}

  void add_row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

  /// The lines, each indented by `indent` spaces, with a rule below the header. The last column is
  /// not padded if it is aligned to the left, and wrapped if lines would be longer than `most`.
  std::string to_text(std::size_t indent = 0, std::size_t most = no_limit) const;

 private:
  std::size_t left_;
  std::vector<std::vector<std::string>> rows_;
};

/// Letters that a text takes on a terminal, for UTF-8 without wide or combining ones.
std::size_t display_width(const std::string& text);

/// Letters in a line of stdout: those of its terminal, 40 to 100; 100 if it has none.
std::size_t line_width();

/// The text broken into lines of at most `width` letters at its spaces.
std::string wrap_text(const std::string& text, std::size_t width, std::size_t indent = 0);

}  // namespace tributary
