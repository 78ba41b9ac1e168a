// SPDX-License-Identifier: Apache-2.0
// Vectors whose elements take memory when they are first written.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace tributary {

/// Memory of zeroes, which the system provides page by page on first use. Elements that a vector is
/// made with, without a value, are all zeroes: the initializers of their members do not run. A
/// vector that shrinks and grows again has the old elements there.
template <class T>
class zeroed_allocator {
 public:
  static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= 64);

  using value_type = T;

  zeroed_allocator() = default;
  template <class Other>
  explicit zeroed_allocator(const zeroed_allocator<Other>&) {}

  T* allocate(std::size_t count) {
    constexpr std::size_t most = std::numeric_limits<std::ptrdiff_t>::max();
    if (count > (most - before) / sizeof(T)) throw std::bad_alloc();
    void* const memory = std::calloc(1, count * sizeof(T) + before);
    if (memory == nullptr) throw std::bad_alloc();
    // `calloc` aligns to 16 bytes only. Its pointer is kept in front of the elements.
    void* elements = static_cast<void**>(memory) + 1;
    std::size_t room = count * sizeof(T) + before - sizeof(void*);
    elements = std::align(line_bytes, count * sizeof(T), elements, room);
    static_cast<void**>(elements)[-1] = memory;
    return static_cast<T*>(elements);
  }
  void deallocate(T* elements, std::size_t) { std::free(reinterpret_cast<void**>(elements)[-1]); }

  /// Leaves the zeroes as they are.
  void construct(T*) noexcept {}
  template <class... Values>
  void construct(T* element, Values&&... values) {
    ::new (static_cast<void*>(element)) T(std::forward<Values>(values)...);
  }

  friend bool operator==(const zeroed_allocator&, const zeroed_allocator&) { return true; }
  friend bool operator!=(const zeroed_allocator&, const zeroed_allocator&) { return false; }

 private:
  /// Elements begin with a line of the cache.
  static constexpr std::size_t line_bytes = 64;
  static constexpr std::size_t before = line_bytes + sizeof(void*);
};

/// A vector that is made with all its elements at once, most of which may never be used. A
/// checkpoint reads and writes all of them.
template <class T>
using zeroed_vector = std::vector<T, zeroed_allocator<T>>;

}  // namespace tributary
