# SPDX-License-Identifier: BSD-3-Clause
"""The changes that tests/mutate.py can make to a source file, found by the tokens of its functions."""
import bisect
import collections
import os
import random
import re

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

TOKEN = re.compile(r"""
    (?P<space>\s+)
  | (?P<number>\.?[0-9](?:[eEpP][+-]|[0-9a-zA-Z_.])*)
  | (?P<name>[A-Za-z_][A-Za-z0-9_]*)
  | (?P<op>->|\+\+|--|<<=|>>=|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|\.\.\.|.)
""", re.X | re.S)

# Comments, strings and preprocessor lines are replaced by blanks of the same length.
HIDDEN = re.compile(r"""
    /\*.*?\*/ | //[^\n]* | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*'
  | ^[ \t]*\#(?:\\\n|[^\n\\]|\\[^\n])*
""", re.X | re.S | re.M)

EXCHANGE = {
    "relational": {"<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<"),
                   "==": ("!=",), "!=": ("==",)},
    "arithmetic": {"+": ("-",), "-": ("+",), "*": ("/",), "/": ("*",), "%": ("*",),
                   "++": ("--",), "--": ("++",), "+=": ("-=",), "-=": ("+=",), "*=": ("/=",),
                   "/=": ("*=",)},
    "logical": {"&&": ("||",), "||": ("&&",)},
    "bitwise": {"&": ("|",), "|": ("&",), "^": ("|",), "<<": (">>",), ">>": ("<<",),
                "&=": ("|=",), "|=": ("&=",), "^=": ("|=",), "<<=": (">>=",), ">>=": ("<<=",)},
}
AMBIGUOUS = {"+", "-", "*", "&"}  # unary or binary
ASSIGN = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="}
TYPE_WORDS = {"struct", "enum", "union", "const", "static", "unsigned", "int", "char", "long",
              "short", "signed", "bool", "void", "double", "float", "volatile", "register",
              "extern", "typedef", "_Atomic"}
KEYWORDS = {"if", "else", "for", "while", "do", "switch", "case", "default", "return", "break",
            "continue", "goto", "sizeof"}
ASSERTIONS = {"assert", "static_assert", "_Static_assert"}
OPEN, CLOSE = "([{", ")]}"

Token = collections.namedtuple("Token", "kind text start end")
Change = collections.namedtuple("Change", "kind start end text")


def blank(match):
    return re.sub(r"[^\n]", " ", match.group(0))


class Source:
    """One file: its text, and the changes that can be made to each line."""

    def __init__(self, path):
        self.path = path
        with open(os.path.join(ROOT, path), encoding="utf-8") as f:
            self.text = f.read()
        self.lines = [0] + [m.end() for m in re.finditer("\n", self.text)]
        self.by_line = collections.defaultdict(lambda: collections.defaultdict(list))
        hidden = HIDDEN.sub(blank, self.text)
        # By the coding style only braces of functions stand alone in column 0.
        for body in re.finditer(r"^\{\n.*?^\}$", hidden, re.M | re.S):
            Body(self, hidden, body.start(), body.end()).find()

    def line_of(self, offset):
        return bisect.bisect_right(self.lines, offset)

    def add(self, kind, start, end, text):
        before = self.text[start:end]
        # Line numbers must not change: assert() writes them into the object.
        text += "\n" * (before.count("\n") - text.count("\n"))
        self.by_line[self.line_of(start)][kind].append(Change(kind, start, end, text))

    def apply(self, change):
        return self.text[:change.start] + change.text + self.text[change.end:]

    def describe(self, change):
        """Returns the lines of the change, before and after, each joined to one line."""
        first = self.lines[self.line_of(change.start) - 1]
        last = self.text.find("\n", change.end)
        before = self.text[first:last]
        after = self.text[first:change.start] + change.text + self.text[change.end:last]
        return " ".join(before.split()), " ".join(after.split())


