"""A data set indexed by the real stages into a home of its own, and its questions asked of the real reader."""

from __future__ import annotations

import json
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memory_pipeline.errors import EvaluationError
from memory_pipeline.evaluation.data_sets import metrics
from memory_pipeline.evaluation.data_sets.baselines import Baselines
from memory_pipeline.evaluation.data_sets.corpus import Corpus, Question
from memory_pipeline.evaluation.data_sets.metrics import Interval, Ranking
from memory_pipeline.evaluation.data_sets.random_vectors import RandomEncoder
from memory_pipeline.evaluation.data_sets.vector_store import StoredEncoder
from memory_pipeline.retrieval.reader import MemoryReader
from memory_pipeline.retrieval.store.user_rows import MESSAGES, UserRows
from memory_pipeline.settings import Settings
from memory_pipeline.stages.context import Progress, StageContext, silent
from memory_pipeline.stages.messages.index_messages import index_messages
from memory_pipeline.stages.messages.ingest import ingest
from memory_pipeline.storage.vectors.index import vectors_of
from memory_pipeline.storage.vectors.index_rows import plain

if TYPE_CHECKING:
    from memory_pipeline.inference.encoder import Encoder

TENANT = "evaluation"
CUTS = (5, 10, 30)
_DEPTH = 50  # turns that a session-level ranking is made of
_SEED = 20261121
_RANDOM = "random"
AHEAD = "ahead_of"
_START = date(1990, 1, 1)  # data sets are older than the product


@dataclass(frozen=True, slots=True)
class SystemResult:
    """What one system returned for one question: turns, best first, as evidence ids and as their sessions."""

    turns: Ranking
    sessions: Sequence[str]


def run(
    corpus: Corpus, settings: Settings, encoder: Encoder, *, profile: str, progress: Progress = silent
) -> dict[str, Interval | float]:
    """Metrics of the profile by name, and those of the baselines as ``bm25.…``, ``dense.…``, ``rrf.…``.

    As ``random.…`` those of the profile with vectors drawn at random in place of the encoder's: the difference is what
    the vectors are worth. ``ahead_of.….…`` are the profile's figures less another's, with the interval of the
    differences question by question: two systems whose own intervals overlap may still differ for certain.

    ``refused_messages`` is the number of those that ingest does not take; as evidence they count as not found.

    Args:
        settings: models and policies; its home is not touched.
        encoder: of messages and questions.

    Raises:
        EvaluationError: the set holds no question with evidence, or no message that can be taken.
        QueryError: there is no such profile.
    """
    if not corpus.questions:
        raise EvaluationError(f"{corpus.name} has no question with evidence", data_set=corpus.name)
    values: dict[str, list[float]] = defaultdict(list)
    with tempfile.TemporaryDirectory(prefix="memory-pipeline-eval-") as home:
        own = settings.model_copy(update={"home": home, "start_date": _START})
        ctx = StageContext(own, "evaluation", _after(corpus), progress)
        ctx.__dict__["encoder"] = encoder  # one for index and reader, with its vectors
        refused = _index(ctx, corpus)
        asking = _Asking(ctx, profile)
        control = _control(ctx, corpus, profile)
        for n, question in enumerate(sorted(corpus.questions, key=lambda q: q.user_id)):
            progress(f"asking {corpus.name}", n, len(corpus.questions))
            systems = {**asking.all(question), _RANDOM: control.own(question)}
            for system, found in systems.items():
                for name, value in scored(question, found).items():
                    values[f"{system}.{name}" if system else name].append(value)
        progress(f"asking {corpus.name}", len(corpus.questions), len(corpus.questions))
    import numpy as np

    values |= _differences(values)
    means = {name: metrics.bootstrap_interval(own, np.random.default_rng(_SEED)) for name, own in values.items()}
    return {**means, "refused_messages": float(refused)}


def _differences(values: Mapping[str, Sequence[float]]) -> dict[str, list[float]]:
    """By question, the profile's figures less those of each other system."""
    return {
        f"{AHEAD}.{system}.{name}": [a - b for a, b in zip(values[name], others, strict=True)]
        for key, others in values.items()
        if (parts := key.partition("."))[1]
        for system, name in [(parts[0], parts[2])]
    }


def _control(ctx: StageContext, corpus: Corpus, profile: str) -> _Asking:
    """The same messages in an index of random vectors, in a home inside the other."""
    own = ctx.settings.model_copy(update={"home": ctx.settings.path(_RANDOM)})
    control = StageContext(own, "control", ctx.now, silent)
    control.__dict__["encoder"] = RandomEncoder(ctx.encoder.dimensions)
    _index(control, corpus)
    return _Asking(control, profile)


