"""The report in a real browser: every plot is drawn, nothing is asked of the network, and everybody can read it."""

from __future__ import annotations

from pathlib import Path

import pytest

import clew
from clew.reporting import machine_sections
from tests.report.browser import chromium, tab
from tests.report.graphs import large, nasty

CONTRAST = (Path(__file__).parent / "contrast.js").read_text(encoding="utf-8")
PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
FOCUSED = "() => document.activeElement.id || document.activeElement.textContent.trim()"


@pytest.fixture(scope="module")
def browser():
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def report(browser, tmp_path_factory) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(machine_sections, "MEASURED", 1 << 20)
        return clew.report(nasty(), tmp_path_factory.mktemp("report") / "nasty.html")


@pytest.fixture(scope="module")
def opened(browser, report):
    """The report in a window of its own, which must not have complained when all tests are through with it."""
    with tab(browser, report, color_scheme="light") as shown:
        yield shown


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_plot_is_drawn_and_every_letter_can_be_read(opened, theme):
    page = opened.page
    page.emulate_media(color_scheme=theme)
    assert opened.draw(theme) >= 8
    for plot in page.locator(".plot").all():
        assert plot.locator(".main-svg").first.bounding_box()["width"] > 300
        assert plot.locator(".trace, .point, .layer-below image").count() > 0
    assert page.title().startswith("<script>")  # as it is called: no name has run as a script
    page.evaluate("() => document.querySelectorAll('details').forEach((part) => { part.open = true })")
    answer = page.evaluate(CONTRAST)
    page.evaluate("() => document.querySelectorAll('details').forEach((part) => { part.open = false })")
    assert answer["found"] == []
    assert answer["checked"] > 300


def test_the_keyboard_reaches_everything(opened):
    page = opened.page
    wanted = page.evaluate(
        "() => [...document.querySelectorAll('a[href], button, summary, input, [tabindex=\"0\"]')]"
        ".filter((part) => part.checkVisibility()).length"
    )
    page.keyboard.press("Tab")
    assert page.evaluate(FOCUSED) == "Skip to the content"
    assert page.locator(".skip").bounding_box()["x"] >= 0
    reached = 1
    while reached < wanted + 5:
        page.keyboard.press("Tab")
        if page.evaluate("() => document.activeElement === document.body"):
            break
        width = page.evaluate("() => parseFloat(getComputedStyle(document.activeElement).outlineWidth)")
        assert width >= 2, page.evaluate(FOCUSED)
        reached += 1
    assert reached == wanted
    details = page.locator("#plot-degrees details")
    details.locator("summary").focus()
    page.keyboard.press("Enter")
    assert details.get_attribute("open") is not None
    head = page.locator("#ranking thead th", has_text="In-degree")
    head.locator("button").focus()
    page.keyboard.press("Space")
    assert head.get_attribute("aria-sort") == "descending"
    cells = page.locator("#ranking > .scroll tbody td:last-child").all_text_contents()
    assert [int(cell) for cell in cells] == sorted((int(cell) for cell in cells), reverse=True)
    page.keyboard.press("Space")
    assert head.get_attribute("aria-sort") == "ascending"


def test_the_theme_can_be_chosen(opened):
    page, button = opened.page, opened.page.locator("#theme")
    page.emulate_media(color_scheme="dark")
    opened.draw("dark")
    paper = "() => getComputedStyle(document.body).backgroundColor"
    ink = "() => getComputedStyle(document.querySelector('.plot .xtitle')).fill"
    dark = page.evaluate(paper), page.evaluate(ink)
    assert (button.text_content(), button.get_attribute("aria-pressed")) == ("Light theme", "true")
    button.click()
    opened.draw("light")
    assert (button.text_content(), button.get_attribute("aria-pressed")) == ("Dark theme", "false")
    light = page.evaluate(paper), page.evaluate(ink)
    assert light[0] != dark[0]
    assert light[1] != dark[1]


def test_a_phone_shows_all_of_it_without_scrolling_sideways(browser, report):
    with tab(browser, report, color_scheme="light", **PHONE) as opened:
        page = opened.page
        opened.draw()
        page.evaluate("() => document.querySelectorAll('details').forEach((part) => { part.open = true })")
        assert page.evaluate("() => document.documentElement.scrollWidth") <= 360
        for plot in page.locator(".plot").all():
            box = plot.locator(".main-svg").first.bounding_box()
            assert 0 <= box["x"] <= box["x"] + box["width"] <= 360
        small = page.evaluate(
            "() => [...document.querySelectorAll('#theme, nav a, summary')]"
            ".filter((part) => part.getBoundingClientRect().height < 24).map((part) => part.textContent)"
        )
        assert small == []  # WCAG 2.2's least size of a target


def test_without_scripts_the_numbers_are_there(browser, report):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(report.as_uri())
    assert page.locator("noscript").is_visible()
    page.locator("#plot-degrees summary").click()
    assert page.locator("#plot-degrees table").is_visible()
    context.close()


def test_the_picture_is_searched_zoomed_and_hovered_over(opened):
    page = opened.page
    find, told = page.locator(".tools input"), page.locator(".tools output")
    page.locator("#picture").scroll_into_view_if_needed()
    canvas = page.locator(".map canvas")
    pixels = "(canvas) => canvas.toDataURL().length"
    assert canvas.evaluate(pixels) > 10_000  # something is drawn
    find.fill("vertex 4")
    assert told.text_content().startswith("vertex 4:")
    assert "community" in told.text_content()
    find.fill("nobody")
    assert told.text_content() == "There is no such vertex."
    find.fill("vertex 40")
    page.keyboard.press("Enter")
    page.wait_for_timeout(200)
    before = page.locator(".map").get_attribute("data-drawn")
    page.locator(".tools button", has_text="+").click()
    page.wait_for_timeout(200)
    zoomed = page.locator(".map").get_attribute("data-drawn")
    assert float(zoomed) == pytest.approx(1.6 * float(before))
    box = canvas.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)  # where the vertex is
    page.wait_for_timeout(200)
    assert told.text_content().startswith("vertex 40:")
    page.locator(".tools button").last.click()
    page.wait_for_timeout(200)
    assert page.locator(".map").get_attribute("data-drawn") == "1"
    find.fill("")


def test_paper_has_the_figures_at_once(browser, report):
    """Nothing was scrolled to and no time has passed; dark figures are printed in ink."""
    with tab(browser, report, color_scheme="dark") as opened:
        page = opened.page
        page.evaluate("() => dispatchEvent(new Event('beforeprint'))")
        seen = "[...document.querySelectorAll('.plot')].filter((plot) => plot.checkVisibility())"
        assert page.evaluate(f"{seen}.every((plot) => plot.querySelector('.main-svg'))")
        assert page.evaluate(f"{seen}.length") >= 5
        assert page.evaluate("() => document.documentElement.dataset.theme") == "light"
        page.evaluate("() => dispatchEvent(new Event('afterprint'))")
        assert page.evaluate("() => document.documentElement.dataset.theme") is None


@pytest.mark.parametrize("graph", ["none", "million"])
def test_no_vertices_and_a_million(browser, tmp_path, monkeypatch, graph):
    monkeypatch.setattr(machine_sections, "MEASURED", 1 << 20)
    made = large() if graph == "million" else clew.Graph.from_edges([], [])
    path = clew.report(made, tmp_path / f"{graph}.html")
    assert path.stat().st_size < 4 << 20
    with tab(browser, path, color_scheme="light") as opened:
        assert opened.draw() >= (0 if graph == "none" else 7)
        assert opened.page.locator("#overview .tiles dd").first.text_content() == f"{made.num_vertices:,}"
