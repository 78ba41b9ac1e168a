// SPDX-License-Identifier: Apache-2.0
#include "line_preparation.h"

namespace tributary {
namespace {

std::vector<node_id> holders_of(const buffer_place& buffer, cached_by cached,
                                const std::vector<node_id>& further, std::uint32_t sharers) {
  switch (cached) {
    case cached_by::none:
      break;
    case cached_by::shared_local:
    case cached_by::dirty_local:
      return {buffer.home};
    case cached_by::shared_remote:
      return {buffer.other_home};
    case cached_by::shared_others:
      return {further.begin(), further.begin() + sharers};
    case cached_by::dirty_remote:
      return {further.front()};
  }
  return {};
}

}  // namespace

std::vector<std::pair<std::string, cached_by>> cached_by_names() {
  return {{"uncached", cached_by::none},
          {"shared_local", cached_by::shared_local},
          {"shared_remote", cached_by::shared_remote},
          {"shared_others", cached_by::shared_others},
          {"dirty_local", cached_by::dirty_local},
          {"dirty_remote", cached_by::dirty_remote}};
}

std::vector<node_id> further_nodes(node_id source, node_id destination, std::uint32_t nodes) {
  std::vector<node_id> found;
  for (std::uint32_t i = 1; i < nodes; ++i) {
    const node_id each{(index(destination) + i) % nodes};
    if (each != source) found.push_back(each);
  }
  return found;
}

std::vector<line_preparation> preparations_of(const buffer_place& buffer, cached_by cached,
                                              const std::vector<node_id>& further,
                                              std::uint32_t sharers, line_size line) {
  std::vector<line_preparation> all;
  for (const node_id processor : holders_of(buffer, cached, further, sharers)) {
    line_preparation each;
    each.processor = processor;
    each.home = buffer.home;
    each.first = line.start(buffer.offset);
    each.end = line.next_start(buffer.offset + buffer.bytes);
    each.writes = cached == cached_by::dirty_local || cached == cached_by::dirty_remote;
    all.push_back(each);
  }
  return all;
}

}  // namespace tributary
