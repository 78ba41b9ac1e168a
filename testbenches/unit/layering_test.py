#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which folder and header may know which, and what the library must not do (CONTRIBUTING.md)."""

import re
import unittest
from collections.abc import Collection, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path, PurePosixPath
from posixpath import normpath
from typing import ClassVar, NamedTuple

ROOT = Path(__file__).resolve().parents[2]

# CONTRIBUTING.md, Where things are, from the top down.
LAYERS = [
    *("systemc", "rtl", "algorithms", "processor", "smp", "magic", "nic", "protocols"),
    *("controller", "cache", "bus", "network", "memory", "trace", "sim"),
]

SYSTEMC = re.compile(r"(systemc|tlm)(\.h)?$|(sysc|tlm_core|tlm_utils|tlm|scc)/")
FORBIDDEN = re.compile(
    r"(?<![\w.])(?<!->)(?P<stream>w?cout|stdout)\b"
    r"|(?<![\w.:])(?<!->)(?:(?:std|sc_core)?::)?(?P<function>v?printf|wprintf|puts|putchar|_?exit"
    r"|_Exit|quick_exit|abort|sc_stop|sc_set_time_resolution)\s*\("
    # With a file or stream as its first argument, print is not about stdout.
    r'|\b(?P<format>fmt::print(?:ln)?)\s*\(\s*"'
)
INCLUDE_OR_TEXT = re.compile(
    r'^[ \t]*#[ \t]*include[ \t]*(?P<open>[<"])(?P<header>[^>"\n]+)[>"]'
    r"|//[^\n]*|/\*.*?\*/"
    r'|(?P<literal>(?<!\w)R"(?P<mark>[^()\s]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"'
    r"|(?<!\w)'(?:\\.|[^'\\\n])*')",
    re.MULTILINE | re.DOTALL,
)

Texts = Mapping[str, str]
Graph = dict[str, set[str]]


class Include(NamedTuple):
    header: str
    quoted: bool
    line: int


def split(text: str) -> tuple[list[Include], str]:
    """The includes of a source, and its code: without comments, literals empty, lines kept."""
    includes = []

    def replaced(found: re.Match[str]) -> str:
        if found["header"]:
            line = text.count("\n", 0, found.start()) + 1
            includes.append(Include(found["header"], found["open"] == '"', line))
        return ('""' if found["literal"] else " ") + "\n" * found[0].count("\n")

    return includes, INCLUDE_OR_TEXT.sub(replaced, text)


# --- the library's layers ---------------------------------------------------------------------


def layer_of(file: str) -> str:
    """The layer of "tributary/network/link.h"; empty for any other kind of path."""
    parts = file.split("/")
    return parts[1] if len(parts) > 2 and parts[0] == "tributary" else ""


def problem_of(file: str, include: Include, modules: Collection[str]) -> str | None:
    """What is wrong with an include of a library file; `modules` are those of tributary::models."""
    header = include.header
    if include.quoted:
        return f'"{header}": write #include <tributary/...>'
    if header.startswith("tributary/"):
        source, target = layer_of(file), layer_of(header)
        if target not in LAYERS:
            return (
                f"{source} -> {target}: '{target}' is no layer (CONTRIBUTING.md, Where things are)"
            )
        if source in LAYERS and LAYERS.index(target) < LAYERS.index(source):
            return f"{source} -> {target} points up the list of layers"
    if (SYSTEMC.match(header) or header in modules) and file not in modules:
        return f"a core -> <{header}>: only files of tributary::models may use SystemC"
    return None


def breaches(file: str, text: str, modules: Collection[str]) -> Iterator[str]:
    """The breaches of a library file, named by its path relative to models/."""
    if layer_of(file) not in LAYERS:
        yield f"{file}:1: '{layer_of(file)}' is no layer"
    includes, code = split(text)
    for include in includes:
        if problem := problem_of(file, include, modules):
            yield f"{file}:{include.line}: {problem}"
    for word in FORBIDDEN.finditer(code):
        name = word["stream"] or word["function"] or word["format"]
        line = code.count("\n", 0, word.start()) + 1
        yield (
            f"{file}:{line}: {name}: the library writes nothing to stdout, never ends the program "
            "or the simulation, and leaves the time resolution alone"
        )


