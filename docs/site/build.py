# SPDX-License-Identifier: GPL-2.0-or-later
"""The documents as a site with search: `make docs` builds build/site and fails on a link that leads nowhere.

Pages lie in the whole repository and link each other, and files beside them, as they lie there. So they are copied in
that layout, with what they link to, and MkDocs makes the site of the copy. Two pages are made here, the notebook and a
gallery of all pictures, and the page about Python gets its reference from the docstrings.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

TOP = Path(__file__).resolve().parents[2]
LINK = re.compile(r"(\]\()([^)#\s]+)((?:#[^)\s]*)?\))")
TITLE = re.compile(r"^# (.+)$", re.MULTILINE)
#: Navigation: pages in the order of a reader; `*` stands for the others of a folder. A page that is not here, such as a
#: component's README, is on the site too: the pages here link to it.
NAVIGATION: dict[str, list[str]] = {
    "Start": ["README.md", "docs/install.md", "docs/tutorial.md", "docs/tutorial-afternoon.md", "docs/experiments.md",
              "docs/labs.md"],
    "How to": ["docs/howto/README.md", "docs/link.md", "docs/howto/*.md", "docs/sweep.md", "docs/fleet.md",
               "docs/watch.md", "docs/peers.md"],
    "Reference": ["docs/reference/commands.md", "docs/reference/keys.md", "docs/scenario-format.md", "docs/nr.md",
                  "docs/metrics.md", "docs/pcap.md", "docs/result-format.md", "docs/trace-format.md", "docs/python.md",
                  "docs/glossary.md"],
    "Explanation": ["docs/limits.md", "docs/limits-*.md", "docs/realism.md", "docs/trust.md", "docs/claims.md",
                    "docs/benchmarks.md", "ARCHITECTURE.md"],
}
#: Trees of their own: pages of papers, and decisions.
TREES: dict[str, list[str]] = {
    "Papers": ["docs/replication/README.md", "docs/replication/*.md", "scenarios/*/summary.md",
               "scenarios/*/findings.md", "docs/gallery.md"],
    "Decisions": ["docs/adr/*.md"],
}
API = """
## All classes and functions

