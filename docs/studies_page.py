# SPDX-License-Identifier: Apache-2.0
"""The page `studies.md`: the format of study files, its keys as declared in `narrows._internal.experiments.keys`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from narrows._internal.experiments.design import KINDS
from narrows._internal.experiments.keys import RANGE, REPLICATIONS, STUDY
from narrows._internal.experiments.numbers import UNITS

if TYPE_CHECKING:
    from narrows._internal.experiments.declared import Key

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
        units="\n".join(f"* `_{unit}`: {words}" for unit, words in UNITS.items()),
    )


def _table(keys: tuple[Key, ...]) -> str:
    rows = ["| key | value | default | meaning |", "|---|---|---|---|"]
    rows += [f"| `{key.name}` | {key.holds} | {key.default} | {key.documented} |" for key in keys]
    return "\n".join(rows)


def _design(name: str, meaning: str, keys: tuple[Key, ...]) -> str:
    keys_of_it = "".join(f"\n  * `{key.name}`: {key.holds}. {key.documented}" for key in keys)
    return f"* `{name}`: {meaning}{keys_of_it}"


PAGE = """\
# Studies

A study is a designed experiment: a base scenario, factors with their levels, algorithms, and replications. A *cell*
is one replication of one combination of levels with one algorithm. This example is in `studies/examples/` and runs in
seconds:

```toml
{example}
```

```text
narrows study check FILE            print what it would run: design, generators, resolution, aliases, cells, their time
narrows study run FILE --out DIR    run it
narrows study status DIR [--json]   print the number of cells, and how many are finished and have failed
narrows study resume DIR            continue after an interruption
narrows study query DIR SQL         query the results
narrows study replay DIR CELL       run one cell again; its results are bit-identical
narrows report DIR                  rebuild its report
```

`--set`, `--seed`, `--replications` and `--metric` change a study as they change a run; `--set` is applied before the
levels.

## The study file

The file is in TOML and as strict as a scenario: an unknown key, level, algorithm or metric is an error with line,
column and the nearest known name, and nothing is written. Every point of the design is resolved before the first cell
runs. Paths are relative to the study file.

{keys}

### Factors

A factor is named by the key path of the scenario that it changes, in quotes, as after `--set`: `"path.rtt" = ["10ms",
"100ms"]`, `"flows.0.count" = [1, 8]`, `"flows.web.rtt" = ["20ms", "80ms"]`. A level is any value that the key
accepts, including a table: `"path.queue" = [{{ kind = "droptail", limit = "1bdp" }}, {{ kind = "codel" }}]`.

Keys that change together are a table with any name, which has a list for each key, all of the same length; `labels`
names the levels:

```toml
[factors.speed]
labels = ["slow", "fast"]
"path.rate" = ["10Mbps", "1Gbps"]
"path.queue.limit" = ["50pkt", "1000pkt"]
```

If the levels are combinations of a few parts, `each` lists the names of the parts, and `values` defines the names.
`{{NAME}}` in the value of a key path is replaced by the definition (or by the name itself if `values` has no table
for it):

```toml
[factors.path]
each = [{{ speed = ["slow", "fast"], rtt = ["20ms", "80ms"] }}, {{ speed = "fast", rtt = "300ms" }}]
label = "{{speed}}, {{rtt}}"                         # this is also the default
"path.rtt" = "{{rtt}}"
"path.rate" = "{{speed.rate}}"
"path.queue" = {{ kind = "droptail", limit = "{{speed.buffer}}" }}

[factors.path.values.speed]
slow = {{ rate = "10Mbps", buffer = "50pkt" }}
fast = {{ rate = "1Gbps", buffer = "1000pkt" }}
```

Each table of `each` gives all combinations of its lists, with the last name varying fastest; the levels of several
tables follow one another. The example has five levels, from `slow, 20ms` to `fast, 300ms`.

A range, for Latin hypercube and Sobol' points, is a table:

{range}

### Sizes and variants

A table in `sizes` or `variants` has keys of the study file that replace those of the description above it:
`narrows study run FILE --size full --variant short-buffer` applies the size, then the variant. A variant in
`[sizes.SIZE.variants.NAME]` is for that size alone and is applied last. Without `--size` the description is used
unchanged. The tables `set`, `words`, `factors`, each factor and its `values` are merged key by key; any other value
is replaced as a whole.

