# SPDX-License-Identifier: Apache-2.0
"""The part of JSON Schema (draft 2020-12) that the files in schema/ use; an unknown keyword is an error."""

import re

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None),
         "integer": int, "number": (int, float)}
IGNORED = {"$schema", "$id", "$defs", "title", "description"}


def is_type(value, name):
    if isinstance(value, bool):
        return name == "boolean"
    return isinstance(value, TYPES[name])


def resolve(root, reference):
    node = root
    for step in reference.removeprefix("#/").split("/"):
        node = node[step]
    return node


class Validator:
    def __init__(self, root):
        self.root = root

    def problems(self, value, schema=None, where=""):
        """All complaints about a value, each with a JSON pointer."""
        schema = self.root if schema is None else schema
        found = []
        for keyword, wanted in schema.items():
            if keyword in IGNORED:
                continue
            method = getattr(self, "check_" + keyword.replace("$", ""), None)
            if method is None:
                raise ValueError(f"the schema uses `{keyword}`, which this validator does not know")
            found += [f"{where or '/'}: {text}" if not text.startswith("/") else text
                      for text in method(value, wanted, where)]
        return found

    def check_ref(self, value, wanted, where):
        return self.problems(value, resolve(self.root, wanted), where)

    def check_type(self, value, wanted, _):
        names = wanted if isinstance(wanted, list) else [wanted]
        if not any(is_type(value, name) for name in names):
            yield f"{type(value).__name__} {value!r} is not {' or '.join(names)}"

    def check_const(self, value, wanted, _):
        if value != wanted or isinstance(value, bool) != isinstance(wanted, bool):
            yield f"{value!r} is not {wanted!r}"

    def check_enum(self, value, wanted, _):
        if value not in wanted:
            yield f"{value!r} is none of {wanted}"

    def check_pattern(self, value, wanted, _):
        if isinstance(value, str) and not re.search(wanted, value):
            yield f"{value!r} does not match {wanted}"

    def check_minimum(self, value, wanted, _):
        if is_type(value, "number") and value < wanted:
            yield f"{value} is below {wanted}"

    def check_minItems(self, value, wanted, _):  # noqa: N802  (the keyword's name)
        if isinstance(value, list) and len(value) < wanted:
            yield f"{len(value)} items, at least {wanted}"

    def check_required(self, value, wanted, _):
        if isinstance(value, dict):
            yield from (f"`{name}` is missing" for name in wanted if name not in value)

    def check_properties(self, value, wanted, where):
        if isinstance(value, dict):
            for name, schema in wanted.items():
                if name in value:
                    yield from self.problems(value[name], schema, f"{where}/{name}")

    def check_additionalProperties(self, value, wanted, where):  # noqa: N802
        if isinstance(value, dict):
            for name, item in value.items():
                yield from self.problems(item, wanted, f"{where}/{name}")

    def check_items(self, value, wanted, where):
        if isinstance(value, list):
            for index, item in enumerate(value):
                yield from self.problems(item, wanted, f"{where}/{index}")

    def check_anyOf(self, value, wanted, where):  # noqa: N802
        results = [self.problems(value, schema, where) for schema in wanted]
        if all(results):
            yield from min(results, key=len)

    def check_oneOf(self, value, wanted, where):  # noqa: N802
        results = [self.problems(value, schema, where) for schema in wanted]
        if results.count([]) != 1:
            yield from min(results, key=len) or ["more than one form fits"]
