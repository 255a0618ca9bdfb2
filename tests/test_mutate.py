# SPDX-License-Identifier: GPL-2.0-or-later
"""The script that changes the code at random: what it draws, what it makes of a project with holes in its tests."""

import itertools
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from e2e import ROOT

sys.path.insert(0, str(Path(__file__).with_name("mutate")))

import checkout
import mutate
from changes import changes, functions
from parts import PARTS, Part

# Of each: a source, a test of it that is thorough, one with a hole, and the changes that get through that.
C = ("tiny.c", """int tiny(int a);
int tiny(int a)
{
	int unused = 7; /* a < b */

	(void)unused;
	return a < 10;
}
""", "test_tiny.c", """int tiny(int a);
int main(void)
{
	return !(tiny(%d) && !tiny(%d));
}
""", "return a < 10;")
PYTHON = ("tiny.py", """def tiny(a):
    \"\"\"a < b\"\"\"
    return a < 10
""", "test_tiny.py", """from tiny import tiny

def test_tiny():
    assert (tiny(%d), tiny(%d)) == (True, False)
""", "return a < 10")
THOROUGH, WITH_A_HOLE = (9, 10), (5, 20)
SURVIVORS = ("<= 10", "< (10 + 1)", "< (10 - 1)")
MESON = """project('tiny', 'c', default_options: ['werror=true', 'warning_level=2'])
test('tiny', executable('test_tiny', 'tiny.c', 'test_tiny.c'), suite: 'some')
"""
OPTIONS = "option('shared', type: 'boolean')\noption('python', type: 'string')\n"  # those of the project itself


@pytest.fixture(params=[C, PYTHON], ids=["C", "Python"])
def project(request, tmp_path, capsys, monkeypatch):
    """Judges all changes of a function, with a test of it and what is said to be equivalent. Return: exit status, what
    was said."""
    source, text, test, frame, _ = request.param
    part = Part((source,), ("test_*.py",), () if source.endswith(".py") else ("some",), compiled=source.endswith(".c"))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # starts at once
    root = tmp_path / "tiny"
    root.mkdir()
    for name, content in ((source, text), ("meson.build", MESON),
                          ("meson_options.txt", OPTIONS)):
        (root / name).write_text(content)
    (root / ".gitignore").write_text("build/\n")
    subprocess.run(["git", "init", "-q", root], check=True)

    def judge(numbers, equivalent=""):
        (root / test).write_text(frame % numbers)
        (tmp_path / "equivalent.txt").write_text(equivalent)
        status = mutate.run(root, part, tmp_path / "equivalent.txt", mutants=50, seed=1, jobs=2)
        assert (root / source).read_text() == text
        return status, capsys.readouterr().out

    judge.source, judge.line = source, request.param[-1]
    return judge


def test_a_thorough_test_lets_nothing_through(project):
    status, said = project(THOROUGH)
    assert status == 0 and "100.0 %" in said and "0 survived" in said and "+++" not in said
    if project.source == "tiny.c":  # the variable that nobody reads
        assert "3 compiled to the same, 3 not at all" in said


def test_a_hole_is_shown_until_it_is_explained(project):
    status, said = project(WITH_A_HOLE)
    through = [project.line.replace("< 10", new) for new in SURVIVORS]
    assert status == 1 and f"{len(through)} survived" in said
    for line in through:
        assert re.search(rf"^-\s+{re.escape(project.line)}\n\+\s+{re.escape(line)}$", said, re.MULTILINE), said

    for function, status in (("tiny", 0), ("other", 1)):
        head = f"{project.source} {function}\n- {project.line}\n+ "
        blocks = [f"{head}{line}\nNobody asks for ten.\n" for line in through]
        ended, said = project(WITH_A_HOLE, "\n".join(blocks))
        explained = 0 if status else len(through)
        assert ended == status and f"{explained} are equivalent, {len(through) - explained} survived" in said


def test_a_seed_is_a_sample():
    """Of every line one mutant at first."""
    first, again, other = (list(itertools.islice(mutate.draw(ROOT, PARTS["core"], seed), 40)) for seed in (1, 1, 2))
    assert [m.key() for m in first] == [m.key() for m in again] != [m.key() for m in other]
    assert len({(m.file, m.change.lines(m.text)[0]) for m in first}) == 40
    assert len({m.file for m in first}) > 10


@pytest.mark.parametrize("part", PARTS)
def test_each_part_has_sources_and_tests(part):
    assert all(list(ROOT.glob(pattern)) for pattern in PARTS[part].sources + PARTS[part].pytest)
    assert next(mutate.draw(ROOT, PARTS[part], 1))


def test_what_is_explained_is_there_and_has_a_reason():
    for (file, function, old, new), reason in mutate.explained(ROOT / "tests/mutate/equivalent.txt").items():
        text = (ROOT / file).read_bytes()
        places = functions(Path(file).suffix, text)
        found = [text[start:end].decode() for start, end, name in places if name == function]
        lines = "\n".join(line.strip() for body in found for line in body.splitlines())
        assert f"\n{old}\n" in f"{lines}\n" and old != new and reason.strip().endswith("."), (file, function, old, new)


