#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""json_schema.py [--refuse] SCHEMA FILE...: validates outputs of dcbctl.

FILE ends with the name of a definition of the schema, "5.show". Each of its lines is an output, or
all of it is one. Each output has to be valid by this definition, and each definition needs an
output. With --refuse, no file may be valid.
"""
import json
import os
import sys

import jsonschema


def outputs(path):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    try:
        return [json.loads(text)]
    except json.JSONDecodeError:
        return [json.loads(line) for line in text.splitlines()]


def name_of(path):
    return os.path.basename(path).rsplit(".", 1)[1]


def errors(validators, path):
    """Messages about the outputs of a file."""
    found = []
    for output in outputs(path):
        for error in validators[name_of(path)].iter_errors(output):
            found += [f"{path}: {e.json_path}: {e.message[:300]}" for e in error.context or [error]]
    return found


def main(refuse, schema_path, paths):
    with open(schema_path, encoding="utf-8") as f:
        schema = json.load(f)
    cls = jsonschema.Draft202012Validator
    if not refuse:
        cls.check_schema(schema)
    named = {entry["$ref"].rsplit("/", 1)[1] for entry in schema["anyOf"]}
    validators = {name: cls({**schema, "anyOf": [{"$ref": "#/$defs/" + name}]}) for name in named}
    if refuse:
        messages = [f"{path}: valid" for path in paths if not errors(validators, path)]
    else:
        messages = [message for path in paths for message in errors(validators, path)[:5]]
        messages += [f"no output of {name}" for name in sorted(named - {name_of(p) for p in paths})]
    print("\n".join(messages))
    return len(messages) > 0


arguments = sys.argv[1:]
is_refuse = arguments[0] == "--refuse"
sys.exit(main(is_refuse, arguments[is_refuse], arguments[is_refuse + 1:]))
