"""The page of studies: how to write one and what happens then, with every key as the reader knows it."""

from __future__ import annotations

from pathlib import Path

from narrows.study.design import KINDS
from narrows.study.keys import RANGE, REPLICATIONS, STUDY, Key

EXAMPLE = Path(__file__).parents[1] / "studies/examples/buffer-and-delay.toml"


def page() -> str:
    """Return the page as Markdown."""
    designs = "\n".join(_design(*kind) for kind in KINDS)
    example = EXAMPLE.read_text(encoding="utf-8")
    example = example[example.index("title") :].rstrip()
    return PAGE.format(
        example=example,
        keys=_table(STUDY),
        replications=_table(REPLICATIONS),
        range=_table(RANGE),
        designs=designs,
    )


def _table(keys: tuple[Key, ...]) -> str:
    rows = ["| key | holds | default | meaning |", "|---|---|---|---|"]
    rows += [f"| `{key.name}` | {key.holds} | {key.default} | {key.meaning} |" for key in keys]
    return "\n".join(rows)


def _design(name: str, meaning: str, keys: tuple[Key, ...]) -> str:
    told = "".join(f"\n  * `{key.name}`: {key.holds}. {key.meaning}" for key in keys)
    return f"* `{name}`: {meaning}{told}"


PAGE = """\
# Studies

A study is a designed experiment: a base scenario, factors with their levels, algorithms, replications. A *cell* is one
replication of one combination of levels with one algorithm. This one lies in `studies/examples/` and runs in seconds:

```toml
{example}
```

```text
narrows study check FILE            what it would run: the design, its generators, resolution and alias table
narrows study run FILE --out DIR    run it
narrows study status DIR [--json]   how many cells it has, and how many are finished and have failed
narrows study resume DIR            go on after an interruption
narrows study query DIR SQL         ask the results
narrows study replay DIR CELL       run one cell again, to the same bits
narrows report DIR                  build its report again
```

`--set`, `--seed`, `--replications` and `--measure` change a study as they change a run; `--set` comes before
the levels.

## The study file

TOML, as strict as a scenario: an unknown key, level, algorithm or measure is an error with its line, its column and the
nearest known name, and nothing is written. Every point of the design is resolved before the first cell runs. Paths are
relative to the study file.

{keys}

### Factors

A factor is named by the key path of the scenario that it changes, as after `--set`, in quotes:
`"path.rtt" = ["10ms", "100ms"]`, `"flows.0.count" = [1, 8]`, `"flows.web.rtt" = ["20ms", "80ms"]`. A level may be
anything that the key may hold, a table too:
`"path.queue" = [{{ kind = "droptail", limit = "1bdp" }}, {{ kind = "codel" }}]`.

Keys that move together are a table with a free name, a list for each key, all of one length; `labels` names the levels:

```toml
[factors.speed]
labels = ["slow", "fast"]
"path.rate" = ["10Mbps", "1Gbps"]
"path.queue.limit" = ["50pkt", "1000pkt"]
```

A range, for Latin hypercube and Sobol' points, is a table:

{range}

### Designs

{designs}

A design with keys is a table: `design = {{ kind = "fractional", generators = ["D=ABC"] }}`. Factors have the letters A,
B, C … without I, in the order of the file; the first level is low, the second high.

### Replications

All cells share the master seed, and replication r of every point draws the same random numbers, so algorithms are
compared in pairs. As a table, `replications` goes on until an interval is narrow enough:

{replications}

A combination of levels goes on, with all its algorithms, until the interval is narrow enough for each of them. Which
cells that makes depends on the results alone: an interrupted study ends with the same ones.

### Measures

`goodput_bps` is that of the group under test (where several are, a column each, `group.NAME.goodput_bps`); a link's
measure, as `utilization`, is that of the bottleneck. `group.NAME.MEASURE` and `link.NAME.MEASURE` say it in full; where
a group and a link have a measure of the same name, the short one is the group's. `narrows list metrics` names them all;
those with parameters are taken of the cell's series, as in `"stabilization_cost(at=180s)"`.

## What an interruption costs

Nothing that is finished. A cell is keyed by a hash of its resolved scenario with the content of every file that it
names, the seed, the replication, and the sources that the engine was built from. When it is finished it is written,
synced to the disk and renamed before it counts. Kill the process, pull the plug, fill the disk: `narrows study resume`
runs what is missing and nothing else. One process works on a study at a time; it holds a lease (host, process, time),
which is taken over when its holder is dead. A study is not continued by another engine, or with a changed input:
results are not mixed.

A cell that fails is kept in `DIR/failed/` with its scenario, the others go on, and the exit status is 4;
`narrows study replay DIR CELL` runs it alone, and `narrows study resume DIR --retry` all that failed.

## Results

`DIR/cells.parquet` has a row per finished cell: `cell` (its key), a column per factor, `algorithm`, `replication`,
`seed`, a column per measure of the study, `checks_failed`, `digest`, `cpu_s`, `packet_hops`, and `measured`, a map of
every other measure (`measured['group.flows.timeouts']`). It is written when the work ends; `query` sees all cells at
any time.

```text
narrows study query DIR 'select algorithm, "path.rtt", avg(goodput_fraction) from cells group by all order by all'
```

```python
polars.read_parquet("DIR/cells.parquet")
pandas.read_parquet("DIR/cells.parquet")
```

`DIR/report.html` has the question, what was found, and the design with what it cannot tell apart; then for each
response (the first six)

* the analysis of variance; algorithm against algorithm with intervals by t and by bootstrap, effect sizes and corrected
  p values; duels over conditions (Condorcet, Copeland);
* main effects, interactions, the half-normal plot with Lenth's margins, a field of conditions by algorithms, mean ranks
  with Nemenyi's critical difference;
* folded away, the rest of the ten plots of the NIST/SEMATECH e-Handbook, 5.5.9, which study 000 goes through: all
  settings in order, values by level, blocks, both ends and sizes of effects, what they leave, contours;

and for all together which responses say the same, which algorithms stand apart (Grubbs) or behave unlike all others
(trees by condition), and the plane of the first two components. What a design does not allow is left out: effects of
contrasts want two levels of every factor. The same numbers come from `narrows.analysis`, whose functions take any table
of cells:

```python
from narrows.analysis import compare, ranks, variance

cells = polars.read_parquet("DIR/cells.parquet")
variance.anova(cells, "goodput_fraction", ["path.rtt", "algorithm"])
compare.compare(cells, "goodput_fraction", ["path.rtt"], reference="newreno")
ranks.screen(cells, ["goodput_fraction", "jain"], ["path.rtt"])
```

## More than one machine

Without more words, cells run on all processors of this machine. The same study runs on a Dask cluster, which
`pip install 'narrows[dask]'` brings:

```text
dask scheduler --port 8786                                 on one machine
dask worker tcp://HOST:8786 --nworkers 1 --nthreads 16     on each of many
narrows study run FILE --out DIR --executor dask --address tcp://HOST:8786
```

The last process alone writes the folder. A worker that is lost costs the cells that it was running, which run again
elsewhere. A worker whose engine was built from other sources is refused, with both fingerprints. Files that scenarios
name must be at the same place on every machine.

On Slurm and its like, dask-jobqueue (`pip install dask-jobqueue`) starts the workers:

```python
from dask_jobqueue import SLURMCluster

cluster = SLURMCluster(cores=16, processes=1, memory="16GB", walltime="12:00:00")
cluster.scale(jobs=20)
print(cluster.scheduler_address)  # for --address, while this process lives
input("Enter ends the cluster")
```
"""
