"""The nodes of a Ray cluster: joining them, their versions, and what is wrong with them, as sentences."""

from __future__ import annotations

import os
import platform
import socket
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from clew import __version__
from clew.errors import ClusterError, MissingDependencyError, install_command

ANSWERED = 5  # seconds until a port has answered
SERVICES = ("start_monitor", "start_log_monitor", "start_api_server")
PROBED = 60  # seconds until a node has said its versions
START = "Start one with: ray start --head, and pass its address. Without an address, clew starts one on this machine."
OPTION = "Start one with: ray start --head, and pass its address. --cluster local starts one on this machine."


def import_ray() -> Any:
    """Ray, or an error that says how to install it."""
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # or Ray warns about GPUs on every start
    # As Ray does for clusters that it starts. Its client sends the token only if this is set before the first import.
    if "ray" not in sys.modules and _has_token():
        os.environ.setdefault("RAY_AUTH_MODE", "token")
    try:
        import ray
    except ImportError:
        raise MissingDependencyError(
            "clusters need Ray, which is not installed.",
            remedy=f"Install it with: {install_command('clew[cluster]')}",
        ) from None
    return ray


@contextmanager
def without_services() -> Iterator[None]:
    """Let ``ray.init`` start no autoscaler, log collector and dashboard: workers of one machine use none of them.

    They take 1.6 seconds of CPU time. Ray has no public option for them. A version of Ray whose class has other methods
    starts them.
    """
    from ray._private.node import Node

    kept = {name: getattr(Node, name) for name in SERVICES if hasattr(Node, name)}
    try:
        for name in kept:
            setattr(Node, name, lambda *_, **__: None)
        yield
    finally:
        for name, method in kept.items():
            setattr(Node, name, method)


def join(address: str) -> Any:
    """Connect this process with the Ray cluster at an address; returns Ray."""
    ray = import_ray()
    _check_port(address)
    try:
        ray.init(address=address, log_to_driver=False, logging_level="ERROR", ignore_reinit_error=True)
    except (OSError, RuntimeError, ValueError, ImportError, ray.exceptions.RayError) as error:
        raise _explained(address, str(error)) from None
    return ray


def _has_token() -> bool:
    """Whether Ray would find a token, in one of the places where it looks."""
    if "RAY_AUTH_TOKEN" in os.environ:
        return True
    with suppress(RuntimeError):  # no home directory
        return Path(os.environ.get("RAY_AUTH_TOKEN_PATH", "~/.ray/auth_token")).expanduser().exists()
    return False


def threads_each(cores: Sequence[int], workers: int) -> int:
    """The most threads that every worker can have if each needs them on one node; at least 1."""
    return next((each for each in range(max(cores), 1, -1) if sum(some // each for some in cores) >= workers), 1)


def _check_port(address: str) -> None:
    """Ask the port first: Ray itself tries for five minutes, and then ends the process."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdecimal():
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=ANSWERED).close()
    except (OSError, OverflowError) as error:
        raise _explained(address, f"{host}, port {port}: {error}") from None


def _explained(address: str, text: str) -> ClusterError:
    """Why a cluster could not be joined, and what to do."""
    first = text.strip().splitlines()[0].rstrip(".") if text.strip() else "no reason was given"
    if "ray[client]" in text:
        remedy = f"Install it with: {install_command('ray[client]')}"
        return ClusterError(f"{address!r} needs Ray's client.", remedy=remedy)
    if "ersion mismatch" in text:
        versions = " ".join(line.strip() for line in text.splitlines()[1:]) or first
        return ClusterError(
            f"the cluster at {address!r} has other versions than this process: {versions}",
            remedy="Install the same versions of Python, Ray and clew everywhere.",
        )
    if "uthentication" in text or "token" in text.lower() or "ray client connection timeout" in text:
        return ClusterError(
            f"the cluster at {address!r} did not accept this process: {first}.",
            remedy="Set RAY_AUTH_MODE=token and the same RAY_AUTH_TOKEN, or RAY_AUTH_TOKEN_PATH, on every machine.",
        )
    return ClusterError(f"there is no Ray cluster at {address!r}: {first}.", remedy=START, option=OPTION)


@dataclass(frozen=True)
class Node:
    """A machine of the cluster, or a part of one. A version is None where the package is not installed."""

    host: str
    address: str
    cpus: float
    gpus: float
    memory: int
    python: str | None = None
    clew: str | None = None
    ray: str | None = None
    problem: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """The facts, for JSON."""
        return asdict(self)


def survey(ray: Any) -> list[Node]:
    """Every living node, with the versions that a process there finds."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    alive = [node for node in ray.nodes() if node["Alive"]]
    probe = ray.remote(_probe())
    calls = [
        probe.options(num_cpus=0, scheduling_strategy=NodeAffinitySchedulingStrategy(node["NodeID"], False)).remote()
        for node in alive
    ]
    return [_node(ray, node, call) for node, call in zip(alive, calls, strict=True)]


def _node(ray: Any, node: dict[str, Any], call: Any) -> Node:
    resources = node["Resources"]
    facts = {
        "host": node["NodeManagerHostname"],
        "address": node["NodeManagerAddress"],
        "cpus": resources.get("CPU", 0.0),
        "gpus": resources.get("GPU", 0.0),
        "memory": int(resources.get("memory", 0)),
    }
    try:
        return Node(**facts, **ray.get(call, timeout=PROBED))
    except ray.exceptions.RayError as error:
        return Node(**facts, problem=f"no process there answered: {str(error).strip().splitlines()[0]}")


def _probe() -> Any:
    """A function that travels as code: on a node without clew it must still run."""

    def versions() -> dict[str, str | None]:
        import platform

        import ray

        try:
            import clew
        except ImportError:
            return {"python": platform.python_version(), "clew": None, "ray": ray.__version__}
        return {"python": platform.python_version(), "clew": clew.__version__, "ray": ray.__version__}

    return versions


def mismatches(nodes: Sequence[Node]) -> list[str]:
    """A sentence for every node that differs from this process."""
    own = {"python": platform.python_version(), "clew": __version__, "ray": import_ray().__version__}
    sentences = []
    for node in nodes:
        if node.problem is not None:
            sentences.append(f"{node.host}: {node.problem}.")
            continue
        for package, version in own.items():
            there = getattr(node, package)
            if there is None:
                sentences.append(f"{node.host} has no {package}; install version {version} there.")
            elif there != version:
                sentences.append(f"{node.host} has {package} {there}, and this process has {version}.")
    return sentences


def check_versions(about: Sequence[dict[str, Any]]) -> None:
    """Reject workers whose versions differ from those of this process."""
    own = {"clew": __version__, "python": platform.python_version()}
    for each in about:
        for package, version in own.items():
            if each[package] != version:
                raise ClusterError(
                    f"the worker on {each['host']} has {package} {each[package]}, and this process has {version}; "
                    "expected the same version everywhere."
                )
