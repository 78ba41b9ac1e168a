#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every name of another library is declared by a header that its file includes, itself or through
headers of the project. The compiler cannot tell: each build has these headers precompiled."""

import re
import unittest
from collections.abc import Iterator, Mapping

import layering_test
from layering_test import Graph, Texts

MANIPULATORS = "dec flush hex ios left right ostream"

# By header, the names of std that it declares and the project uses. Names of several headers are
# in the rows of each.
STANDARD = {
    "algorithm": "all_of any_of clamp copy copy_n count count_if equal fill fill_n find find_if max"
    " max_element min min_element minmax_element mismatch none_of nth_element pop_heap push_heap"
    " remove remove_if replace reverse rotate sort stable_sort unique upper_bound",
    "array": "array begin end get size",
    "atomic": "atomic memory_order_acquire memory_order_relaxed memory_order_release"
    " memory_order_seq_cst",
    "bitset": "bitset",
    "cctype": "toupper",
    "charconv": "from_chars to_chars",
    "chrono": "chrono",
    "cmath": "abs ceil isfinite isnan ldexp llround lround round sqrt",
    "condition_variable": "condition_variable",
    "csignal": "signal",
    "cstddef": "byte ptrdiff_t size_t",
    "cstdint": "int32_t int64_t uint16_t uint32_t uint64_t uint8_t uintmax_t uintptr_t",
    "cstdio": "FILE fclose ferror fflush fopen fprintf fputs fread fwrite remove rename",
    "cstdlib": "abs aligned_alloc calloc free getenv",
    "cstring": "memchr memcmp memcpy memset strcmp",
    "deque": "deque begin end size",
    "exception": "current_exception exception exception_ptr make_exception_ptr rethrow_exception"
    " throw_with_nested uncaught_exceptions",
    "filesystem": "filesystem",
    "fstream": f"ifstream ofstream {MANIPULATORS}",
    "functional": "function greater hash less",
    "initializer_list": "initializer_list",
    "iomanip": "setw",
    "iostream": f"cerr cout {MANIPULATORS}",
    "iterator": "back_inserter begin end istreambuf_iterator prev size",
    "limits": "numeric_limits",
    "list": "list begin end size",
    "map": "map multimap begin end size",
    "memory": "addressof align make_shared make_unique shared_ptr unique_ptr",
    "mutex": "lock_guard mutex unique_lock",
    "new": "bad_alloc",
    "numeric": "accumulate iota",
    "optional": "nullopt optional",
    "ostream": MANIPULATORS,
    "queue": "priority_queue",
    "regex": "regex regex_replace regex_search",
    "set": "set begin end size",
    "sstream": f"istringstream ostringstream {MANIPULATORS}",
    "stdexcept": "invalid_argument length_error runtime_error",
    "string": "getline stoul stoull string to_string begin end size",
    "string_view": "string_view begin end size",
    "system_error": "errc error_code generic_category",
    "thread": "this_thread thread",
    "tuple": "get tie tuple",
    "type_traits": "conditional_t decay_t enable_if_t false_type is_arithmetic_v is_const_v"
    " is_enum_v is_floating_point_v is_integral_v is_invocable_r_v is_same_v"
    " is_trivially_copyable_v is_void_v remove_pointer_t true_type",
    "typeindex": "type_index",
    "unordered_map": "unordered_map begin end size",
    "utility": "as_const declval exchange forward get move pair swap",
    "variant": "get get_if holds_alternative monostate variant",
    "vector": "vector begin end size",
}

# By name space, the header of each other library that is precompiled.
LIBRARIES = {
    "cereal": "cereal/archives/portable_binary.hpp",
    "fmt": "fmt/format.h",
    "sc_core": "systemc",
    "tlm": "tlm",
}

NAME = re.compile(r"(?<![\w:])(?:std::(?P<standard>\w+)|(?P<library>\w+)::)")


def headers_by_name() -> Mapping[str, set[str]]:
    """By name, as the code has it, the headers of which one must be included."""
    found = {f"{space}::": {header} for space, header in LIBRARIES.items()}
    for header, names in STANDARD.items():
        for name in names.split():
            found.setdefault(f"std::{name}", set()).add(header)
    return found


HEADERS = headers_by_name()


def reached(file: str, graph: Graph) -> set[str]:
    """The file and all that it includes, through others too."""
    seen, left = {file}, [file]
    while left:
        new = graph[left.pop()] - seen
        seen |= new
        left += new
    return seen


def forgotten(texts: Texts) -> Iterator[str]:
    """Each name whose header a file has not, and each name of std that is in no row above."""
    graph = layering_test.graph_of(texts)
    parts = {file: layering_test.split(text) for file, text in texts.items()}
    own = {file: {include.header for include in includes} for file, (includes, _) in parts.items()}
    # A table of macros (.def) has what its includer has.
    for file in (file for file in texts if not file.endswith(".def")):
        included = {header for each in reached(file, graph) for header in own[each]}
        for name in sorted({found[0] for found in NAME.finditer(parts[file][1])}):
            if name.startswith("std::") and name not in HEADERS:
                yield f"{file}: {name} is in no row of STANDARD"
            elif name in HEADERS and not HEADERS[name] & included:
                yield f"{file}: {name} needs <{'> or <'.join(sorted(HEADERS[name]))}>"


class Project(unittest.TestCase):
    def test_every_file_includes_what_it_names(self) -> None:
        texts = layering_test.sources("models", "platforms", "tools")
        self.assertGreater(len(texts), 400)
        self.assertEqual("\n".join(forgotten(texts)), "")


class Checker(unittest.TestCase):
    def verdict(self, text: str) -> list[str]:
        """What is said of a file that includes a.h, which includes <vector>."""
        own, other = "models/tributary/sim/b.h", "models/tributary/sim/a.h"
        lines = f"#include <tributary/sim/a.h>\n{text}\n"
        found = list(forgotten({other: "#include <vector>\n", own: lines}))
        for each in found:
            self.assertTrue(each.startswith(f"{own}: "), each)
        return [each.removeprefix(f"{own}: ") for each in found]

    def test_names_of_included_headers(self) -> None:
        for line in (
            *("std::vector<int> x;", "#include <map>\nstd::map<int, int> x;"),
            *("#include <tuple>\nstd::get<0>(x);", "#include <array>\nstd::get<0>(x);"),
            *(
                "// std::map",
                'auto x = "std::map";',
                "my::std::map x;",
                "other::map x;",
            ),
            "#include <fmt/format.h>\nfmt::format(x);",
        ):
            self.assertEqual(self.verdict(line), [], line)

    def test_forgotten_headers_are_named(self) -> None:
        self.assertEqual(self.verdict("std::map<int, int> x;"), ["std::map needs <map>"])
        self.assertEqual(self.verdict("fmt::format(x);"), ["fmt:: needs <fmt/format.h>"])
        self.assertEqual(
            self.verdict("cereal::access x;"),
            ["cereal:: needs <cereal/archives/portable_binary.hpp>"],
        )
        self.assertEqual(self.verdict("sc_core::sc_time x;"), ["sc_core:: needs <systemc>"])
        self.assertEqual(self.verdict("std::abs(x);"), ["std::abs needs <cmath> or <cstdlib>"])

    def test_names_without_a_row(self) -> None:
        self.assertEqual(self.verdict("std::jthread x;"), ["std::jthread is in no row of STANDARD"])


if __name__ == "__main__":
    unittest.main()
