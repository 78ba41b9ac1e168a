// SPDX-License-Identifier: Apache-2.0
#include "page_sections.h"

#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <tributary/sim/atomic_file.h>
#include <tributary/sim/error.h>

namespace tributary::documentation {
namespace {

struct place {
  std::size_t begin = 0;
  std::size_t end = 0;
};

place place_of(const std::string& page, const std::string& name) {
  const std::string opening = "<!-- generated: " + name + " -->\n";
  const std::size_t at = page.find(opening);
  const std::size_t end = at == std::string::npos ? at : page.find("<!-- end -->", at);
  if (end == std::string::npos) {
    throw error("the page has no section '" + name + "' between " + opening +
                "and <!-- end -->; add both lines");
  }
  return {at + opening.size(), end};
}

}  // namespace

std::string section_of(const std::string& page, const std::string& name) {
  const place found = place_of(page, name);
  return page.substr(found.begin, found.end - found.begin);
}

std::string with_section(const std::string& page, const std::string& name,
                         const std::string& text) {
  const place found = place_of(page, name);
  return page.substr(0, found.begin) + text + page.substr(found.end);
}

std::vector<std::string> linked_files(const std::string& page) {
  std::vector<std::string> files;
  for (std::size_t at = page.find("]("); at != std::string::npos; at = page.find("](", at + 2)) {
    const std::size_t end = page.find(')', at);
    if (end == std::string::npos) break;
    std::string target = page.substr(at + 2, end - at - 2);
    target = target.substr(0, target.find('#'));
    // Elsewhere, within the page, or a lambda in a block of code.
    const bool file = !target.empty() && target.find("://") == std::string::npos &&
                      target.find_first_of(" &") == std::string::npos;
    if (file) files.push_back(target);
  }
  return files;
}

std::string read_page(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) throw error("cannot read " + path);
  return text.str();
}

std::string section_in_file(const std::string& path, const std::string& name,
                            const std::string& text) {
  if (std::getenv("TRIBUTARY_UPDATE_PAGES") != nullptr) {
    write_file_atomically(path, with_section(read_page(path), name, text));
  }
  return section_of(read_page(path), name);
}

}  // namespace tributary::documentation
