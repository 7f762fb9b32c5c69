"""Figures about what was published: claims, their citations, and what they cost."""

from collections.abc import Sequence

from bot.evaluation.outcomes import Draw, Figure, Outcome, mean, share
from rag.evaluation.metrics import covered


def claiming(outcomes: Sequence[Outcome], draw: Draw) -> list[Figure]:
    """How much is claimed, and how much of it stands in its own quotes."""
    claims = [claim for outcome in outcomes for claim in outcome.claims]
    answers = [float(len(o.claims)) for o in outcomes if o.answered]
    unfounded = sum(outcome.unfounded for outcome in outcomes)
    figures = [share("failed", "all questions", [o.failed for o in outcomes])]
    if not claims:
        return figures
    words = [covered(claim.text, [cited.quote for cited in claim.citations]) for claim in claims]
    return [
        *figures,
        mean("claims", "an answer", answers, draw),
        mean("words that its quotes hold", "a published claim", words, draw),
        share(
            "with a false quote",
            "published claims",
            [number < unfounded for number in range(len(claims))],
        ),
    ]


def citing(outcomes: Sequence[Outcome], draw: Draw) -> list[Figure]:
    """Whether the documents cited are those that hold the answer; only what was answered counts."""
    pairs = [(_cited(o), set(o.question.gains)) for o in outcomes if o.answered and o.claims]
    if not pairs:
        return []
    of = "answered questions"
    precision = [len(cited & known) / len(cited) for cited, known in pairs]
    found = [len(cited & known) / len(known) for cited, known in pairs]
    return [
        mean("citation precision", of, precision, draw),
        mean("citation recall", of, found, draw),
    ]


def spending(outcomes: Sequence[Outcome], draw: Draw) -> list[Figure]:
    """What a question takes: a model's calls and tokens, and seconds of any reader."""
    spent = {
        "model calls": [float(o.spent.calls) for o in outcomes],
        "tokens in": [float(o.spent.tokens_in) for o in outcomes],
        "tokens out": [float(o.spent.tokens_out) for o in outcomes],
        "seconds": [o.seconds for o in outcomes],
    }
    return [mean(name, "a question", values, draw) for name, values in spent.items()]


def _cited(outcome: Outcome) -> set[str]:
    return {citation.source_id for claim in outcome.claims for citation in claim.citations}
