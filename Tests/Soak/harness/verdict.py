"""How a scenario ends other than well."""


class Broken(Exception):
    """A promise was not kept; the text says which, and what was seen."""


class Missing(Exception):
    """This machine lacks what the scenario needs; the text says what."""


def hold(condition, text):
    """Ends the scenario where a promise does not hold."""
    if not condition:
        raise Broken(text)
