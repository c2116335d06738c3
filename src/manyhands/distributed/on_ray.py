"""Ray begins the processes: TorchTrainer runs the same worker function that torchrun would run."""

from __future__ import annotations

import logging
import os
import tempfile
from collections.abc import Callable, Mapping
from typing import Any

from ..errors import ManyhandsError, ParameterError, ProcessError
from ..processes import agree, versions, watched
from .ray_data import own_frames, parts_of

__all__ = ["on_ray"]


def on_ray(
    worker: Callable[..., Any],
    *args: Any,
    workers: int = 2,
    data: Mapping[str, Any] | None = None,
    by: str = "task",
    gpus: bool = False,
    restarts: int = 0,
    storage: str | None = None,
) -> Any:
    """Run `worker(*args)` in so many processes of one group on a Ray cluster; gives what process 0 returns.

    Inside it, `fit` of any model trains or aggregates with the other processes (docs/scale.md). The cluster is
    the one that `ray.init` or RAY_ADDRESS names; without any, one is begun on this machine.

    worker: a function, with what it needs inside it or in a module that the workers can import.
    data: tables by name, each a path or paths of parquet, csv or jsonl (files, folders, s3:// or gs://) or a
        `ray.data.Dataset`. Ray Data reads them where they lie and divides them by the column `by`: the worker
        gets, by these names, a polars frame of its own tasks (perhaps none). Tasks of one id go to one process.
    gpus: one a worker.
    restarts: how often the group is begun anew when a process dies. What a worker does then is its own
        affair: `checkpoint=` with `resume=True` goes on from the last checkpoint.
    storage: where Ray keeps its notes of the run; on a cluster a place that all hosts reach.

    >>> def worker(labels):
    ...     model = DawidSkene().fit(Annotations.from_frame(labels))
    ...     return model.result_.annotators()
    >>> on_ray(worker, data={"labels": "s3://bucket/votes/"}, workers=8)  # doctest: +SKIP
    """
    ray = _ray()
    if workers < 1:
        raise ParameterError(f"workers={workers!r} must be 1 or more")
    from ray.train import DataConfig, FailureConfig, RunConfig, ScalingConfig
    from ray.train.torch import TorchConfig, TorchTrainer

    share = _begin(ray, workers)
    names = list(data or {})
    parts = {f"{n}-{r}": part for n in names for r, part in enumerate(parts_of((data or {})[n], by, workers))}

    def run() -> Any:
        agree("versions", versions())
        with watched():
            return worker(*args, **own_frames(names))

    trainer = TorchTrainer(
        run,
        torch_config=TorchConfig(backend="cpu:gloo,cuda:nccl" if gpus else "gloo"),
        scaling_config=ScalingConfig(num_workers=workers, use_gpu=gpus, resources_per_worker={"CPU": share}),
        run_config=RunConfig(
            storage_path=storage or tempfile.gettempdir(), failure_config=FailureConfig(max_failures=restarts)
        ),
        datasets=parts,
        dataset_config=DataConfig(datasets_to_split=[]),
    )
    try:
        return trainer.fit().return_value
    except Exception as error:
        raise _cause(error) from error


def _ray() -> Any:
    try:
        import ray
        import ray.data
        import ray.train.torch
    except ImportError:
        raise ParameterError("Ray is not installed: pip install 'manyhands[ray]'") from None
    return ray


def _begin(ray: Any, workers: int) -> float:
    """A cluster; and what share of a CPU a worker may have, so that one is free for the tasks that read data."""
    if not ray.is_initialized():
        local = {} if os.environ.get("RAY_ADDRESS") else {"num_cpus": max(workers + 1, os.cpu_count() or 1)}
        _quiet(ray)
        ray.init(
            log_to_driver=False, include_dashboard=False if local else None, logging_level="error", **local
        )
    cpus = float(ray.cluster_resources().get("CPU", 0))
    if cpus < 2:
        raise ParameterError(
            f"the Ray cluster has {cpus:g} CPUs: it needs 2, as one must be free to read data"
        )
    return min(1.0, (cpus - 1) / workers)


def _quiet(ray: Any) -> None:
    """Ray tells how each table is read, on every screen; errors are told all the same."""
    ray.data.DataContext.get_current().enable_progress_bars = False
    for name in ("ray", "ray.data", "ray.train"):
        logging.getLogger(name).setLevel(logging.ERROR)


def _cause(error: Exception) -> Exception:
    """What went wrong in a worker, where Ray tells it; of several the one that is no mere consequence."""
    failures = getattr(error, "worker_failures", None) or {}
    told = [_innermost(failure) for failure in failures.values()]
    own = [found for found in told if isinstance(found, ManyhandsError)]
    first = [found for found in own if not isinstance(found, ProcessError)] or own
    if first:
        return first[0]
    shown = next((str(found) for found in told), str(error))
    return ProcessError(f"a Ray worker failed: {shown}", ranks=list(failures))


def _innermost(error: Any) -> Any:
    while getattr(error, "cause", None) is not None or error.__cause__ is not None:
        error = getattr(error, "cause", None) or error.__cause__
    return error
