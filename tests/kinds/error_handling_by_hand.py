"""Hand-made questions of error_handling and what settling makes of them: a card, or silence with a code."""

from builders import make_bundle, make_ref

from review_agent.kinds.base import Unsettled
from review_agent.kinds.error_handling import ErrorHandling
from review_agent.vocabulary import ChangeKind, Confidence, Evidence, Severity

KIND = ErrorHandling()


def settle(question, *hits, excerpts=(), **options):
    bundle = make_bundle(question, *hits, **options)
    read = tuple(
        Evidence(ref=ref, query=0, origin="read", text=text, facts=())
        for path, start, text in excerpts
        for ref in [make_ref(path, start, start + text.count("\n"))]
    )
    return KIND.settle(question, bundle.model_copy(update={"evidence": (*bundle.evidence, *read)}))


def card(question, *hits, **options):
    settled = settle(question, *hits, **options)
    assert not isinstance(settled, Unsettled), settled
    (draft,) = settled
    assert draft.change_kind is ChangeKind.ERROR_HANDLING
    assert draft.severity is Severity.IMPORTANT
    assert (draft.confidence is Confidence.HIGH) == (not draft.uncertainty)
    return draft


def silent(question, *hits, **options):
    settled = settle(question, *hits, **options)
    assert isinstance(settled, Unsettled), settled
    return settled
