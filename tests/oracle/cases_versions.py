# SPDX-License-Identifier: Apache-2.0
"""Symbol versions: needed by files, and bound by references; DT_RELR; program start as `ldd -r`."""

from cases import Case, Driver, Link, Want, lib, program
from cases_dlopen import BAD, OK
from cases_search import A, X, both
from elfgen import Symbol, VersionNeed, undefined

V1 = [VersionNeed("libv.so", "V1")]


def provider(*versions, symbols=(), **fields):
    return lib("libv.so", verdefs=list(versions), symbols=list(symbols), **fields)


def user(needs, *symbols, **fields):
    return lib("liba.so", "libv.so", verneeds=list(needs), symbols=list(symbols), runpath="/p",
               **fields)


def opened(row, name, providers, consumer, glibc, musl=None, steps=("now@/p/liba.so",)):
    """The consumer is opened by dlopen."""
    files = {X: Driver(), "/p/liba.so": consumer}
    files.update({f"/p/{n}": p for n, p in providers.items()} if isinstance(providers, dict)
                 else {"/p/libv.so": providers})
    return Case(row, name, files, glibc=glibc, musl=musl, steps=steps)


LOADED = Want(["/p/liba.so", "/p/libv.so"], steps=[OK])
NO_VERSION = Want([], fails=["version"], steps=[BAD])
NO_SYMBOL = Want([], fails=["symbol"], steps=[BAD])

NEEDS = [
    opened("49", "a_version_that_the_provider_lacks_is_fatal", provider("V2"), user(V1),
           NO_VERSION, LOADED),
    opened("49", "a_version_that_the_provider_has", provider("V1", "V2"), user(V1), LOADED, LOADED),
    opened("2.14", "a_weak_version_may_be_lacking", provider("V2"),
           user([VersionNeed("libv.so", "V1", weak=True)]), LOADED, LOADED),
    opened("2.14", "one_of_two_versions_lacks", provider("V1"),
           user([*V1, VersionNeed("libv.so", "V9")]), NO_VERSION, LOADED),
    opened("2.14", "a_wrong_hash_is_another_version", provider("V1"),
           user([VersionNeed("libv.so", "V1", hash=4711)]), NO_VERSION, LOADED),
    opened("2.14", "versions_are_needed_of_the_object_of_that_soname_wherever_it_came_from",
           {"sub/libv.so": provider("V2")}, user(V1), Want(["/p/sub/libv.so"], fails=["version"],
                                                          steps=[OK, BAD]),
           steps=("now@/p/sub/libv.so", "now@/p/liba.so")),
    opened("2.14", "a_failure_deep_in_the_tree_fails_the_whole_step",
           {"libv.so": provider("V2"), "libt.so": lib("libt.so", "liba.so", runpath="/p")},
           user(V1), NO_VERSION, steps=("now@/p/libt.so",)),
    opened("tst-relr", "relr_needs_the_marker_version_beside_a_version_of_glibc", {},
           lib("liba.so", "libc.so.6", verneeds=[VersionNeed("libc.so.6", "GLIBC_2.2.5")], relr=True),
           NO_VERSION, Want(["/p/liba.so"], steps=[OK])),
    opened("tst-relr", "relr_with_the_marker_version", {},
           lib("liba.so", "libc.so.6", relr=True,
               verneeds=[VersionNeed("libc.so.6", "GLIBC_2.2.5"),
                         VersionNeed("libc.so.6", "GLIBC_ABI_DT_RELR")]),
           Want(["/p/liba.so"], steps=[OK]), Want(["/p/liba.so"], steps=[OK])),
    opened("tst-relr", "relr_beside_versions_of_others_is_accepted", provider("V1"),
           user(V1, relr=True), LOADED, LOADED),
    opened("tst-relr", "relr_without_any_version_information_is_accepted", provider(),
           lib("liba.so", "libv.so", runpath="/p", relr=True), LOADED, LOADED),
    Case("49", "a_missing_version_at_program_start",
         {X: program("liba.so", runpath="/p"), "/p/liba.so": user(V1), "/p/libv.so": provider("V2")},
         glibc=Want(["/p/liba.so", "/p/libv.so"], fails=["version"]),
         musl=Want(["/p/liba.so", "/p/libv.so"])),
    Case("49", "two_missing_versions_at_program_start",
         {X: program("liba.so", "libv.so", runpath="/p", verneeds=[VersionNeed("libv.so", "V7")]),
          "/p/liba.so": user(V1), "/p/libv.so": provider("V2")},
         glibc=Want(["/p/liba.so", "/p/libv.so"], fails=["version", "version"])),
    Case("49", "a_version_of_a_file_that_is_missing",
         {X: program("liba.so", runpath="/p"), "/p/liba.so": user(V1)},
         glibc=Want(["/p/liba.so"], missing=["libv.so"]),
         musl=Want(["/p/liba.so"], missing=["libv.so"])),
    Case("50", "a_provider_without_versions_at_program_start",
         {X: program("liba.so", runpath="/p"), "/p/liba.so": user(V1), "/p/libv.so": provider()},
         glibc=Want(["/p/liba.so", "/p/libv.so"]), musl=Want(["/p/liba.so", "/p/libv.so"])),
    Case("tst-sonamemove", "versions_needed_of_a_file_whose_need_was_answered_by_soname",
         {X: program("libw.so", "liba.so", runpath="/p"), "/p/libw.so": provider("V1"),
          "/p/liba.so": lib("liba.so", "libv.so", verneeds=list(V1), runpath="/n")},
         glibc=Want(["/p/libw.so", "/p/liba.so"])),
]


