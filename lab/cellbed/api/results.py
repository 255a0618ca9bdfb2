# SPDX-License-Identifier: GPL-2.0-or-later
"""The results of many runs: chosen, tabulated, compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cellbed.api.bundle import Bundle
from cellbed.error import CellbedError
from cellbed.results.choose import Wanted
from cellbed_formats.bundle import load_results
from cellbed_formats.renamed import with_old_arguments

if TYPE_CHECKING:
    import polars as pl

    from cellbed_analysis.plots.plot import Plot


class Results:
    """Bundles of a folder: those of one `execute`, or all that are there.

    Examples:
        >>> [run.variant for run in results]
        ['DM-DM', 'IM-IM']
    """

    def __init__(self, path: Path, bundles: Sequence[Path] | None = None) -> None:
        """Args: bundles: folders of those that are meant; None: all below `path`."""
        self.path = path
        self.bundles = ([Bundle(bundle) for bundle in load_results(path).bundles] if bundles is None
                        else [Bundle(bundle) for bundle in bundles])

    @classmethod
    def load(cls, folder: str | Path) -> Results:
        """All finished bundles below a folder.

        Raises:
            DataError: no such folder, or no bundle in it.

        Examples:
            >>> Results.load("results")
            <Results results: ... bundles>
        """
        return cls(Path(folder))

    def __len__(self) -> int:
        return len(self.bundles)

    def __iter__(self) -> Iterator[Bundle]:
        return iter(self.bundles)

    def where(self, variant: str | None = None, seed: int | None = None,
              settings: dict[str, Any] | None = None) -> list[Bundle]:
        """Bundles of a variant, of a seed, or whose runs had some settings: {"tcp.congestion_control": "bbr"}."""
        wanted = Wanted(variant, seed, tuple((settings or {}).items()))
        return [bundle for bundle in self.bundles if wanted.fits(bundle.stored)]

    def bundle(self, variant: str | None = None, seed: int | None = None,
               settings: dict[str, Any] | None = None) -> Bundle:
        """The one bundle of these.

        Raises:
            CellbedError: none, or several.
        """
        found = self.where(variant, seed, settings)
        if len(found) != 1:
            names = ", ".join(f"{run.variant} seed {run.seed}" for run in (found or self.bundles)[:8])
            raise CellbedError(f"{self.path}: {len(found) or 'no'} bundle{'s' if len(found) > 1 else ''} of this "
                               f"choice; choose one of {names}")
        return found[0]

    @cached_property
    def table(self) -> pl.DataFrame:
        """One row for each flow of each run, with all metrics that any of them has; docs/metrics.md explains them.

        Examples:
            >>> results.table.filter(variant="IM-IM")["goodput_mbps"][0] > 0
            True
        """
        from cellbed_analysis.metrics.runs import analyse_all
        from cellbed_analysis.report.headline import metrics_frame

        rows = [row for run in analyse_all([bundle.stored for bundle in self.bundles]) for row in run.rows]
        frame = metrics_frame(rows)
        return frame.select(name for name in frame.columns if frame[name].null_count() < len(frame))

    def compare(self, *metrics: str, baseline: str | None = None, flow: str | None = None) -> pl.DataFrame:
        """Variants against a baseline, seed by seed: the mean difference, its 95 % interval, the effect size.

        Raises:
            DataError: no such metric, variant or flow, or no two variants have usable runs of one seed.

        Examples:
            >>> found = results.compare("rtt_mean_ms", baseline="DM-DM")
            >>> found.select("variant", "pairs").row(0), found["difference"][0] > 0
            (('IM-IM', 1), True)
        """
        from dataclasses import asdict

        import polars as pl

        from cellbed_analysis.report.compare import compare_bundles

        found = compare_bundles([bundle.stored for bundle in self.bundles], metrics, baseline, flow, self.path)
        return pl.DataFrame([asdict(one) for one in found], infer_schema_length=None)

    @with_old_arguments
    def plot(self, kind: str, *, flows: tuple[str, ...] = (), start_s: float | None = None, end_s: float | None = None,
             venue: str = "ieee", columns: int = 1, per_seed: bool = False, metric: str = "goodput_mbps",
             labels: Mapping[str, str] | None = None, order: Sequence[str] = (), legend: str = "above") -> Plot:
        """A figure for a paper with a series for each variant or, `per_seed`, for each run; else as `Bundle.plot`.

        Args:
            metric: what box, violin and metric-cdf show.
            labels: what to write in place of a series' name, or of a part of it.
            order: series, or parts of their names, that come first.
            legend: above, right, inside or none.

        Examples:
            >>> results.plot("box", metric="rtt_p50_ms", labels={"DM-DM": "direct"}).data["series"].unique().sort()[1]
            'direct'
        """
        from cellbed_analysis.plots.kind import Wanted as Part
        from cellbed_analysis.plots.names import Names
        from cellbed_analysis.plots.plot import Look, plot

        return plot(kind, [bundle.stored for bundle in self.bundles], Part(tuple(flows), start_s, end_s, metric),
                    Look(venue, columns, legend=legend), Names(labels or {}, order), per_seed)

    def report(self, figures: Sequence[str] = ()) -> Path:
        """Write the report of the whole folder, claims included, and say where it is.

        Args:
            figures: formats of its figures besides SVG: pdf, png. They lie in figures/ beside the page.
        """
        from cellbed_analysis.report.write import write_report

        return write_report(self.path, figures=figures)

    def __repr__(self) -> str:
        return f"<Results {self.path}: {len(self)} bundle{'s' if len(self) != 1 else ''}>"

    def _repr_html_(self) -> str:
        known = [name for name in _SHOWN if name in self.table.columns]
        return self.table.select(known)._repr_html_()


_SHOWN = ("scenario", "variant", "seed", "flow", "congestion_control", "goodput_mbps", "rtt_p50_ms", "rtt_p99_ms",
          "usable")
