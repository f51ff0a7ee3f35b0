"""``clew formats``."""

from __future__ import annotations

import json

import pytest

from clew.io import registry
from tests.cli import running
from tests.cli.running import OK

pytestmark = pytest.mark.quick


def test_every_format_is_listed():
    code, out, err = running.clew("formats")
    assert (code, err) == (OK, "")
    listed = [line.split()[0] for line in out.split("\n") if line.strip()]
    assert [one.name for one in registry.formats()] == [name for name in listed if name in _names()]


def test_formats_for_a_program():
    code, out, _ = running.clew("formats", "--json")
    assert code == OK
    listed = json.loads(out)
    assert [one["name"] for one in listed] == _names()
    clew = next(one for one in listed if one["name"] == "clew")
    assert (clew["suffixes"], clew["reads"], clew["writes"]) == ([".clew"], True, True)


def _names() -> list[str]:
    return [one.name for one in registry.formats()]
