"""``python -m labelsieve`` is the command ``labelsieve``."""

import sys

from labelsieve.cli import main

if __name__ == "__main__":
    sys.exit(main())