""" + "\n\n".join(f"::: cellbed.api.{name}" for name in (
    "scenario.Scenario", "run.run_scenario", "run.run_scenario_async", "run.Progress", "results.Results",
    "bundle.Bundle"))


def tracked(*patterns: str) -> list[str]:
    """Files of the repository, those included that are new."""
    listed = subprocess.run(["git", "-C", TOP, "ls-files", "--cached", "--others", "--exclude-standard", *patterns],
                            capture_output=True, text=True, check=True)
    return [name for name in listed.stdout.splitlines() if (TOP / name).exists()]


def stage(pages: Path) -> None:
    """Copy every page, and every file that one links to, into a folder of the same layout."""
    for name in tracked("*.md"):
        target = pages / name
        target.parent.mkdir(parents=True, exist_ok=True)
        text = (TOP / name).read_text()
        target.write_text(LINK.sub(lambda found, at=name: _link(found, at, pages), text))  # type: ignore[misc]


def _link(found: re.Match[str], page: str, pages: Path) -> str:
    """A link of a page as the site has it; what it leads to is copied. MkDocs says which lead nowhere."""
    before, target, after = found.groups()
    if "://" in target:
        return found[0]
    path = Path(os.path.normpath(Path(page).parent / target))
    if (TOP / path).is_dir():
        target = f"{target.rstrip('/')}/README.md"
        _list(TOP / path, pages / path / "README.md")
    elif (TOP / path).is_file() and path.suffix != ".md":
        target = target.removesuffix(".ipynb") + ".md" if path.suffix == ".ipynb" else target
        (pages / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(TOP / path, pages / path)
    return f"{before}{target}{after}"


def _list(folder: Path, page: Path) -> None:
    """A page that lists those of a folder, unless it has one of its own."""
    if (folder / "README.md").exists():
        return
    lines = [f"- [{title(path)}]({path.name})" for path in sorted(folder.glob("*.md"))]
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(f"# {folder.relative_to(TOP)}\n\n" + "\n".join(lines) + "\n")


def title(page: Path) -> str:
    """The heading of a page."""
    found = TITLE.search(page.read_text())
    return found[1] if found else page.stem


def notebook(pages: Path, execute: bool) -> None:
    """The notebook as a page, with what its cells give if it is run."""
    target = pages / "docs"
    target.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "nbconvert", "--to", "markdown", *(["--execute"] if execute else [])]
    subprocess.run([*command, "--output-dir", target,
                    TOP / "docs/notebook.ipynb"], check=True, cwd=target, stderr=subprocess.DEVNULL)
    shutil.rmtree(target / "results", ignore_errors=True)


def gallery(pages: Path) -> None:
    """All pictures of the documents, those of the papers with what they show."""
    lines = ["# Gallery", "", "Every picture is made by cellbed of runs that can be executed again.", ""]
    for picture in sorted(tracked("docs/images/*.png", "docs/images/*.svg")):
        lines += [f"![{Path(picture).stem}]({Path(picture).relative_to('docs')})", ""]
        _copy(pages, picture)
    for paper in sorted(tracked("docs/replication/*/claims.json")):
        name = Path(paper).parent.name
        lines += [f"## {title(TOP / f'docs/replication/{name}.md')}", "",
                  f"[Claims, runs and explanations](replication/{name}.md)", ""]
        for picture in sorted(tracked(f"docs/replication/{name}/*.svg")):
            lines += [f"![{Path(picture).stem}]({Path(picture).relative_to('docs')}){{ loading=lazy }}", ""]
            _copy(pages, picture)
    (pages / "docs/gallery.md").write_text("\n".join(lines))


def _copy(pages: Path, name: str) -> None:
    (pages / name).parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(TOP / name, pages / name)


def navigation(pages: Path) -> list[dict[str, Any]]:
    """The pages of the navigation, each once, where the first pattern puts it."""
    left = sorted(str(path.relative_to(pages)) for path in pages.rglob("*.md"))
    found = []
    for heading, patterns in {**NAVIGATION, **TREES}.items():
        chosen = []
        for pattern in patterns:
            fitting = [page for page in left if Path(page).match(pattern) and page.count("/") == pattern.count("/")]
            left = [page for page in left if page not in fitting]
            chosen += fitting
        found.append({heading: [{title(pages / page): page} for page in chosen]})
    return found


def configuration(pages: Path, site: Path) -> dict[str, Any]:
    """For MkDocs. Nothing is loaded from elsewhere: no fonts, no scripts."""
    features = ["navigation.tabs", "navigation.indexes", "navigation.top", "search.highlight", "content.code.copy"]
    return {
        "site_name": "cellbed", "docs_dir": str(pages), "site_dir": str(site), "use_directory_urls": False,
        "theme": {"name": "material", "font": False, "features": features,
                  "palette": [{"media": "(prefers-color-scheme: light)", "scheme": "default"},
                              {"media": "(prefers-color-scheme: dark)", "scheme": "slate"}]},
        "plugins": ["search", {"mkdocstrings": {"handlers": {"python": {
            "paths": [str(TOP / folder) for folder in ("lab", "analysis", "formats", "channel", "kernel")],
            "options": {"show_source": False, "show_root_heading": True, "heading_level": 3,
                        "show_root_full_path": False,
                        "docstring_section_style": "list", "members_order": "source"}}}}}],
        "markdown_extensions": ["tables", "attr_list", {"toc": {"permalink": True}}, "pymdownx.highlight",
                                "pymdownx.superfences"],
        "validation": {"nav": {"omitted_files": "ignore"}, "links": {"anchors": "warn", "unrecognized_links": "warn"}},
        "nav": navigation(pages),
    }


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("output", type=Path, help="the folder of the site")
    arguments.add_argument("--run", action="store_true", help="run the notebook")
    chosen = arguments.parse_args()
    work = chosen.output.resolve().with_name(f"{chosen.output.name}-pages")
    shutil.rmtree(work, ignore_errors=True)
    stage(work)
    notebook(work, chosen.run)
    with (work / "docs/python.md").open("a") as guide:
        guide.write(API)
    gallery(work)
    settings = work.with_suffix(".json")
    settings.write_text(json.dumps(configuration(work, chosen.output.resolve()), indent=1))  # which is YAML, too
    # Not --quiet, with which --strict counts no warnings.
    done = subprocess.run([sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file", settings], check=False,
                          env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, capture_output=True, text=True)
    if done.returncode:
        print(done.stderr, file=sys.stderr)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