def systemc_files(cmake: str) -> set[str]:
    """The files that a CMakeLists.txt lists behind `add_library(tributary_models)`."""
    return listed_files(cmake[cmake.index("add_library(tributary_models)") :])


def listed_files(cmake: str) -> set[str]:
    """The files of the library that a CMakeLists.txt names, a unit by its name alone."""
    files = set()
    for name in re.findall(r"^  (tributary/\S+)$", cmake, re.MULTILINE):
        files |= {name} if PurePosixPath(name).suffix else {f"{name}.h", f"{name}.cpp"}
    return files


def not_own_first(texts: Texts) -> list[str]:
    """The sources whose first include is not the header of their name, where they have one."""
    return [
        f"{file}:{line}: <{header}> comes before <{own}>"
        for file, text in texts.items()
        if file.endswith(".cpp") and (own := f"{file.removesuffix('.cpp')}.h") in texts
        for header, _, line in split(text)[0][:1]
        if header != own
    ]


# --- folders and headers of the project ---------------------------------------------------------


def sources(*tops: str) -> dict[str, str]:
    return {
        path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
        for top in tops
        for path in sorted((ROOT / top).rglob("*"))
        if path.suffix in (".h", ".cpp", ".def")
    }


def folder_of(file: str) -> str:
    return str(PurePosixPath(file).parent)


def graph_of(texts: Texts) -> Graph:
    """Which files each includes. A header is found beside its file if it is quoted, else in models,
    platforms or tools/program; one that is in none of them, as <vector>, is left out."""
    graph: Graph = {}
    for file, text in texts.items():
        graph[file] = set()
        for include in split(text)[0]:
            beside = [folder_of(file)] if include.quoted else []
            places = [*beside, "models", "platforms", "tools/program"]
            found = (normpath(f"{place}/{include.header}") for place in places)
            graph[file].update([path for path in found if path in texts][:1])
    return graph


def folders_of(files: Graph) -> Graph:
    folders: Graph = {}
    for file, included in files.items():
        known = folders.setdefault(folder_of(file), set())
        known.update({folder_of(each) for each in included} - {folder_of(file)})
    return folders


def circle_in(graph: Mapping[str, Collection[str]]) -> list[str]:
    """A circle, its first name again at its end; empty if there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as found:
        return list(found.args[1])
    return []


def place_of(file: str) -> tuple[int, str]:
    """A file's level, and what knows none of its like at this level: a machine, the examples."""
    folder = folder_of(file)
    if folder.startswith("models/"):
        return 0, "models"
    if folder.startswith("tools/"):
        return 4, "tools"
    if folder.startswith("platforms/examples"):
        return 4, folder
    if folder == "platforms":
        return 3, folder
    return 1 if folder == "platforms/driver" else 2, folder


def wrong_arrows(files: Mapping[str, Collection[str]]) -> list[str]:
    """Each include from which no arrow may lead: up, and between two machines or examples."""
    found = []
    for file, included in files.items():
        level, name = place_of(file)
        for each in sorted(included):
            to_level, to_name = place_of(each)
            stranger = to_level == level > 1 and to_name != name
            if to_level > level or stranger:
                found.append(f"{file} -> {each}")
    return found


# --- the project keeps the rules ----------------------------------------------------------------


