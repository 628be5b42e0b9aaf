"""CPython's own tests of ctypes: ctypes_suite.py TESTS [SEAL OMITTED...]. SEAL is a library with the function seal(), which is
called after all tests are imported and slots are reserved. Tests whose names begin with OMITTED do not run."""

import ctypes
import sys
import unittest

tests, seal, omitted = sys.argv[1], sys.argv[2:3], tuple(sys.argv[3:])


def each(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from each(test)
        else:
            yield test


suite = unittest.TestLoader().discover(tests, top_level_dir=tests.removesuffix("/ctypes/test"))
chosen = [test for test in each(suite) if not test.id().startswith(omitted)] if omitted else list(each(suite))
if seal:
    ctypes.CDLL("libm.so.6")
    here = ctypes.CDLL(None)
    assert not hasattr(here, "shim_reserve") or here.shim_reserve(ctypes.c_size_t(4096)) == 0
    assert ctypes.CDLL(seal[0]).seal() == 0
result = unittest.TextTestRunner(verbosity=0).run(unittest.TestSuite(chosen))
print(f"{result.testsRun} tests, {len(result.skipped)} skipped, {len(result.failures + result.errors)} failed")
sys.exit(not result.wasSuccessful() or result.testsRun < 400)
