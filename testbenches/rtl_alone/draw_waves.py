# SPDX-License-Identifier: Apache-2.0
"""The timing diagrams of docs/models/rtl: WaveDrom sources from a simulation, and their drawings.

    draw_waves.py WORK_DIRECTORY

Simulates waves/waves.sv with Verilator and compares, or with TRIBUTARY_UPDATE_PAGES set writes,
MODULE.json and MODULE.svg of each module that it shows.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import wavedrom
from common.files import RTL
from generated_files import is_stale
from rtl_sources import PAGES

WAVES = Path(__file__).with_name("waves")
MARGIN = 20  # pixels
Signals = dict[str, "Lane"]


class Sample(NamedTuple):
    """What a signal shows in a cycle: a bit, or a label ("-": nothing valid)."""

    is_bit: bool
    text: str


Lane = list[Sample]


def simulate(work: Path) -> str:
    """What waves.sv prints."""
    benches = [WAVES / "waves_pkg.sv", *sorted(WAVES.glob("*_waves.sv")), WAVES / "waves.sv"]
    command = ["verilator", "--binary", "--assert", "-Wall", "-Wno-UNUSEDSIGNAL"]
    command += ["-F", str(RTL / "tributary.f"), *map(str, benches)]
    build = work / "waves"
    build.mkdir(parents=True, exist_ok=True)
    log = build / "build.log"
    with log.open("w") as output:
        made = subprocess.run(
            [*command, "--top-module", "waves", "--Mdir", str(build)], stdout=output, stderr=output
        )
    if made.returncode != 0:
        sys.exit(f"{log.read_text()}\nVerilator does not build waves.sv")
    run = subprocess.run([build / "Vwaves"], capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"{run.stdout}{run.stderr}\nwaves.sv ends with status {run.returncode}")
    return run.stdout


def read_samples(text: str) -> dict[str, Signals]:
    """By module and signal, the samples of cycles 1, 2, ..."""
    modules: dict[str, Signals] = defaultdict(lambda: defaultdict(list))
    for line in text.splitlines():
        module, *words = line.split()
        if module == "-":  # Verilator's note of $finish
            continue
        signals = modules[module]
        cycle = int(words[0])
        for word in words[1:]:
            separator = next(sign for sign in word if sign in "=:")
            name, _, label = word.partition(separator)
            signals[name].append(Sample(separator == "=", label))
            if len(signals[name]) != cycle:
                sys.exit(f"{module} prints {name} {len(signals[name])} times by cycle {cycle}")
    return modules


def lane_of(name: str, samples: Lane) -> dict[str, object]:
    """A signal as WaveDrom has it: a "." repeats, "=" takes the next label, "x" is nothing."""
    wave = ""
    labels = []
    before: Sample | None = None
    for sample in samples:
        if sample == before:
            wave += "."
        elif sample.is_bit:
            wave += sample.text
        elif sample.text == "-":
            wave += "x"
        else:
            wave += "="
            labels.append(sample.text)
        before = sample
    lane: dict[str, object] = {"name": name, "wave": wave}
    return lane | ({"data": labels} if labels else {})


def source_of(signals: Signals) -> str:
    """The WaveDrom source, one signal a line."""
    cycles = max(len(samples) for samples in signals.values())
    lanes: list[dict[str, object]] = [{"name": "clk_i", "wave": "p" + "." * (cycles - 1)}]
    lanes += [lane_of(name, samples) for name, samples in signals.items()]
    rows = ",\n".join("  " + json.dumps(lane) for lane in lanes)
    return '{"signal": [\n' + rows + '\n],\n"head": {"tock": 1}}\n'


def drawing_of(source: str) -> str:
    """The drawing, without the shapes that it does not use, and with a margin at the left: the
    names are wider in some fonts than WaveDrom reckons."""
    svg = "http://www.w3.org/2000/svg"
    link = "http://www.w3.org/1999/xlink"
    ElementTree.register_namespace("", svg)
    ElementTree.register_namespace("xlink", link)
    root = ElementTree.fromstring(wavedrom.render(source).tostring())
    used = {each.get(f"{{{link}}}href") for each in root.iter(f"{{{svg}}}use")}
    for shapes in root.iter(f"{{{svg}}}defs"):
        for shape in list(shapes):
            if shape.tag == f"{{{svg}}}g" and f"#{shape.get('id')}" not in used:
                shapes.remove(shape)
    width, height = int(root.attrib["width"]) + MARGIN, root.attrib["height"]
    root.set("width", str(width))
    root.set("viewBox", f"{-MARGIN} 0 {width} {height}")
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def main() -> int:
    modules = read_samples(simulate(Path(sys.argv[1])))
    if not modules:
        sys.exit("waves.sv printed nothing")
    stale = 0
    for module, signals in modules.items():
        source = source_of(signals)
        stale += is_stale(PAGES / f"{module}.json", source)
        stale += is_stale(PAGES / f"{module}.svg", drawing_of(source))
    print(f"{len(modules)} timing diagrams, {stale} files differ from what the RTL does")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
