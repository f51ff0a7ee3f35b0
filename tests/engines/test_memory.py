"""The memory that is left to this process."""

from __future__ import annotations

from clew import free_memory


def test_limits_of_control_groups_count(monkeypatch, tmp_path):
    """Those of a container at the top, and those of a job below it, with both versions of control groups."""
    monkeypatch.setattr(free_memory, "GROUPS", tmp_path)
    monkeypatch.setattr(free_memory, "OWN_GROUPS", tmp_path / "own")
    assert free_memory.available_bytes() > 10_000
    (tmp_path / "memory.current").write_text("5000\n")
    for limit, left in (("9000", 4000), ("4000", 0)):
        (tmp_path / "memory.max").write_text(limit + "\n")
        assert free_memory.available_bytes() == left
    # Files that were read are counted as used, and dropped as soon as the memory is wanted.
    (tmp_path / "memory.stat").write_text("anon 1500\nfile 3600\ninactive_file 2500\nactive_file 1000\n")
    assert free_memory.available_bytes() == 4000 - (5000 - 3500)
    (tmp_path / "memory.stat").write_text("not what it should be\n")
    assert free_memory.available_bytes() == 0
    (tmp_path / "memory.max").write_text("max\n")
    job = tmp_path / "memory" / "slurm" / "job7"
    job.mkdir(parents=True)
    (tmp_path / "own").write_text("4:memory:/slurm/job7/task\n1:cpu:/\n0::/\n")
    (job / "memory.limit_in_bytes").write_text("700\n")
    (job / "memory.usage_in_bytes").write_text("100\n")
    assert free_memory.available_bytes() == 600
