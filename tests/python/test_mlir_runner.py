"""Random programs give in MLIR, lowered by mlir-opt and run by mlir-runner, what they give in Noria."""
import pytest

from mlir_runner import BUILD, MLIR_OPT, MLIR_RUNNER, RUNTIME, NotComparable, compare

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(None in (MLIR_OPT, MLIR_RUNNER, RUNTIME), reason="mlir-opt-22 or mlir-runner is not installed"),
    pytest.mark.skipif(not (BUILD / "tests" / "programs").exists(), reason="the generator is not built"),
]


@pytest.mark.parametrize("family,seeds", [("loops", range(1, 41)), ("tensors", range(1, 25))])
def test_programs_give_what_mlir_gives(family, seeds):
    compared = 0
    for seed in seeds:
        try:
            compare(seed, family)
            compared += 1
        except NotComparable:
            pass
    assert compared >= len(seeds) // 4, "MLIR could run hardly any of the programs"