```toml
replications = 5
measures = ["jain", "goodput_between({{end}})"]
words.end = "from=20s,until=30s"
set.duration = "30s"

[sizes.full]
replications = 30
words.end = "from=200s,until=300s"
set.duration = "300s"

[variants.short-buffer]
set."path.queue.limit" = "0.1bdp"
```

`words` defines names that are replaced in any text of the file, where they are written in braces: each is a text, a
number or a table. A text that consists only of `{{name}}` becomes the value itself; `{{name.key}}` is an entry of a
table. Without `words`, braces have no special meaning.

A file with `extends` starts from the description in another file, without the sizes and variants of that file, and
changes it in the same way. A `scenario` is relative to the file that contains the key.

### Designs

{designs}

A design with keys is a table: `design = {{ kind = "fractional", generators = ["D=ABC"] }}`. Factors have the letters
A, B, C … without I, in the order of the file; the first level is low, the second high.

### Replications

All cells have the same master seed, and replication r of every point draws the same random numbers, so algorithms are
compared in pairs. If `replications` is a table, replications are added until an interval is narrow enough:

{replications}

A combination of levels is replicated with all its algorithms until the interval is narrow enough for each of them.
The number of cells depends only on the results: an interrupted study ends with the same cells as an uninterrupted
one.

### Metrics

`goodput_bps` is the goodput of the group under test (with several groups there is a column each,
`group.NAME.goodput_bps`). A metric of links, such as `utilization`, is that of the bottleneck of the group under
test: the link with the lowest rate among those that its data crosses at the start of a run. Groups or points with
different bottlenecks have a column each. The full names are `group.NAME.METRIC` and `link.NAME.METRIC`; if groups and
links have a metric of the same name, the short name is that of the group. `narrows list metrics` lists all metrics;
those with parameters are computed from the series of the cell, as in `"stabilization_cost(at=180s)"`.

## Interruptions

An interruption loses no finished cell, a kill at most those of the last tenth of a second. The key of a cell
is a hash of its resolved scenario with the content of every file that it names, the seed, the replication, and the
sources of the simulator. The cells that finish within a tenth of a second are written to a file together, which is
synced to disk and renamed before they count. After a killed process, a power failure or a full disk, `narrows study
resume` runs the missing cells and no others. One process works on a study at a time; it holds a lease (host, process,
time), which another process takes over if the holder is dead. A study cannot be continued by a simulator built from
other sources, or with a changed input, so results are never mixed.

A cell that fails is stored in `DIR/failed/` with its scenario, the other cells continue, and the exit status is 4;
`narrows study replay DIR CELL` runs it alone, and `narrows study resume DIR --retry` repeats all failed cells.

The plan and every cell are stored with a digest of their content. The cells of a damaged file run again when the study
is resumed, and that is reported. A `cells.parquet` that is damaged, or differs from the digest in `manifest.json`, is
never used: remove it, and `narrows study resume DIR` runs its cells again.

## Results

`DIR/cells.parquet` has a row per finished cell: `cell` (its key), a column per factor, `algorithm`, `replication`,
`seed`, a column per metric of the study, `checks_failed`, `digest`, `cpu_s`, `packet_hops`, and `measured`, a map of
all other metrics (`measured['group.flows.timeouts']`). It is written at the end; `query` reads all finished cells at
any time.

A factor whose levels are texts, and quantities of one kind, has a second column with their numbers, whose name ends in
the unit, as in `path.rtt_s` beside `path.rtt` and `path.queue.limit_bdp` beside `path.queue.limit`:

{units}
* `_number`: numbers that are written as text

"infinite" is an infinite number. If another column has this name, `_level` stands before the unit. In Arrow and Parquet
the metadata of the column have the `unit` in words, and of a column of texts the `levels` in the order of the
study. Names of algorithms or queues, and limits in packets beside limits in time, remain texts alone.

```text
narrows study query DIR 'select algorithm, "path.rtt_s", avg(goodput_fraction) from cells group by all order by all'
```

```python
polars.read_parquet("DIR/cells.parquet")
pandas.read_parquet("DIR/cells.parquet")
```

