"""The metrics of a run by their public names, as in `narrows.measures.evaluate(run, "cov(bin=10s)")`."""

from narrows.metrics import Evaluation, Metric, MetricError, check, evaluate, harm, measure, measured, resolve

Measure = Metric
MeasureError = MetricError

__all__ = [
    "Evaluation",
    "Measure",
    "MeasureError",
    "check",
    "evaluate",
    "harm",
    "measure",
    "measured",
    "resolve",
]
