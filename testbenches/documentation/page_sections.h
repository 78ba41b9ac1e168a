// SPDX-License-Identifier: Apache-2.0
// Parts of the pages that a program writes: tables and timing diagrams that are true.
#pragma once

#include <string>
#include <vector>

namespace tributary::documentation {

/// The text between `<!-- generated: NAME -->` and the next `<!-- end -->` of a page.
/// Throws `error` if the page has no such section.
std::string section_of(const std::string& page, const std::string& name);

/// The page with another text in that section.
std::string with_section(const std::string& page, const std::string& name, const std::string& text);

/// Targets of a page's links to other files of the repository, without anchors.
std::vector<std::string> linked_files(const std::string& page);

/// The whole file; throws `error` if it cannot be read.
std::string read_page(const std::string& path);

/// The text of a section as it stands in the file `path`. With TRIBUTARY_UPDATE_PAGES set in the
/// environment, the section is replaced by `text` first.
std::string section_in_file(const std::string& path, const std::string& name,
                            const std::string& text);

}  // namespace tributary::documentation
