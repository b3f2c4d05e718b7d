"""Parts that are young: their names and results may change in any release.

They are tested and have pages as all others do. The docstring of each module says after *Experimental* what it must show before it
moves out of here; `docs/experimental.md` has the parts of the command line and of C++, too.
"""