`narrows figure DIR --y METRIC --x FACTOR` draws any metric of the cells against any factor, `algorithm` included:
means with 95 % intervals over replications, on a numeric axis if the levels are quantities of one kind. `--lines
FACTOR` has a line and `--panels FACTOR` a panel for each level, `--where FACTOR=LEVEL` shows one level only, and
`--average FACTOR` takes the mean over all. A factor with several levels and no place in the figure is an error, as
its mean may describe none of its levels. In Python, `study.plot("goodput_fraction", "path.queue.limit",
lines="path.rtt", panels="algorithm", where={{"path.rate": "10Mbps"}})` returns the same figure; a reproduction has
`plot`, too, and its studies as `experiments`.

`DIR/report.html` begins with the question, the clearest findings, the first response against the factor with the
most levels (on a numeric axis if they are quantities, with intervals, a line per level of the factor that changes
it most, and a panel per algorithm), and two responses against each other. Then follow all findings, the responses
against their strongest factors, and for each response (at most six)

* the analysis of variance; pairwise comparisons of algorithms with t and bootstrap intervals, effect sizes and
  corrected p values; duels over conditions (Condorcet, Copeland);
* main effects, interactions, the half-normal plot with Lenth's margins, a heat map of conditions by algorithms, mean
  ranks with Nemenyi's critical difference;
* in a collapsed section, the rest of the ten plots of the NIST/SEMATECH e-Handbook, 5.5.9, which study 000 uses:
  ordered data, scatter plots by level, blocks, effects with their signs and magnitudes, residuals, contours;

No sentence of the findings gives an average over factors that change a difference between algorithms. The difference
has a sentence at each combination of their levels; of more than 24 combinations the smallest and the largest
difference, with the combinations that have them, at each level of the factor that changes it most. A difference is
stated if it is significant and exceeds the [margin](metrics.md) of its metric. Otherwise the sentence says which case
it is: the algorithms differ by less than the margin, perhaps by less than the margin (the interval exceeds it), or
cannot be distinguished by the replications there are.

and for all responses together the groups of correlated responses, outlying algorithms (Grubbs) and algorithms with
unusual behaviour (clustering trees by condition), and the plane of the first two principal components. Analyses that
a design does not support are left out: effects as contrasts need two levels of every factor. The design with its
aliases stands at the end. `narrows.analysis`
computes the same numbers from any table of cells:

```python
from narrows.analysis import compare, ranks, variance

cells = polars.read_parquet("DIR/cells.parquet")
variance.anova(cells, "goodput_fraction", ["path.rtt", "algorithm"])
compare.compare(cells, "goodput_fraction", ["path.rtt"], reference="newreno")
ranks.screen(cells, ["goodput_fraction", "jain"], ["path.rtt"])
```

## More than one machine

By default, cells run on all processors of the machine. Several machines can share a study without any service, by
`--shard I/N`: [clusters](cluster.md) has the commands for Slurm, Kubernetes and others. The same study also runs on a
Dask cluster, for which `pip install 'narrows[dask]'` is needed:

```text
dask scheduler --host 127.0.0.1 --port 8786                                    on this machine
dask worker tcp://127.0.0.1:8786 --host 127.0.0.1 --nworkers 1 --nthreads 16   on it, too
narrows study run FILE --out DIR --executor dask --address tcp://127.0.0.1:8786
```

Whoever reaches the port of a scheduler or a worker can execute any code there, with the rights of its user: Dask asks
for no password. Without `--host` both listen on all interfaces. For several machines, name the address of a network
that only you reach (`--host 10.0.0.5`), or let Dask encrypt and authenticate its connections with certificates
(`tls://` in place of `tcp://`; Dask's documentation, *TLS/SSL*).

Only the last process writes the folder. The cells of a lost worker run again on another one. If the scheduler is lost,
the command ends with exit status 3, and its message has the command that goes on. A worker whose simulator
was built from other sources is refused with both fingerprints. Files that scenarios name must have the same path on
every machine.

On Slurm and similar systems, dask-jobqueue (`pip install dask-jobqueue`) starts the workers:

```python
from dask_jobqueue import SLURMCluster

# The interface of the network of the cluster alone.
cluster = SLURMCluster(cores=16, processes=1, memory="16GB", walltime="12:00:00", interface="ib0")
cluster.scale(jobs=20)
print(cluster.scheduler_address)  # for --address, while this process lives
input("Enter ends the cluster")
```
"""
