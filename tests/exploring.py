"""How many examples of hypothesis a test draws."""

from hypothesis import settings


def draws(usual: int) -> int:
    """As many as usual, or ten times as many where `make fuzz` explores."""
    profile = settings.get_profile("labelsieve")
    return usual * settings().max_examples // profile.max_examples