def _after(corpus: Corpus) -> datetime:
    """A time after everything that was said."""
    last = max(datetime.fromisoformat(str(message["created_at"])) for message in corpus.messages)
    return last.replace(tzinfo=UTC) + timedelta(days=2)


def _index(ctx: StageContext, corpus: Corpus) -> int:
    """Index the messages; returns how many of them ingest refused (LongMemEval has turns without any text)."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{corpus.name}.jsonl"
        with file.open("w", encoding="utf-8") as lines:
            for message in corpus.messages:
                lines.write(json.dumps({**message, "tenant_id": TENANT}, ensure_ascii=False) + "\n")
        report = ingest(ctx, [file], format="jsonl")
    if not report.taken:
        sentence = f"{corpus.name}: ingest takes none of its {report.quarantined} messages"
        raise EvaluationError(sentence, data_set=corpus.name)
    index_messages(ctx, ctx.lake.days("messages"))
    return report.quarantined


class _Asking:
    """Asks the reader and the baselines, a user's questions one after another."""

    def __init__(self, ctx: StageContext, profile: str) -> None:
        self._ctx = ctx
        self._profile = profile
        self._now = ctx.now
        self._reader = MemoryReader(ctx.settings, encoder=ctx.encoder, clock=lambda: self._now, seed=_SEED)
        self._user = ""
        self._rows: UserRows | None = None
        self._baselines: Baselines | None = None

    def all(self, question: Question) -> Mapping[str, SystemResult]:
        """What every system returns; the reader's own under an empty name."""
        rows, baselines = self._of(question.user_id)
        at = _asked_at(question)
        found = {"": self.own(question)}
        seen = rows.seconds("created_at") <= (at.timestamp() if at and question.midway else float("inf"))
        vector = self._ctx.encoder.encode([question.text])[0]
        ids, sessions = rows.values("message_id"), rows.values("session_id")
        for name, order in baselines.rankings(question.text, vector, seen).items():
            places = order()[:_DEPTH]
            found[name] = SystemResult([(str(ids[p]),) for p in places], [str(sessions[p]) for p in places])
        return found

    def own(self, question: Question) -> SystemResult:
        """What the reader returns."""
        at = _asked_at(question)
        self._now = at or self._ctx.now
        items = self._reader.search(
            question.text,
            user_id=question.user_id,
            tenant_id=TENANT,
            k=_DEPTH,
            profile=self._profile,
            as_of=at if question.midway else None,
        )
        return SystemResult([item.evidence for item in items], [item.session_id or "" for item in items])

    def _of(self, user_id: str) -> tuple[UserRows, Baselines]:
        from memory_pipeline.domain.scope import Scope

        if user_id != self._user or self._rows is None or self._baselines is None:
            table = self._ctx.index.rows(MESSAGES, Scope(TENANT, user_id))
            self._rows = UserRows(MESSAGES, plain(table), vectors_of(table), self._ctx.policy.retrieval)
            self._baselines = Baselines(self._rows)
            self._user = user_id
        return self._rows, self._baselines


def _asked_at(question: Question) -> datetime | None:
    return None if question.asked_at is None else question.asked_at.replace(tzinfo=UTC)


def scored(question: Question, found: SystemResult) -> Mapping[str, float]:
    """The figures of one question at turn level and session level, as far as the set names evidence of that kind."""
    values: dict[str, float] = {}
    if question.evidence:
        values.update(_figures("turn", found.turns, question.evidence))
    if question.sessions:
        values.update(_figures("session", metrics.distinct(found.sessions), question.sessions))
    return values


def _figures(level: str, ranking: Ranking, gold: Iterable[str]) -> Mapping[str, float]:
    wanted = tuple(gold)
    figures = {f"{level}_recall@{k}": metrics.recall(ranking, wanted, k) for k in CUTS}
    for k in CUTS[:2]:
        figures[f"{level}_any@{k}"] = metrics.recall_any(ranking, wanted, k)
        figures[f"{level}_all@{k}"] = metrics.recall_all(ranking, wanted, k)
    figures[f"{level}_mrr"] = metrics.reciprocal_rank(ranking, wanted)
    figures[f"{level}_ndcg@10"] = metrics.ndcg(ranking, wanted, 10)
    return figures


def data_set(name: str, options: Any) -> Mapping[str, Interval | float]:
    """The suite of one data set; see ``suites.suites``."""
    from memory_pipeline.evaluation.data_sets.sources import folder, load
    from memory_pipeline.inference.models import open_encoder

    corpus = load(name, folder(options.datasets)).limited(options.limit)
    vectors = Path(options.settings.path("evaluation", "vectors"))
    encoder = StoredEncoder(open_encoder(options.settings), vectors, options.progress)
    return run(corpus, options.settings, encoder, profile=options.profile, progress=options.progress)