def f(*more, **fields):
    return Symbol("f", *more, **fields)


USE_V1 = undefined("f", version="V1")
USE = undefined("f")
BINDING = [
    opened("2.15", "a_versioned_reference_finds_its_version",
           provider("V1", "V2", symbols=[f(version="V1", hidden=True), f(version="V2")]),
           user(V1, USE_V1), LOADED, LOADED),
    opened("2.15", "a_versioned_reference_does_not_take_another_version",
           provider("V1", "V2", symbols=[f(version="V2")]), user(V1, USE_V1), NO_SYMBOL, LOADED),
    opened("2.15", "a_versioned_reference_takes_a_hidden_version",
           provider("V1", symbols=[f(version="V1", hidden=True)]), user(V1, USE_V1), LOADED,
           NO_SYMBOL),
    opened("2.15", "an_unversioned_reference_takes_the_oldest_even_if_hidden",
           provider("V1", "V2", symbols=[f(version="V1", hidden=True), f(version="V2")]),
           lib("liba.so", "libv.so", symbols=[USE], runpath="/p"), LOADED, LOADED),
    opened("2.15", "an_unversioned_reference_takes_a_hidden_oldest_alone",
           provider("V1", symbols=[f(version="V1", hidden=True)]),
           lib("liba.so", "libv.so", symbols=[USE], runpath="/p"), LOADED,
           NO_SYMBOL),
    opened("2.15", "an_unversioned_reference_never_takes_a_hidden_later_version",
           provider("V1", "V2", symbols=[f(version="V2", hidden=True)]),
           lib("liba.so", "libv.so", symbols=[USE], runpath="/p"), NO_SYMBOL,
           NO_SYMBOL),
    opened("2.15", "an_unversioned_reference_takes_the_only_later_version",
           provider("V1", "V2", symbols=[f(version="V2")]),
           lib("liba.so", "libv.so", symbols=[USE], runpath="/p"), LOADED, LOADED),
    opened("2.15", "an_unversioned_reference_does_not_choose_among_two_later_versions",
           provider("V1", "V2", "V3", symbols=[f(version="V2"), f(version="V3")]),
           lib("liba.so", "libv.so", symbols=[USE], runpath="/p"), NO_SYMBOL,
           LOADED),
    opened("2.15", "an_unversioned_reference_takes_the_base_definition",
           provider("V1", symbols=[f()]), lib("liba.so", "libv.so", symbols=[USE], runpath="/p"),
           LOADED, LOADED),
    opened("2.15", "a_reference_of_an_object_with_versions_to_an_unversioned_symbol",
           provider("V1", symbols=[f(version="V1")]), user(V1, USE), LOADED, LOADED),
    opened("2.15", "a_versioned_reference_accepts_an_object_without_versions",
           {"libv.so": provider("V1"), "libw.so": lib("libw.so", symbols=[f()])},
           lib("liba.so", "libw.so", "libv.so", verneeds=list(V1), symbols=[USE_V1], runpath="/p"),
           Want(["/p/liba.so", "/p/libw.so", "/p/libv.so"], steps=[OK])),
    opened("2.15", "a_versioned_reference_and_the_base_definition_of_a_versioned_object",
           {"libv.so": provider("V1"), "libw.so": lib("libw.so", verdefs=["W1"], symbols=[f()])},
           lib("liba.so", "libw.so", "libv.so", verneeds=list(V1), symbols=[USE_V1], runpath="/p"),
           Want(["/p/liba.so", "/p/libw.so", "/p/libv.so"], steps=[OK])),
    opened("2.15", "a_version_of_another_file_serves_too",
           {"libv.so": provider("V1"),
            "libw.so": lib("libw.so", verdefs=["V1"], symbols=[f(version="V1")])},
           lib("liba.so", "libw.so", "libv.so", verneeds=list(V1), symbols=[USE_V1], runpath="/p"),
           Want(["/p/liba.so", "/p/libw.so", "/p/libv.so"], steps=[OK])),
    opened("tst-version-hash-zero", "a_version_whose_hash_is_zero",
           provider("PPPPPPPPPPPP", symbols=[]), user([VersionNeed("libv.so", "PPPPPPPPPPPP", hash=0)]),
           LOADED),
    opened("2.15", "a_data_reference_to_a_function_symbol",
           provider(symbols=[f()]), lib("liba.so", "libv.so", runpath="/p",
                                        symbols=[undefined("f", "data")]), LOADED, LOADED),
    opened("2.15", "a_tls_reference_to_a_tls_symbol_of_another_library",
           provider(tls=16, symbols=[Symbol("t", "tls", bound=False)]),
           lib("liba.so", "libv.so", runpath="/p", symbols=[undefined("t", "tls")]),
           LOADED, Want([], fails=["tls"], steps=[BAD])),
    opened("2.15", "a_local_symbol_is_invisible",
           provider(symbols=[f(bind="local")]), lib("liba.so", "libv.so", runpath="/p",
                                                    symbols=[USE]), NO_SYMBOL,
           NO_SYMBOL),
    opened("2.15", "an_undefined_symbol_does_not_define",
           provider(symbols=[undefined("f", bound=False)]),
           lib("liba.so", "libv.so", runpath="/p", symbols=[USE]), NO_SYMBOL, NO_SYMBOL),
    opened("2.15", "a_weak_definition_defines",
           provider(symbols=[f(bind="weak")]), lib("liba.so", "libv.so", runpath="/p",
                                                   symbols=[USE]), LOADED, LOADED),
    opened("2.15", "a_weak_versioned_reference_may_find_nothing",
           provider("V1"), user(V1, undefined("f", bind="weak", version="V1")), LOADED, LOADED),
    opened("2.15", "an_unversioned_symbol_of_a_library_of_the_program",
           provider(symbols=[f()]), lib("liba.so", runpath="/p", symbols=[USE]),
           Want(["/p/libv.so", "/p/liba.so"], steps=[OK, OK]),
           steps=("now,global@/p/libv.so", "lazy@/p/liba.so")),
]