@pytest.mark.parametrize(("suffix", "text", "names"), [
    (".c", b"int a = 1;\nstatic int *f(int (*g)(void)) { return g(); }\nint (h)(void) { return 1; }\n", ["", "f", "h"]),
    (".py", b"A = 1\ndef f():\n    def g():\n        return 2\n    return 3\nclass C:\n    def h(self): return 4\n",
     ["", "g", "f", "h"]),
])
def test_a_change_is_in_the_innermost_function(suffix, text, names):
    found = [mutate.Mutant(f"x{suffix}", text, change).function() for change in changes(suffix, text)]
    assert list(dict.fromkeys(found)) == names


def test_what_holds_anyway_is_no_mutant():
    text = b"a = zip(b, c, strict=True)\n"
    assert {change.new for change in changes(".py", text)} == {b"pass"}  # the whole of it


@pytest.mark.parametrize(("text", "becomes"), [
    (b"a = b / 1e6\n", {"0", "(1e6 * 2)", "(1e6 / 2)"}), (b"a = b / 0.5\n", {"0", "(0.5 + 1)", "(0.5 - 1)"}),
    (b"a = 0.0\n", {"(0.0 + 1)", "(0.0 - 1)"}),
    (b"Row = dict[str, 5]\n", set()),  # names of types
    (b"T = TypeVar('T')\n", set()),
])
def test_what_becomes_of_numbers(text, becomes):
    found = {change.new.decode() for change in changes(".py", text) if text[change.start:change.end][:1].isdigit()}
    assert found == becomes and (becomes or not changes(".py", text))


def test_lines_that_a_test_reaches(tmp_path, monkeypatch):
    """And a mutant that no test reaches meets none, but survives."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    root, part = tmp_path / "tiny", Part(("tiny.py",), ("test_*.py",), compiled=False, by_lines=True)
    root.mkdir()
    (root / "tiny.py").write_text(PYTHON[1] + "\n\ndef other():\n    return 1\n")
    (root / "test_tiny.py").write_text(PYTHON[3] % THOROUGH)
    subprocess.run(["git", "init", "-q", root], check=True)
    copy = checkout.Checkout(root, part, tmp_path / "copy")
    (test,) = copy.tests()
    lines = copy.reached(test)
    assert lines["tiny.py"] == {1, 3, 6}
    assert {mutant.function() for mutant in mutate.draw(root, part, 1) if not mutant.reached_by(lines)} == {"other"}


def test_what_executes_a_function_may_notice_a_change_of_it():
    """What is evaluated where it is defined is so by each import of the file."""
    text = b"A = 1\ndef f(x=2):\n    y = 3\n    return y\ndef g():\n    return 4\n"
    mutants = [mutate.Mutant("x.py", text, change) for change in changes(".py", text)]
    for lines, noticed in (({1, 2, 5, 6}, {1, 2, 6}), ({1, 2, 3, 5}, {1, 2, 3, 4}), ({1, 2, 5}, {1, 2}),
                           (set(), set())):
        assert {mutant.change.lines(text)[0] for mutant in mutants if mutant.reached_by({"x.py": lines})} == noticed
    assert not any(mutant.reached_by({"y.py": {1, 2, 3, 4, 5, 6}}) for mutant in mutants)


def test_strings_comments_and_assertions_are_left_alone():
    text = (b'int f(int *a)\n{\n\tCELL_ASSERT(*a > 1);\n\tdigest_mix_rng(a + 1);\n\t/* a + b */\n'
            b'\treturn g("a < b", a);\n}\n')
    assert {change.new for change in changes(".c", text)} == {b"0", b"1"}  # what is returned


class Idle(checkout.Checkout):
    """One that runs what it is told, in a folder of nothing."""

    def __init__(self, folder):
        self.folder, self._environment, self._stopped, self._cpu_s = folder, None, False, 0.0


@pytest.mark.parametrize(("program", "limit", "in_time"), [
    ("import time; time.sleep(2)", checkout.Limit(1), True),  # waiting takes no CPU time, as on a busy machine
    ("while True: pass", checkout.Limit(1), False),
    ("import time; time.sleep(60)", checkout.Limit(1, 0.5), False),
    ("pass", checkout.Limit(1), True),
])
def test_only_what_computes_or_waits_for_ever_is_stopped(tmp_path, program, limit, in_time):
    began = time.monotonic()
    assert (Idle(tmp_path)._run((sys.executable, "-c", program), limit) == 0) == in_time
    assert time.monotonic() - began < 50


def test_the_cpu_time_of_the_unchanged_code_is_the_measure(tmp_path):
    idle = Idle(tmp_path)
    limit = idle.time((sys.executable, "-c", "import time; time.sleep(1)\nwhile time.process_time() < 0.5: pass"))
    assert checkout.CPU_LEAST_S + 2 <= limit.cpu_s < checkout.CPU_LEAST_S + 8
    assert limit.wall_s >= checkout.LEAST_S + checkout.PATIENCE * 1.5
    with pytest.raises(SystemExit, match="fails without any change"):
        idle.time((sys.executable, "-c", "raise SystemExit(1)"))
