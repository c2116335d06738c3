"""Which column of a file is the task, the annotator, the label."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ..annotations import find_columns
from ..errors import FormatError, ParameterError
from .tables import Table

__all__ = ["ROLES", "find_roles", "given_columns"]

ROLES = ("task", "annotator", "label")


def given_columns(columns: Mapping[str, str] | str | None, roles: Sequence[str] = ROLES) -> dict[str, str]:
    """What the user says of the columns: a mapping, or text as on a command line.

    >>> given_columns("task=item, label=vote")
    {'task': 'item', 'label': 'vote'}
    """
    if columns is None:
        return {}
    given = dict(_pairs(columns)) if isinstance(columns, str) else dict(columns)
    for role, name in given.items():
        if role not in roles or not isinstance(name, str):
            raise ParameterError(
                f"columns={columns!r}: {role!r} = {name!r} is not a role and the name of its column; give "
                f"{', '.join(f'{role}=NAME' for role in roles)}, those that need it"
            )
    return given


def _pairs(text: str) -> list[tuple[str, str]]:
    pairs = [entry.split("=", 1) for entry in text.split(",") if entry.strip()]
    if any(len(pair) != 2 for pair in pairs):
        raise ParameterError(f"columns={text!r} must be like 'task=item,annotator=who,label=vote'")
    return [(role.strip(), name.strip()) for role, name in pairs]


def find_roles(table: Table, given: Mapping[str, str], roles: Sequence[str] = ROLES) -> dict[str, str]:
    """The column of each role, given or found by its usual names."""
    try:
        return find_columns(table.names, **{role: given.get(role) for role in roles})
    except ParameterError as error:
        line = 1 if table.is_text else None
        hint = table.hint()
        wide = "; a table with one annotator a column is layout='wide' (--layout wide), one with a 0 / 1 column a label layout='indicators'"
        said = re.sub(r"Name it with (\w+)= ", r"Name it with columns='\1=NAME' ", str(error))
        raise FormatError(said + wide if hint is None else hint, table.path, line) from None
