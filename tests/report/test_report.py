"""What is in a report: its structure, its facts, what it leaves out and says so, and that names do no harm."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from itertools import pairwise

import numpy as np
import pytest

import clew
from clew import reporting
from clew.errors import FormatError, GraphError, ResourceError
from clew.plan import Measured
from clew.reporting import graph_map, graph_sections, machine_sections, words
from clew.reporting.page import differences, element
from clew.reporting.study import Study
from tests.report.graphs import NASTY, nasty
from tests.report.parsing import Node, parsed

SECTIONS = ["overview", "picture", "communities", "degrees", "components", "ranking", "distances", "cohesion"]
SECTIONS += ["engine", "about"]


@pytest.fixture(autouse=True)
def _small_measurements(monkeypatch):
    """How fast memory is does not matter here."""
    monkeypatch.setattr(machine_sections, "MEASURED", 1 << 20)


def report_of(graph: clew.Graph, folder, **options) -> Node:
    path = clew.report(graph, folder / "report.html", **options)
    assert [file.name for file in folder.iterdir()] == ["report.html"]
    return parsed(path.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def page(tmp_path_factory) -> Node:
    return report_of(nasty(), tmp_path_factory.mktemp("nasty"))


@pytest.mark.quick
def test_a_report_is_well_formed_and_accessible(page):
    html = page.one("html")
    assert html.attributes["lang"] == "en"
    assert [section.attributes["id"] for section in page.all("section")] == SECTIONS
    ids = [node.attributes["id"] for node in page.all() if "id" in node.attributes]
    assert len(ids) == len(set(ids))
    for node in page.all():
        for reference in ("aria-labelledby", "aria-describedby"):
            assert node.attributes.get(reference, ids[0]) in ids
    assert all(link.attributes["href"][1:] in ids for link in page.all("a"))
    levels = [int(node.tag[1]) for node in page.all() if re.fullmatch("h[1-6]", node.tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert page.all("a")[0].attributes == {"class": "skip", "href": "#content"}


def test_every_plot_has_words_and_numbers_beside_it(page):
    figures = page.all("figure")
    assert len(figures) >= 9
    for figure in figures:
        if figure.attributes["id"] == "plot-picture":
            assert figure.one("canvas", role="img").attributes["aria-labelledby"] == "picture-name"
        else:
            plot = figure.one("div", role="img")
            stored = json.loads(page.one("script", id=plot.attributes["data-figure"]).raw)
            assert stored["figure"]["data"]
        assert len(figure.one("figcaption").text) > 20
        table = figure.one("details").one("table")
        assert table.one("caption").text
        columns = len(table.one("thead").all("th"))
        rows = table.one("tbody").all("tr")
        assert rows
        assert all(len(row.children) == columns for row in rows)


def test_a_report_asks_for_nothing_from_elsewhere(page):
    for node in page.all():
        assert node.attributes.get("src") is None
        assert node.attributes.get("href", "#").startswith(("#", "data:"))
        assert not [name for name in node.attributes if name.startswith("on")]
    policy = page.one("meta", http_equiv="Content-Security-Policy").attributes["content"]
    assert "default-src 'none'" in policy
    own, packed = page.all("script")[-1].raw, page.one("script", id="plotly").raw
    for script in (own.encode(), gzip.decompress(base64.b64decode(packed))):
        assert base64.b64encode(hashlib.sha256(script).digest()).decode() in policy


def test_names_are_text_wherever_they_stand(page):
    scripts = page.all("script")
    assert len([script for script in scripts if script.attributes.get("type") is None]) == 1
    assert not page.all("img")
    for script in scripts[:-1]:
        assert "<" not in script.raw
    ranking = page.one("section", id="ranking")
    shown = [node.text for node in ranking.all("bdi")]
    assert len(set(shown) & {" ".join(name.split()) for name in NASTY}) >= 4
    assert page.one("h1").text == f"{NASTY[0]} & co"
    assert page.one("title").text == f"{NASTY[0]} & co · clew report"
    assert NASTY[2] in page.one("section", id="overview").text
    assert max(len(name) for name in shown) == words.LONGEST_NAME
    assert not re.search(r"[\x00-\x08\x1b\u202e]", page.text)


def test_what_plotly_is_given_cannot_become_markup(tmp_path, monkeypatch):
    """Plotly takes some tags for formatting and links: there must be none in what comes from a graph."""
    monkeypatch.setattr(graph_map, "MOST_VERTICES", 50)  # larger graphs are drawn by plotly
    page = report_of(nasty(), tmp_path)
    assert not page.all("canvas")
    assert "coloured by community" in page.one("figure", id="plot-picture").one("figcaption").text
    told = "".join(script.raw for script in page.all("script", type="application/json"))
    assert not re.findall(r"\\u003c(?!extra|/extra)", told)
    assert "\\u0026lt;" in told or "&lt;" in told


@pytest.mark.parametrize("vertices", [0, 1])
def test_graphs_without_edges(tmp_path, vertices):
    page = report_of(clew.Graph.from_edges([], [], num_vertices=vertices), tmp_path)
    assert [section.attributes["id"] for section in page.all("section")] == SECTIONS
    assert f"{vertices}" in page.one("dl", class_="tiles").text
    assert "no edges" in page.one("section", id="distances").text
    assert all(figure.one("tbody").all("tr") for figure in page.all("figure"))


def test_the_facts_are_right(tmp_path):
    """A star of five, a triangle and one vertex alone."""
    graph = clew.Graph.from_edges([0, 0, 0, 0, 5, 6, 7], [1, 2, 3, 4, 6, 7, 5], num_vertices=9, directed=False)
    steps = []
    page = report_of(graph, tmp_path, title="Ours", source=5, progress=lambda done, total: steps.append((done, total)))
    assert page.one("h1").text == "Ours"
    text = {section.attributes["id"]: section.text for section in page.all("section")}
    assert (
        "3 connected components; the largest has 5 vertices, 55.6% of all, and 1 vertex is isolated."
        in text["components"]
    )
    assert "From 5, 3 vertices are reachable (33.3%): the farthest in 1 step, 0.67 on average." in text["distances"]
    assert "triangles 1 " in text["cohesion"]
    assert "PageRank" in text["engine"]
    assert "1 5 55.6% 0, 1, 2" in text["communities"]
    assert "3 vertices." in text["cohesion"]  # of the innermost core
    first = page.one("section", id="ranking").all("tbody")[0].all("tr")[0]
    assert [cell.text for cell in first.children][1] == "0"
    assert steps == [(done, len(SECTIONS)) for done in range(len(SECTIONS))]


def test_what_takes_long_is_left_out_with_a_reason_unless_asked_for(tmp_path, monkeypatch):
    graph = clew.generate.cycle(12)
    monkeypatch.setattr(graph_sections, "LARGEST_FOR_PICTURE", 10)
    monkeypatch.setattr(machine_sections, "LARGEST_FOR_PLACEMENT", 10)
    monkeypatch.setattr(graph_sections, "LARGEST_FOR_TRIANGLES", 10)
    page = report_of(graph, tmp_path)
    skipped = [node.text for node in page.all("p", class_="skipped") if "JavaScript" not in node.text]
    assert [text.split(":")[0] for text in skipped] == ["The picture", "Triangles", "Placement"]
    assert all("skipped, because" in text and "--everything" in text for text in skipped)
    page = report_of(graph, tmp_path, everything=True)
    assert len(page.all("p", class_="skipped")) == 1  # without JavaScript
    assert page.all("figure", id="plot-picture")


def test_a_section_that_needs_too_much_says_so_and_the_others_stay(tmp_path, monkeypatch):
    def fails(study):
        raise ResourceError("8 bytes were needed, 4 are free.")

    fails.__name__ = "degrees"
    monkeypatch.setattr(reporting, "SECTIONS", (reporting.SECTIONS[0], fails, reporting.SECTIONS[-1]))
    page = report_of(clew.generate.path(3), tmp_path)
    assert "because 8 bytes were needed, 4 are free." in page.one("section", id="degrees").text
    assert page.all("section")[-1].attributes["id"] == "about"


def test_a_report_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "report.html"
    path.write_text("before")
    with pytest.raises(GraphError, match="not a vertex"):
        clew.report(clew.generate.path(3), path, source=7)
    with pytest.raises(GraphError, match="device"):
        clew.report(clew.generate.path(3), path, device="abacus")
    with pytest.raises(GraphError, match=r"of type str; expected a clew\.Graph: read the file"):
        clew.report("graph.mtx", path)
    monkeypatch.setattr(reporting, "html_page", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        clew.report(clew.Graph.from_edges([], []), path)
    assert path.read_text() == "before"
    assert len(list(tmp_path.iterdir())) == 1
    with pytest.raises(FormatError, match=r"ends in \.html"):
        clew.report(clew.generate.path(3), tmp_path / "report.pdf")
    with pytest.raises(FormatError, match="no folder"):
        clew.report(clew.generate.path(3), tmp_path / "nowhere" / "report.html")
    with pytest.raises(GraphError, match="expected the name of a file"):
        clew.report(clew.generate.path(3), None)
    with pytest.raises(GraphError, match="title is 5; expected a string"):
        clew.report(clew.generate.path(3), path, title=5)
    with pytest.raises(GraphError, match="everything is 'no'; expected True or False"):
        clew.report(clew.generate.path(3), path, everything="no")


def test_the_dark_figure_is_told_by_its_differences():
    light = {"data": [{"x": [1, 2], "color": "black"}], "layout": {"a": 1, "b": {"c": 2}}}
    dark = {"data": [{"x": [1, 2], "color": "white"}], "layout": {"a": 1, "b": {"c": 3}}}
    assert list(differences(light, light)) == []
    assert list(differences(light, dark)) == [[["data", 0, "color"], "white"], [["layout", "b", "c"], 3]]


@pytest.mark.quick
def test_nothing_gets_into_an_element_unescaped():
    assert element("p", "<i>", title='"<', hidden=True, id=None) == '<p title="&quot;&lt;" hidden>&lt;i&gt;</p>'
    assert element("p", element("b", "a & b"), None) == "<p><b>a &amp; b</b></p>"


@pytest.mark.parametrize(
    ("show", "value", "text"),
    [
        (words.percent, 0, "0%"),
        (words.percent, 0.00001, "< 0.01%"),
        (words.percent, 0.25, "25.0%"),
        (words.percent, 0.99999, "99.99%"),
        (words.percent, 1, "100%"),
        (words.duration, 4.2e-7, "420 ns"),
        (words.duration, 0.00477, "4.8 ms"),
        (words.duration, 61, "61 s"),
        (words.duration, 600, "10.0 min"),
        (words.number, 1234567.0, "1,234,567"),
        (words.number, float("nan"), "–"),
        (words.rate, 2.5e9, "2.5 GB/s"),
        (words.listed, ["a", "b", "c"], "a, b and c"),
    ],
)
def test_numbers_in_words(show, value, text):
    assert show(value) == text


def test_many_rows_become_few(tmp_path):
    page = report_of(clew.generate.path(400), tmp_path, fast_memory="1KiB")
    assert all(len(table.one("tbody").all("tr")) <= 70 for table in page.all("table"))
    assert "1.0 KiB (as requested)" in page.one("section", id="engine").text
    assert np.all([len(script.raw) < 200_000 for script in page.all("script", type="application/json")])


def test_the_picture_has_every_vertex_and_a_sample_of_the_edges(monkeypatch):
    monkeypatch.setattr(graph_map, "MOST_EDGES", 5)
    graph = clew.Graph.from_edges(["a", "b", "c", "d"], ["b", "c", "d", "a"])
    places = np.array([[0, 0], [2, 0], [2, 1], [0, 1]], dtype=np.float32)
    read = lambda text: json.loads(gzip.decompress(base64.b64decode(text)))  # noqa: E731
    told = read(graph_map.packed(graph, places, graph.degrees(), np.array([0, 0, 1, 1])))
    assert told["names"] == ["a", "b", "c", "d"]
    assert told["edges"] == [0, 1, 1, 2, 2, 3, 3, 0]
    assert (told["group"], told["degree"]) == ([0, 0, 1, 1], [1, 1, 1, 1])
    assert told["x"] == [0, 65535, 65535, 0]  # the longer side fills the square, the other is in its middle
    assert told["y"] == [49151, 49151, 16384, 16384]
    many = clew.generate.complete(10)
    told = read(graph_map.packed(many, np.ones((10, 2), dtype=np.float32), many.degrees(), None))
    assert (len(told["edges"]), told["group"], set(told["x"])) == (10, None, {32768})


def test_predictions_that_were_wrong_are_not_called_right(tmp_path, monkeypatch):
    monkeypatch.setattr(machine_sections, "NOTABLE", 0.0)
    for factor, right in ((1.0, True), (20.0, False), (1 / 20, False)):
        study = Study(clew.generate.cycle(5), "five")
        _ = study.ranks
        [run] = study.runs
        run.plan.measured = Measured(factor * run.plan.expected.likely)
        told = machine_sections._plans(study).blocks[0].text
        assert f"Of 1 run that took 0 ns or more, {int(right)} took a time within the predicted range." in told
