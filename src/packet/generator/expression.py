"""Expressions of the table, in Python's spelling, and what they are in the other languages.

Numbers are whole and signed. Beside arithmetic, comparisons, and/or/not and `a if c else b` there are
    has(mask, n)        bit n of the mask is set
    has_all(mask, bits) all of these bits are set
    power(n)            2 to the n
    low_bits(value, n)  the lowest n bits
    is_refusal(n)       n is the number of a cause that refuses
"""
import ast

FUNCTIONS = {"has", "has_all", "power", "low_bits", "is_refusal"}
COMPARE = {ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
ARITHMETIC = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}


def names(text):
    """The names that it uses, functions apart."""
    return {node.id for node in ast.walk(ast.parse(text, mode="eval"))
            if isinstance(node, ast.Name)} - FUNCTIONS


def evaluate(text, values, is_refusal):
    functions = {"has": lambda mask, n: mask >> n & 1 == 1, "has_all": lambda mask, bits: mask & bits == bits,
                 "power": lambda n: 1 << n, "low_bits": lambda value, n: value % (1 << n),
                 "is_refusal": is_refusal}
    return eval(text, {"__builtins__": {}}, {**functions, **values})  # the table is ours


class Language:
    """How a language spells what differs."""

    def __init__(self, both, either, negate, not_equal, choose, number, name, call, is_lua=False):
        self.both, self.either, self.negate, self.not_equal = both, either, negate, not_equal
        self.choose, self.number, self.name, self.call, self.is_lua = choose, number, name, call, is_lua

    def write(self, text):
        # The outermost parentheses say nothing.
        out = self.node(ast.parse(text, mode="eval").body)
        return out[1:-1] if out.startswith("(") and _closes_last(out) else out

    def node(self, node):
        if isinstance(node, ast.BoolOp):
            word = self.both if isinstance(node.op, ast.And) else self.either
            return "(" + f" {word} ".join(self.node(value) for value in node.values) + ")"
        if isinstance(node, ast.UnaryOp):
            if isinstance(node.op, ast.Not):
                return f"{self.negate}{self.node(node.operand)}"
            return f"(-{self.node(node.operand)})"
        if isinstance(node, ast.Compare):
            sign = COMPARE[type(node.ops[0])]
            sign = self.not_equal if sign == "!=" else sign
            return f"({self.node(node.left)} {sign} {self.node(node.comparators[0])})"
        if isinstance(node, ast.IfExp):
            return self.choose.format(self.node(node.test), self.node(node.body), self.node(node.orelse))
        if isinstance(node, ast.BinOp):
            return self.binary(node)
        if isinstance(node, ast.Call):
            return self.call(node.func.id) + "(" + ", ".join(self.node(a) for a in node.args) + ")"
        if isinstance(node, ast.Constant):
            return self.number(node.value)
        return self.name(node.id)

    def binary(self, node):
        left = self.node(node.left)
        if isinstance(node.op, (ast.FloorDiv, ast.Mod)):
            divisor = node.right.value  # a power of two: gates and processors shift
            assert divisor & (divisor - 1) == 0
            if self.is_lua:
                whole = f"math.floor({left} / {divisor})"
                return whole if isinstance(node.op, ast.FloorDiv) else f"({left} % {divisor})"
            if isinstance(node.op, ast.FloorDiv):
                return f"({left} >> {divisor.bit_length() - 1})"
            return f"({left} & {self.number(divisor - 1)})"
        return f"({left} {ARITHMETIC[type(node.op)]} {self.node(node.right)})"


def _closes_last(text):
    depth = 0
    for at, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if depth == 0:
            return at == len(text) - 1
    return False
