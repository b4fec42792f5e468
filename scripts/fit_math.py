#!/usr/bin/env python3
"""Finds the polynomials of src/pass/expand/math_f32.c, math_trig.c and math_pow.c: minimax fits by Lawson's reweighted
least squares, in long double.

Prints each polynomial's coefficients, lowest power first, rounded to f32 (of math_pow.c to f64), and its largest error
in units of 2^-24."""
import math

import numpy as np

L = np.longdouble


def fit(f, weight, low, high, degree, rounds=60, rounded_to=np.float32):
    """Coefficients of p with the smallest largest |p - f| * weight on [low, high]."""
    n = 4000
    x = (L(low + high) / 2) + (L(high - low) / 2) * np.cos(np.pi * (np.arange(n, dtype=L) + L(0.5)) / n)
    y, w = f(x), weight(x)
    scale = L(max(abs(low), abs(high)))
    basis = np.stack([(x / scale) ** k for k in range(degree + 1)], axis=1)
    lawson = np.ones(n, dtype=L)
    best = None
    for _ in range(rounds):
        ww = w * np.sqrt(lawson)
        a = (basis * ww[:, None]).astype(np.float64)
        c = np.linalg.lstsq(a, (y * ww).astype(np.float64), rcond=None)[0].astype(L)
        # One step of refinement, the residual being in long double.
        c += np.linalg.lstsq(a, ((y - basis @ c) * ww).astype(np.float64), rcond=None)[0].astype(L)
        error = np.abs(basis @ c - y) * w
        if best is None or error.max() < best[0]:
            best = (error.max(), c)
        lawson *= error
        lawson /= lawson.sum()
    coefficients = [rounded_to(c / scale**k) for k, c in enumerate(best[1])]
    rounded = sum(L(c) * x**k for k, c in enumerate(coefficients))
    return coefficients, float((np.abs(rounded - y) * w).max()) * 2**24


def erf_series(x):
    total = term = L(1)
    for k in range(1, 120):
        term = -term * x * x / k
        total = total + term / (2 * k + 1)
    return total * 2 / np.sqrt(L(math.pi))  # erf(x) / x


def erfc_fraction(x):
    value = x * 0
    for k in range(400, 0, -1):
        value = (L(k) / 2) / (x + value)
    return np.exp(-x * x) / (x + value) / np.sqrt(L(math.pi))


def erfc_log(x):
    """-log(erfc(x)) / x for x around 1 and above."""
    low = -np.log(1 - x * erf_series(np.minimum(x, L(2.2)))) / x
    high = -np.log(erfc_fraction(np.maximum(x, L(1.5)))) / x
    return np.where(x < 1.8, low, high)


def show(name, result):
    print(f"{name}: error {result[1]:.3f} of 2^-24")
    print("  {" + ", ".join(f"{float(c).hex()}f" for c in result[0]) + "}")


half = math.log(2) / 2
show("exp: (e^r - 1 - r) / r^2", fit(lambda r: np.where(r == 0, L(0.5), (np.expm1(r) - r) / (r * r)),
                                     lambda r: r * r / np.exp(r), -half * 1.01, half * 1.01, 4))
show("exp2: (2^r - 1) / r", fit(lambda r: np.expm1(r * np.log(L(2))) / r, lambda r: np.abs(r) / np.exp2(r), -0.505,
                                0.505, 6))
show("tanh: (r / tanh(r) - 1) / r^2 over r^2", fit(lambda t: (np.sqrt(t) / np.tanh(np.sqrt(t)) - 1) / t,
                                                   lambda t: t, 1e-6, 0.25**2, 1))
low, high = math.sqrt(0.5) - 1, math.sqrt(2) - 1
show("log: (log(1+f) - f + f^2/2) / f^3", fit(lambda f: (np.log1p(f) - f + f * f / 2) / f**3,
                                               lambda f: np.abs(f**3 / np.log1p(f)), low, high, 8))
show("erf: (erf(x)/x - 1) over x^2", fit(lambda t: erf_series(np.sqrt(t)) - 1, lambda t: 1 / erf_series(np.sqrt(t)),
                                         1e-12, 0.93**2, 6))
show("erf: -log(erfc(x)) / x", fit(erfc_log, lambda x: x * np.exp(-x * erfc_log(x)), 0.92, 4.0, 8))
quarter = (math.pi / 4 * 1.01) ** 2
show("sin: (sin(r) - r) / r^3 over r^2", fit(lambda t: (np.sin(np.sqrt(t)) - np.sqrt(t)) / (t * np.sqrt(t)),
                                             lambda t: t, 1e-4, quarter, 3))
show("cos: (cos(r) - 1 + r^2/2) / r^4 over r^2", fit(lambda t: (np.cos(np.sqrt(t)) - 1 + t / 2) / (t * t),
                                                     lambda t: t * t, 1e-2, quarter, 3))
top = ((math.sqrt(2) - 1) / (math.sqrt(2) + 1)) ** 2
over_ln2 = 2 / np.log(L(2))
show("pow: log2((1 + f) / (1 - f)) / f over f^2",
     fit(lambda t: over_ln2 * np.arctanh(np.sqrt(t)) / np.sqrt(t), lambda t: np.sqrt(t) / np.arctanh(np.sqrt(t)), 1e-9,
         top, 5, rounded_to=np.float64))
show("pow: 2^r", fit(np.exp2, lambda r: 1 / np.exp2(r), -0.5, 0.5, 7, rounded_to=np.float64))