class Project(unittest.TestCase):
    texts = sources("models", "platforms", "tools")
    graph = graph_of(texts)
    cmake = (ROOT / "models/CMakeLists.txt").read_text(encoding="utf-8")
    library: ClassVar[dict[str, str]] = {
        file.removeprefix("models/"): text
        for file, text in texts.items()
        if file.startswith("models/tributary/")
    }

    def test_library_obeys(self) -> None:
        modules = systemc_files(self.cmake)
        self.assertGreater(len(self.library), 20)
        self.assertGreater(len(modules), 10)
        self.assertGreater(sum("#include <tributary/" in t for t in self.library.values()), 10)
        found = [x for file, text in self.library.items() for x in breaches(file, text, modules)]
        self.assertEqual(found, [])

    def test_every_file_is_listed_in_cmake(self) -> None:
        unlisted = sorted(set(self.library) - listed_files(self.cmake))
        self.assertEqual(unlisted, [], "models/CMakeLists.txt has no line of its own for these")

    def test_units_include_their_own_header_first(self) -> None:
        self.assertEqual(not_own_first(self.library), [])

    def test_graph_is_read(self) -> None:
        for file, included in (
            ("platforms/platforms.h", "platforms/driver/platform_model.h"),
            ("tools/program/run/results.cpp", "tools/program/run/results.h"),
            ("platforms/driver/simulation.h", "models/tributary/sim/cycle.h"),
        ):
            self.assertIn(included, self.graph[file])
        self.assertIn("tools/program/run", folders_of(self.graph)["tools/program/commands"])

    def test_no_arrow_points_up_and_there_is_no_circle(self) -> None:
        self.assertEqual(wrong_arrows(self.graph), [])
        self.assertEqual(circle_in(folders_of(self.graph)), [])
        self.assertEqual(circle_in(self.graph), [])


# --- and breaches are found ---------------------------------------------------------------------

MODULES = {"tributary/network/x_module.h", "tributary/systemc/fetch_op.h"}


