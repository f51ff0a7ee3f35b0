"""Joining a cluster: what Ray's client needs, and what is said when it is refused."""

from __future__ import annotations

import os
import socket
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType, SimpleNamespace

import pytest

import clew
from clew.distributed import nodes


class Finder:
    """Imports a module that is in no file."""

    def __init__(self, module):
        self.module = module

    def find_spec(self, name, path, target=None):
        return ModuleSpec(name, self) if name == self.module.__name__ else None

    def create_module(self, spec):
        return self.module

    def exec_module(self, module):
        """It is complete."""


@pytest.fixture
def client(monkeypatch):
    """A port that answers, and a Ray whose ``init`` records the mode of its tokens, then fails with ``answer``."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        seen = SimpleNamespace(address=f"ray://127.0.0.1:{server.getsockname()[1]}", modes=[], answer=None)

        def init(**_):
            seen.modes.append(os.environ.get("RAY_AUTH_MODE"))
            if seen.answer is not None:
                raise seen.answer

        ray = ModuleType("ray")
        ray.init, ray.exceptions = init, SimpleNamespace(RayError=ValueError)
        monkeypatch.setattr(sys, "meta_path", [Finder(ray), *sys.meta_path])
        monkeypatch.setenv("RAY_AUTH_MODE", "")  # restored at the end, also where clew sets it
        for name in ("RAY_AUTH_MODE", "RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"):
            monkeypatch.delenv(name, raising=False)
        real = sys.modules.pop("ray", None)
        yield seen
        sys.modules.pop("ray", None)
        if real is not None:
            sys.modules["ray"] = real


def test_the_client_sends_a_token_where_there_is_one(client, monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    nodes.join(client.address)
    (tmp_path / ".ray").mkdir()
    (tmp_path / ".ray" / "auth_token").write_text("secret")
    nodes.join(client.address)  # too late: Ray read its settings when it was imported
    del sys.modules["ray"]
    nodes.join(client.address)
    del sys.modules["ray"]
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    nodes.join(client.address)
    assert client.modes == [None, None, "token", "disabled"]


def test_a_client_that_gets_no_answer_is_told_about_tokens(client, monkeypatch, tmp_path):
    monkeypatch.setenv("RAY_AUTH_TOKEN_PATH", str(tmp_path / "missing"))
    client.answer = ConnectionError("ray client connection timeout")
    with pytest.raises(clew.ClusterError, match=r"did not accept this process: ray client .* Set RAY_AUTH_MODE=token"):
        nodes.join(client.address)