class Body:
    """The tokens of one function, and a walk over its statements."""

    def __init__(self, source, hidden, start, end):
        self.source = source
        self.text = source.text
        self.tokens = [Token(m.lastgroup, m.group(), m.start(), m.end())
                       for m in TOKEN.finditer(hidden, start, end) if m.lastgroup != "space"]
        self.partner = {}
        stack = []
        for i, token in enumerate(self.tokens):
            if token.text in OPEN:
                stack.append(i)
            elif token.text in CLOSE and stack:
                self.partner[stack[-1]] = i
                self.partner[i] = stack.pop()
        self.frozen = set()  # tokens of declarations and assertions

    def word(self, i):
        return self.tokens[i].text if 0 <= i < len(self.tokens) else ""

    def span(self, first, last):
        return self.tokens[first].start, self.tokens[last].end

    def code(self, first, last):
        start, end = self.span(first, last)
        return self.text[start:end]

    def add(self, kind, first, last, text):
        self.source.add(kind, *self.span(first, last), text)

    def find(self):
        for i in range(len(self.tokens)):
            if self.starts_statement(i):
                self.statement(i)
        for i in range(len(self.tokens)):
            if i not in self.frozen:
                self.control(i)
                self.token(i)

    def starts_statement(self, i):
        before = self.word(i - 1)
        if self.word(i) in "{};":
            return False
        if before in (";", "{", "}", "else", "do"):
            # Not within the parentheses of a for, nor in an initializer's braces.
            return not self.inside_parentheses(i) or self.word(i - 1) == ";"
        if before == ":":
            return self.after_label(i)
        if before == ")" and i - 1 in self.partner:
            return self.word(self.partner[i - 1] - 1) in ("if", "for", "while", "switch") \
                and self.word(i) != ";"
        if before == "(":
            return self.word(i - 2) == "for"
        return False

    def inside_parentheses(self, i):
        depth = 0
        for j in range(i - 1, -1, -1):
            text = self.tokens[j].text
            if text in ")]":
                depth += 1
            elif text in "([":
                if depth == 0:
                    return True
                depth -= 1
            elif text in "{}" and depth == 0:
                return False
        return False

    def after_label(self, i):
        for j in range(i - 2, max(i - 12, -1), -1):
            if self.word(j) in ("case", "default"):
                return True
            if self.word(j) in ("?", ";", "{", "}"):
                return False
        return False

    def end_of(self, i):
        """Returns the indices of the semicolon and the first assignment of the statement at i."""
        assign = None
        while i < len(self.tokens):
            text = self.tokens[i].text
            if text in OPEN:
                i = self.partner.get(i, len(self.tokens))
            elif text == ";" or text in CLOSE:
                return i, assign
            elif text in ASSIGN and assign is None:
                assign = i
            i += 1
        return len(self.tokens) - 1, assign

    def statement(self, i):
        word = self.word(i)
        if word in ASSERTIONS:
            self.frozen.update(range(i, self.end_of(i)[0] + 1))
            return
        if word in KEYWORDS:
            return
        end, assign = self.end_of(i)
        if self.is_declaration(i):
            self.frozen.update(range(i, (end if assign is None else assign) + 1))
            return
        if self.word(end) != ";" or self.inside_parentheses(i):
            return
        if assign is not None:
            self.add("assignment deleted", i, end, ";")
        elif self.word(end - 1) == ")":
            self.add("call deleted", i, end, ";")
        elif self.word(end - 1) in ("++", "--"):
            self.add("assignment deleted", i, end, ";")

    def is_declaration(self, i):
        if self.word(i) in TYPE_WORDS:
            return True
        if self.tokens[i].kind != "name":
            return False
        if self.tokens[i + 1].kind == "name" and self.word(i + 1) not in KEYWORDS:
            return True
        return self.word(i + 1) == "*" and (self.tokens[i + 2].kind == "name" or
                                            self.word(i + 2) == "*")

    def control(self, i):
        word = self.word(i)
        if word in ("break", "continue") and self.word(i + 1) == ";":
            self.add(word + " deleted", i, i + 1, ";")
        elif word in ("if", "while") and self.word(i + 1) == "(":
            first, last = i + 2, self.partner[i + 1] - 1
            self.add("condition negated", first, last, "!(%s)" % self.code(first, last))
            self.add("condition forced", first, last, "0")
            if word == "if":
                self.add("condition forced", first, last, "1")
        elif word == "for" and self.word(i + 1) == "(":
            parts = [j for j in range(i + 2, self.partner[i + 1])
                     if self.word(j) == ";" and self.enclosing(j) == i + 1]
            if len(parts) == 2 and parts[0] + 1 < parts[1]:
                self.add("condition forced", parts[0] + 1, parts[1] - 1, "0")
        elif word == "return" and self.word(i + 1) != ";":
            self.returned(i + 1, self.end_of(i)[0] - 1)
        elif word == "?":
            self.choice(i)

    def enclosing(self, i):
        for j in range(i - 1, -1, -1):
            if self.tokens[j].text in OPEN and self.partner.get(j, -1) > i:
                return j
        return -1

    def returned(self, first, last):
        value = self.code(first, last)
        for text in ("0", "1", "!(%s)" % value, "(%s) + 1" % value):
            if value not in (text, {"0": "false", "1": "true"}.get(text)):
                self.add("return value", first, last, text)

    def choice(self, i):
        """a ? b : c becomes a ? c : b."""
        colon, depth, j = None, 0, i + 1
        while j < len(self.tokens):
            text = self.tokens[j].text
            if text in OPEN:
                j = self.partner.get(j, len(self.tokens))
            elif text == "?":
                depth += 1
            elif text == ":" and depth:
                depth -= 1
            elif text == ":" and colon is None:
                colon = j
            elif text in CLOSE or text in ";,":
                break
            j += 1
        if colon and j < len(self.tokens):
            self.add("choice exchanged", i + 1, j - 1,
                     "%s : %s" % (self.code(colon + 1, j - 1), self.code(i + 1, colon - 1)))

    def token(self, i):
        token = self.tokens[i]
        if token.kind == "number":
            self.constant(i)
        elif token.text in ("true", "false"):
            self.add("constant", i, i, "false" if token.text == "true" else "true")
        elif token.text == "!":
            self.add("negation deleted", i, i, "")
        elif token.text == "~":
            self.add("complement deleted", i, i, "")
        elif token.kind == "op" and not (token.text in AMBIGUOUS and not self.is_binary(i)):
            for kind, table in EXCHANGE.items():
                for other in table.get(token.text, ()):
                    self.add(kind, i, i, other)

    def is_binary(self, i):
        before, after = self.tokens[i - 1], self.word(i + 1)
        if after in ("", ")", ",", ";"):
            return False
        if before.kind == "name":
            return before.text not in KEYWORDS
        return before.kind == "number" or before.text in ")]"

    def constant(self, i):
        match = re.fullmatch(r"(0[xX][0-9a-fA-F]+|[0-9]+)([uUlL]*)", self.word(i))
        if not match or (self.word(i - 1), self.word(i + 1)) == ("{", "}"):
            return  # {0} only zeroes the whole object
        digits, suffix = match.groups()
        value = int(digits, 16 if digits[:2] in ("0x", "0X") else 10)
        form = "0x%x" if digits[:2] in ("0x", "0X") else "%d"
        for other in sorted({value + 1, value - 1, 0, 1} - {value}):
            if other >= 0:
                self.add("constant", i, i, form % other + suffix)


Mutant = collections.namedtuple("Mutant", "number source line change")


def sequence(files, seed, every):
    """Returns the mutants in the seed's order: one change of each line, or every change."""
    rng = random.Random(seed)
    lines = [(source, line) for source in files for line in sorted(source.by_line)]
    rng.shuffle(lines)
    found = []
    for source, line in lines:
        kinds = source.by_line[line]
        if every:
            chosen = [change for kind in sorted(kinds) for change in kinds[kind]]
        else:
            chosen = [rng.choice(kinds[rng.choice(sorted(kinds))])]
        found += [Mutant(len(found) + n, source, line, c) for n, c in enumerate(chosen, 1)]
    return found
