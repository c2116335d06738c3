"""What Amazon's crowd elements hand in: <crowd-classifier>, radio buttons, check boxes, sliders, entities.

Mechanical Turk has it in `Answer.taskAnswers`, SageMaker Ground Truth in `annotationData.content`.
https://docs.aws.amazon.com/sagemaker/latest/dg/sms-ui-template-reference.html
"""

from __future__ import annotations

from collections.abc import Iterator

from .fields import Field
from .items import Said, Wanted
from .spans import read_spans, said_of_spans

__all__ = ["elements"]


def elements(form: Field, text: str | None, wanted: Wanted) -> Iterator[Said]:
    """What each element of a form says; text: what the task shows, where it is known."""
    for name in form.object():
        if wanted.label in (None, name):
            yield _said(name, form[name], text, wanted)


def _said(name: str, element: Field, text: str | None, wanted: Wanted) -> Said:
    value = element.value
    if element.is_null() or value == {}:
        return Said(None, None, name)
    if isinstance(value, bool) or not isinstance(value, (dict, list)):
        return Said([str(value).lower() if isinstance(value, bool) else str(value)], "choices", name)
    if isinstance(value, list):
        return Said([one.name() for one in element.each()], "choices", name)
    if "label" in element:
        return Said([element["label"].name()], "choices", name)
    if "labels" in value:
        return Said([one.name() for one in element["labels"].each()], "choices", name)
    if "entities" in value:
        if text is None:
            raise element.fault("marks pieces of a text, which is not in the record (dataObject.content)")
        spans = read_spans(element["entities"].each(), text, "startOffset", "endOffset", "label")
        return said_of_spans(spans, text, wanted, name)
    if all(isinstance(entry, bool) for entry in value.values()):
        return Said([option for option, is_on in value.items() if is_on], "choices", name)
    raise element.fault(
        f"{element.shown()} is no label of a task: a class, several, or marked pieces of text"
    )