def told(name, needs, program_needs, order):
    """Libraries (`a` is /p/liba.so) that each need others and miss a symbol."""
    files = {f"/p/lib{one}.so": lib(f"lib{one}.so", *[f"lib{other}.so" for other in others], runpath="/p",
                                    symbols=[undefined("f" + one)]) for one, others in needs.items()}
    files[X] = program(*[f"lib{one}.so" for one in program_needs], runpath="/p")
    return Case("dso-sort", name, files, symbols=True,
                glibc=Want(None, fails=["symbol"] * len(needs), tells=[f"/p/lib{one}.so" for one in order]))


START = [
    Case("2.15", "ldd_r_lists_each_undefined_symbol",
         {X: program("liba.so", runpath="/p", symbols=[undefined("g"), undefined("d", "data")]),
          "/p/liba.so": lib("liba.so", symbols=[undefined("h"), Symbol("k")])}, symbols=True,
         glibc=Want(["/p/liba.so"], fails=["symbol"] * 3),
         musl=Want(["/p/liba.so"], fails=["symbol"] * 3)),
    Case("2.15", "ldd_r_and_a_missing_library",
         {X: program("liba.so", "libq.so", runpath="/p", symbols=[undefined("g")]),
          "/p/liba.so": A}, symbols=True,
         glibc=Want(["/p/liba.so"], missing=["libq.so"], fails=["symbol"]),
         musl=Want(["/p/liba.so"], missing=["libq.so"], fails=["symbol"])),
    Case("2.15", "ldd_r_without_a_loss",
         {X: program("liba.so", runpath="/p", symbols=[undefined("g"), undefined("w", bind="weak")]),
          "/p/liba.so": lib("liba.so", symbols=[Symbol("g")])}, symbols=True, **both("/p/liba.so")),
    Case("2.15", "a_preload_serves_symbols_of_all",
         {X: program("liba.so", runpath="/p"), "/p/liba.so": lib("liba.so", symbols=[USE]),
          "/q/libpre.so": lib("libpre.so", symbols=[f()])}, env={"LD_PRELOAD": "/q/libpre.so"},
         symbols=True, **both("/q/libpre.so", "/p/liba.so")),
    Case("2.15", "ldd_r_and_a_version_that_is_not_defined",
         {X: program("libv.so", runpath="/p", verneeds=list(V1), symbols=[USE_V1]),
          "/p/libv.so": provider("V1", "V2", symbols=[f(version="V2")])}, symbols=True,
         glibc=Want(["/p/libv.so"], fails=["symbol"]), musl=Want(["/p/libv.so"])),
    Case("2.15", "ldd_r_and_a_version_of_a_miss_that_an_earlier_object_answers_later",
         {X: program("libv.so", "/p/liba.so", verneeds=list(V1), symbols=[USE_V1]),
          "/p/liba.so": lib("liba.so", "libv.so", runpath="/q"), "/q/libv.so": Link("../r/pre.so"),
          "/r/pre.so": lib("pre.so", verdefs=["V1", "V2"], symbols=[f(version="V2")])},
         env={"LD_PRELOAD": "/r/pre.so"}, symbols=True,
         glibc=Want(["/r/pre.so", "/p/liba.so"], missing=["libv.so"], fails=["symbol"])),
    Case("2.15", "ldd_r_and_a_version_of_a_miss_that_a_later_object_answers",
         {X: program("libv.so", "/p/liba.so", verneeds=list(V1), symbols=[USE_V1]),
          "/p/liba.so": lib("liba.so", "libv.so", runpath="/q"),
          "/q/libv.so": provider("V1", "V2", symbols=[f(version="V2")])}, symbols=True,
         glibc=Want(["/p/liba.so", "/q/libv.so"], missing=["libv.so"])),
    told("messages_come_first_from_what_others_need", {"a": "c", "b": "", "c": "b"}, "ab", "bca"),
    told("messages_of_a_cycle", {"a": "b", "b": "a", "c": ""}, "abc", "cab"),
    told("messages_of_a_cycle_of_three", {"a": "b", "b": "c", "c": "ad", "d": ""}, "ad", "badc"),
    told("messages_of_two_cycles_with_a_common_object", {"a": "bc", "b": "a", "c": "da", "d": "c"}, "acbd", "bacd"),
    Case("2.15", "without_symbols_asked_for_nothing_is_bound",
         {X: program("liba.so", runpath="/p", symbols=[undefined("g")]), "/p/liba.so": A},
         **both("/p/liba.so")),
    Case("2.15", "a_symbol_that_a_later_dlopen_finds_in_the_programs_libraries",
         {X: Driver(needed=("/p/libv.so",)), "/p/libv.so": provider(symbols=[f()]),
          "/p/liba.so": lib("liba.so", symbols=[USE])}, steps=("now@/p/liba.so",),
         **both("/p/libv.so", "/p/liba.so", steps=[OK])),
]
