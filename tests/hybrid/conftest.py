"""Tests wait for milliseconds where users wait for longer: short runs have no more tries than others here."""

from __future__ import annotations

import pytest

from clew.engines.hybrid import plans


@pytest.fixture(autouse=True)
def no_run_is_short(request, monkeypatch):
    """But where a test is about them."""
    if "short_runs" not in request.fixturenames:
        monkeypatch.setattr(plans, "SHORT", 0.0)


@pytest.fixture
def short_runs():
    """Have short runs tried as often as for users."""
