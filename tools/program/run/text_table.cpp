// SPDX-License-Identifier: Apache-2.0
#include "text_table.h"

#include <algorithm>
#include <numeric>

#include <sys/ioctl.h>
#include <unistd.h>

namespace tributary {

std::size_t display_width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char letter) {
    return (static_cast<unsigned char>(letter) & 0xC0U) != 0x80U;
  }));
}

std::string text_table::to_text(std::size_t indent, std::size_t most) const {
  std::vector<std::size_t> widths;
  for (const std::vector<std::string>& row : rows_) {
    if (row.size() > widths.size()) widths.resize(row.size());
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(row[i]));
    }
  }
  std::string text;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    std::string line(indent, ' ');
    for (std::size_t i = 0; i < rows_[r].size(); ++i) {
      const std::string& cell = rows_[r][i];
      const std::string padding(widths[i] - display_width(cell), ' ');
      if (i > 0) line += "  ";
      const bool is_last = i + 1 == rows_[r].size() && i < left_;
      if (is_last && display_width(line) + display_width(cell) > most) {
        const std::size_t begin = display_width(line);
        line += wrap_text(cell, most, begin).substr(begin);
        break;
      }
      line += i < left_ ? cell + padding : padding + cell;
    }
    line.erase(line.find_last_not_of(" \n") + 1);
    text += line + "\n";
    if (r == 0) {
      const std::size_t gaps = widths.empty() ? 0 : 2 * (widths.size() - 1);
      const std::size_t all = std::accumulate(widths.begin(), widths.end(), gaps);
      text += std::string(indent, ' ') +
              std::string(std::min({all, line_width(), most - indent}), '-') + "\n";
    }
  }
  return text;
}

std::size_t line_width() {
  constexpr std::size_t least = 40;
  constexpr std::size_t most = 100;
  winsize size{};
  const bool known = isatty(STDOUT_FILENO) != 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
  return known && size.ws_col > 0 ? std::clamp<std::size_t>(size.ws_col, least, most) : most;
}

std::string wrap_text(const std::string& text, std::size_t width, std::size_t indent) {
  std::string wrapped;
  std::string line(indent, ' ');
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    const bool first = line.size() == indent;
    if (!first && display_width(line) + 1 + display_width(word) > width) {
      wrapped += line + "\n";
      line.assign(indent, ' ');
      line += word;
    } else {
      line += first ? word : " " + word;
    }
    begin = end + 1;
  }
  return line.size() > indent ? wrapped + line + "\n" : wrapped;
}

}  // namespace tributary
