"""A headless Chromium that tells everything it would rather keep to itself: errors, requests, dialogs."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--no-sandbox",  # tests may run as root
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
DRAWN = "[...document.querySelectorAll('.plot')].every((plot) => plot.dataset.drawn === theme)"


@contextmanager
def chromium() -> Iterator[Any]:
    """The browser; skips where there is none."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.skip("there is no Chromium on this machine: apt-get install chromium")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS), timeout=120_000)
        try:
            yield browser
        finally:
            browser.close()


class Tab:
    """A page in the browser, and what it complained about."""

    def __init__(self, browser: Any, path: Path, **options: Any) -> None:
        self.troubles: list[str] = []
        self.context = browser.new_context(**options)
        self.page = self.context.new_page()
        self.page.set_default_timeout(60_000)
        self.page.on("console", lambda message: self.troubles.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.troubles.append(f"error: {error}"))
        self.page.on("dialog", lambda dialog: (self.troubles.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        self.page.on("request", lambda request: self._asked(request.url, path.as_uri()))
        self.page.goto(path.as_uri())

    def _asked(self, url: str, own: str) -> None:
        if url != own and not url.startswith("data:"):
            self.troubles.append(f"request: {url}")

    def draw(self, theme: str = "light") -> int:
        """Scroll to every plot and wait until all are drawn in that theme; how many there are."""
        self.page.evaluate("() => document.querySelectorAll('.folded').forEach((part) => { part.open = true })")
        for plot in self.page.locator(".plot").all():
            plot.scroll_into_view_if_needed()
        patience = monotonic() + 60
        # Not wait_for_function: it asks again and again from within the page, whose policy forbids that.
        while not self.page.evaluate(f"(theme) => {DRAWN}", theme):
            assert monotonic() < patience, self.troubles or "a plot was not drawn"
            self.page.wait_for_timeout(50)
        return int(self.page.locator(".plot").count())

    def close(self) -> None:
        self.context.close()


@contextmanager
def tab(browser: Any, path: Path, **options: Any) -> Iterator[Tab]:
    """A page that must not have complained when it is closed."""
    opened = Tab(browser, path, **options)
    try:
        yield opened
        assert opened.troubles == []
    finally:
        opened.close()
