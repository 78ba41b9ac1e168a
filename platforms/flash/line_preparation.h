// SPDX-License-Identifier: Apache-2.0
// Which caches have the lines of a buffer when a transfer is asked for, and who brings them there.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <tributary/memory/line.h>
#include <tributary/sim/ids.h>

namespace tributary {

/// Who has the lines of a buffer in caches (FLASH Table 5.2, Figure 5.19).
enum class cached_by : std::uint8_t {
  none,           ///< memory only
  shared_local,   ///< clean in those of their home
  shared_remote,  ///< clean in those of the other buffer's home
  shared_others,  ///< clean in those of nodes that have neither buffer
  dirty_local,    ///< changed in those of their home
  dirty_remote    ///< changed in those of a node that has neither buffer
};
/// Their names in run files.
std::vector<std::pair<std::string, cached_by>> cached_by_names();

/// A buffer of a transfer.
struct buffer_place {
  node_id home{};
  node_id other_home{};  ///< of the transfer's other buffer
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

/// What one processor does to have the lines of a buffer: one load or store each.
struct line_preparation {
  node_id processor{};
  node_id home{};
  std::uint64_t first = 0;  ///< offset of the first line in the home's memory
  std::uint64_t end = 0;    ///< of the line after the last
  bool writes = false;
};

/// The nodes that have neither buffer, in the order in which they take part: those after the
/// destination come first.
std::vector<node_id> further_nodes(node_id source, node_id destination, std::uint32_t nodes);

/// What brings the lines of a buffer into those caches, in this order. `further`: as of
/// `further_nodes`, at least as many as it takes; `sharers`: how many share where `shared_others`
/// do.
std::vector<line_preparation> preparations_of(const buffer_place& buffer, cached_by cached,
                                              const std::vector<node_id>& further,
                                              std::uint32_t sharers, line_size line);

}  // namespace tributary
