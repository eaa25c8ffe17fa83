# SPDX-License-Identifier: Apache-2.0
"""Every behaviour of the loaders that the emulation must show, asked of the real loaders too."""

import unittest

import cases
import cases_cache
import cases_dlopen
import cases_search
import cases_versions


class Search(cases.CaseTest):
    """Search paths, names and identity."""


class Tokens(cases.CaseTest):
    """$ORIGIN, $LIB, $PLATFORM."""


class Candidates(cases.CaseTest):
    """Files on the path that are not what they should be."""


class Cache(cases.CaseTest):
    """ld.so.cache, made by the real ldconfig."""


class Hardware(cases.CaseTest):
    """glibc-hwcaps and the legacy hardware directories, by the CPU of this machine."""


class Preload(cases.CaseTest):
    """LD_PRELOAD and /etc/ld.so.preload."""


class Filters(cases.CaseTest):
    """DT_AUXILIARY and DT_FILTER."""


class Musl(cases.CaseTest):
    """What only musl does."""


class Dlopen(cases.CaseTest):
    """dlopen: whose search path counts, and what stays."""


class Refusals(cases.CaseTest):
    """What dlopen refuses."""


class Binding(cases.CaseTest):
    """Which symbols a dlopen must find."""


class Versions(cases.CaseTest):
    """Versions that files need."""


class VersionedSymbols(cases.CaseTest):
    """Versions of references and definitions."""


class ProgramStart(cases.CaseTest):
    """Symbols bound at program start, as `ldd -r` does."""


cases.add_cases(Search, cases_search.PATHS)
cases.add_cases(Tokens, cases_search.TOKENS)
cases.add_cases(Candidates, cases_search.CANDIDATES)
cases.add_cases(Cache, cases_cache.CACHE)
cases.add_cases(Hardware, cases_cache.HARDWARE)
cases.add_cases(Preload, cases_cache.PRELOAD)
cases.add_cases(Filters, cases_cache.FILTERS)
cases.add_cases(Musl, cases_cache.MUSL)
cases.add_cases(Dlopen, cases_dlopen.SEARCH)
cases.add_cases(Refusals, cases_dlopen.EMPTY_OR_BAD)
cases.add_cases(Binding, cases_dlopen.SYMBOLS)
cases.add_cases(Versions, cases_versions.NEEDS)
cases.add_cases(VersionedSymbols, cases_versions.BINDING)
cases.add_cases(ProgramStart, cases_versions.START)

if __name__ == "__main__":
    unittest.main()