class Checker(unittest.TestCase):
    def verdict(self, line: str, file: str = "tributary/network/x.h") -> str:
        """What is said of one line, the third, in a file of network/; empty if nothing."""
        found = list(breaches(file, f"// first\n\n{line}\n", MODULES))
        for each in found:
            self.assertTrue(each.startswith(f"{file}:3: "), each)
        return "\n".join(found)

    def test_arrows_may_point_down_and_sideways(self) -> None:
        for header in ("tributary/sim/ids.h", "tributary/network/omega/wait_buffer.h", "vector"):
            self.assertEqual(self.verdict(f"#include <{header}>"), "")

    def test_an_arrow_up_is_named_with_file_and_line(self) -> None:
        self.assertEqual(
            self.verdict("#include <tributary/nic/port.h>"),
            "tributary/network/x.h:3: network -> nic points up the list of layers",
        )
        for line, file in (
            ("  #  include <tributary/processor/polling.h>  // why", "tributary/network/x.h"),
            ("#include <tributary/network/y.h>", "tributary/sim/x.cpp"),
            ("#include <tributary/nic/y.h>", "tributary/memory/x.def"),
        ):
            self.assertIn("points up", self.verdict(line, file))

    def test_unknown_layers_and_quoted_includes(self) -> None:
        self.assertIn("no layer", self.verdict("#include <tributary/utilities/x.h>"))
        self.assertIn("<tributary/...>", self.verdict('#include "../memory/memory.h"'))
        for file in ("tributary/utilities/x.h", "tributary/x.h"):
            self.assertEqual(len(list(breaches(file, "", ()))), 1)

    def test_cores_include_no_systemc(self) -> None:
        headers = (
            "systemc systemc.h tlm tlm.h tlm_utils/simple_target_socket.h sysc/kernel/sc_time.h "
            "tributary/network/x_module.h"
        )
        for header in headers.split():
            line = f"#include <{header}>"
            self.assertIn("SystemC", self.verdict(line), header)
            self.assertEqual(self.verdict(line, "tributary/network/x_module.h"), "", header)
        self.assertIn("points up", self.verdict("#include <tributary/systemc/fetch_op.h>"))
        cmake = "  tributary/sim/x.h\nadd_library(tributary_models)\n  tributary/systemc/y.h\n"
        self.assertEqual(systemc_files(cmake), {"tributary/systemc/y.h"})

    def test_output_and_exit(self) -> None:
        for line in (
            *("std::cout << x;", "using std::cout;", 'printf("x");', 'std::printf("x");'),
            *('::printf("x");', 'x; puts("x");', "std::exit(1);", "exit (1);", "::_exit(1);"),
            *("std::quick_exit(0);", "std::abort();", "sc_stop();", 'fputs("x", stdout);'),
            "sc_core::sc_set_time_resolution(1, sc_core::SC_PS);",
            *('fmt::print("x");', "const char c = '\"'; std::exit(1); // \""),
            *("auto n = 1'000; exit(n);", 'auto s = R"a(")")a"; exit(1);'),
        ):
            self.assertNotEqual(self.verdict(line), "", line)

    def test_words_that_only_look_alike(self) -> None:
        for line in (
            *('std::snprintf(b, n, "%d", x);', 'std::fprintf(file, "x");', "queue.exit(1);"),
            *("queue->exit(1);", "const auto exit = 1;", '// printf("x"); std::cout'),
            *("/* std::exit(1) */ int x;", 'throw error("printf( or std::cout");'),
            *("my::exit(1);", 'fmt::print(file, "x");', 'auto s = R"(std::cout << 1)";'),
            *("// #include <tributary/processor/x.h>", 'auto s = "#include <systemc>";'),
        ):
            self.assertEqual(self.verdict(line), "", line)

    def test_a_breach_after_a_long_comment_keeps_its_line(self) -> None:
        text = "/* a\nb\n*/\n\nvoid f() { exit(1); }\n"
        found = list(breaches("tributary/sim/x.h", text, ()))
        self.assertEqual(len(found), 1)
        self.assertTrue(found[0].startswith("tributary/sim/x.h:5: "), found[0])

    def test_a_header_before_the_own_is_named(self) -> None:
        own, other = "tributary/sim/a.h", "tributary/sim/b.h"
        both = f"#include <{other}>\n#include <{own}>\n"
        self.assertEqual(
            not_own_first({own: "", "tributary/sim/a.cpp": both}),
            [f"tributary/sim/a.cpp:1: <{other}> comes before <{own}>"],
        )
        self.assertEqual(not_own_first({"tributary/sim/main.cpp": both}), [])
        self.assertEqual(not_own_first({own: both, "tributary/sim/a.cpp": f"#include <{own}>"}), [])

    def test_headers_are_found_as_the_compiler_does(self) -> None:
        graph = graph_of(
            {
                "models/tributary/sim/a.h": "",
                "platforms/flash/a.h": "#include <tributary/sim/a.h>\n",
                "platforms/flash/b.h": '#include "a.h"\n#include <vector>\n',
                "tools/program/run/c.h": "// #include <run/d.h>\n",
                "tools/program/run/d.h": "#include <run/c.h>\n",
            }
        )
        self.assertEqual(graph["platforms/flash/a.h"], {"models/tributary/sim/a.h"})
        self.assertEqual(graph["platforms/flash/b.h"], {"platforms/flash/a.h"})
        self.assertEqual(graph["tools/program/run/c.h"], set())
        self.assertEqual(graph["tools/program/run/d.h"], {"tools/program/run/c.h"})

    def test_arrows_up_and_between_machines(self) -> None:
        experiment, example = "tools/program/run/experiment.h", "platforms/examples/own_switch/a.h"
        flash, driver = "platforms/flash/a.h", "platforms/driver/simulation.h"
        for file, included in (
            *(("models/tributary/sim/a.h", driver), (flash, experiment), (driver, flash)),
            *((flash, "platforms/ultracomputer/a.h"), (flash, "platforms/platforms.h")),
            *((example, experiment), (example, "platforms/examples/plain_soc/a.h")),
            (experiment, example),
        ):
            self.assertEqual(wrong_arrows({file: {included}}), [f"{file} -> {included}"])
        for file, included in (
            *(("tools/program/commands/a.h", experiment), (experiment, "platforms/platforms.h")),
            *((example, flash), (flash, driver), (driver, "models/tributary/sim/cycle.h")),
        ):
            self.assertEqual(wrong_arrows({file: {included}}), [])

    def test_a_circle_is_named(self) -> None:
        self.assertEqual(circle_in({"a": {"b"}, "b": {"c"}, "c": set()}), [])
        self.assertIn(
            circle_in({"a": {"b"}, "b": {"c"}, "c": {"b"}}), (["b", "c", "b"], ["c", "b", "c"])
        )
        self.assertEqual(circle_in({"a": {"a"}}), ["a", "a"])
        files: Graph = {"x/a.h": {"y/b.h"}, "y/b.h": set(), "y/c.h": {"x/d.h"}}
        self.assertEqual(circle_in(files), [])
        self.assertIn(circle_in(folders_of(files)), (["x", "y", "x"], ["y", "x", "y"]))


if __name__ == "__main__":
    unittest.main()
