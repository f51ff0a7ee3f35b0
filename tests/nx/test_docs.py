"""docs/from-networkx.md says what is true."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from _clew_nx import FUNCTIONS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "from-networkx.md"


def test_its_examples_run():
    code = "\n".join(re.findall(r"```python\n(.*?)```", PAGE.read_text(), flags=re.DOTALL))
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "because: endpoints is True; clew counts only the inner nodes" in done.stderr


def test_its_list_of_functions_is_current():
    listed = re.findall(r"`(\w+)`", PAGE.read_text().partition("<!-- functions")[2])
    assert sorted(listed) == sorted(FUNCTIONS)
