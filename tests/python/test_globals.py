"""Globals of a program live as long as the program: runs see what earlier ones stored, and initializers run once."""
import threading

import numpy as np
import pytest

import noria

COUNTS = b"""
util.global private mutable @count = 0 : i64
util.global private mutable @sums : tensor<2xf32>
util.global private mutable @initialized = 0 : i64
util.initializer {
  %n = util.global.load @initialized : i64
  %one = arith.constant 1 : i64
  %next = arith.addi %n, %one : i64
  util.global.store %next, @initialized : i64
  %t = arith.constant dense<[10.0, 20.0]> : tensor<2xf32>
  util.global.store %t, @sums : tensor<2xf32>
  util.return
}
util.func @main(%x: tensor<2xf32>) -> (i64, i64, tensor<2xf32>) {
  %n = util.global.load @count : i64
  %one = arith.constant 1 : i64
  %next = arith.addi %n, %one : i64
  util.global.store %next, @count : i64
  %t = util.global.load @sums : tensor<2xf32>
  %sum = arith.addf %t, %x : tensor<2xf32>
  util.global.store %sum, @sums : tensor<2xf32>
  %i = util.global.load @initialized : i64
  util.return %next, %i, %sum : i64, i64, tensor<2xf32>
}
"""

# The first run of the initializer fails, because @tries is 0 then.
FAILS = b"""
util.global private mutable @tries = 0 : i64
util.global private mutable @value = 0 : i64
util.initializer {
  %n = util.global.load @tries : i64
  %one = arith.constant 1 : i64
  %next = arith.addi %n, %one : i64
  util.global.store %next, @tries : i64
  %zero = arith.constant 0 : i64
  %ok = arith.cmpi ne, %n, %zero : i64
  cf.assert %ok, "not yet"
  util.global.store %next, @value : i64
  util.return
}
util.func @main() -> i64 {
  %v = util.global.load @value : i64
  util.return %v : i64
}
"""


def test_state_lasts_and_is_of_one_program():
    first, other = noria.InferenceSession(COUNTS), noria.InferenceSession(COUNTS)
    x = np.float32([1, 2])
    for k in range(1, 4):
        count, initialized, sums = first.run(None, {"x": x})
        assert (count, initialized) == (k, 1)
        np.testing.assert_array_equal(sums, [10 + k, 20 + 2 * k])
    assert other.run(None, {"x": x})[0] == 1


def test_threads_initialize_once():
    session = noria.InferenceSession(COUNTS)
    seen = []
    start = threading.Barrier(8)

    def run():
        start.wait()
        seen.append(int(session.run(None, {"x": np.zeros(2, np.float32)})[1]))

    threads = [threading.Thread(target=run) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [1] * 8


def test_an_initializer_that_fails_runs_again():
    session = noria.InferenceSession(FAILS)
    with pytest.raises(Exception, match="not yet"):
        session.run(None, {})
    assert session.run(None, {})[0] == 2
    assert session.run(None, {})[0] == 2
