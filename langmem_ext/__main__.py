"""`python -m langmem_ext`: the command line."""

from __future__ import annotations

import sys

from langmem_ext.cli.app import main

if __name__ == "__main__":
    sys.exit(main())
