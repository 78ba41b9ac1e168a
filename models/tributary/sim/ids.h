// SPDX-License-Identifier: Apache-2.0
// Strong types for the numbers of elements, modules and nodes.
#pragma once

#include <cstdint>
#include <type_traits>

namespace tributary {

/// A processing element, from 0.
enum class pe_id : std::uint32_t {};
/// A memory module, from 0.
enum class mm_id : std::uint32_t {};
/// A node of a machine whose nodes send each other messages, from 0.
enum class node_id : std::uint32_t {};
/// A switch of a network graph, from 0.
enum class switch_id : std::uint32_t {};
/// A host at a switch of a network graph, from 0.
enum class host_id : std::uint32_t {};

/// Says which enumerations are identifiers, so that `index` takes nothing else.
template <class Id>
struct is_id : std::false_type {};
template <>
struct is_id<pe_id> : std::true_type {};
template <>
struct is_id<mm_id> : std::true_type {};
template <>
struct is_id<node_id> : std::true_type {};
template <>
struct is_id<switch_id> : std::true_type {};
template <>
struct is_id<host_id> : std::true_type {};

/// The number behind an identifier, for indexing arrays and for printing.
template <class Id, class = std::enable_if_t<is_id<Id>::value>>
constexpr std::uint32_t index(Id id) noexcept {
  return static_cast<std::uint32_t>(id);
}

}  // namespace tributary
