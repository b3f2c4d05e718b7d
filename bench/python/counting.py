"""What a method asks of its user, read off its code."""
import ast
import inspect
import textwrap


def lines_of_code(function):
    """Lines of the body that are not blank, comments or a docstring."""
    definition = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    source = textwrap.dedent(inspect.getsource(function)).splitlines()
    body = definition.body[1:] if ast.get_docstring(definition) else definition.body
    lines = source[body[0].lineno - 1:]
    return sum(1 for line in lines if line.strip() and not line.strip().startswith("#"))


def chosen_by_hand(function):
    parameters = inspect.signature(function).parameters.values()
    return [parameter.name for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY]
