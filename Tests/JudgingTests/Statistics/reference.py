#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes reference.json: what scipy, numpy and plain definitions answer, for the Swift tests to agree with.

Needs scipy, numpy and statsmodels; the Holm correction and the random effects are those of statsmodels.
"""
import itertools
import json
import math
import pathlib
from fractions import Fraction

import numpy as np
from scipy import optimize, stats
from statsmodels.stats.meta_analysis import combine_effects
from statsmodels.stats.multitest import multipletests

random = np.random.default_rng(20240229)


def has_ties(base, head):
    together = list(base) + list(head)
    return len(set(together)) < len(together)


def counted(base, head):
    """The p-values of the midrank sum by counting all splits in whole numbers, however many there are."""
    ranks = [int(r) for r in 2 * stats.rankdata(np.concatenate([base, head]))]
    found = sum(ranks[len(base):])
    counts = [{0: 1}] + [{} for _ in head]
    for rank in ranks:
        for size in range(len(head), 0, -1):
            for total, ways in counts[size - 1].items():
                counts[size][total + rank] = counts[size].get(total + rank, 0) + ways
    every = math.comb(len(ranks), len(head))
    greater = Fraction(sum(ways for total, ways in counts[-1].items() if total >= found), every)
    less = Fraction(sum(ways for total, ways in counts[-1].items() if total <= found), every)
    return {"greater": float(greater), "less": float(less), "twoSided": float(min(1, 2 * min(greater, less)))}


def comparison(name, base, head):
    base, head = [float(v) for v in base], [float(v) for v in head]
    answer = {"name": name, "base": base, "head": head, "hasTies": has_ties(base, head)}
    answer["u"] = float(stats.mannwhitneyu(head, base).statistic)
    answer |= counted(base, head)
    if not answer["hasTies"]:
        for key, alternative in (("greater", "greater"), ("less", "less"), ("twoSided", "two-sided")):
            scipys = stats.mannwhitneyu(head, base, alternative=alternative, method="exact").pvalue
            assert math.isclose(scipys, answer[key], rel_tol=1e-9), (name, key)
    answer["shift"] = float(np.median(np.subtract.outer(head, base)))
    return answer


def comparisons():
    def lognormal(size, cv, change=0.0):
        return 4e7 * (1 + change) * np.exp(cv * random.standard_normal(size))

    yield comparison("one against one", [3], [5])
    yield comparison("one against one, downwards", [5], [3])
    yield comparison("one against two", [3], [5, 2])
    yield comparison("two against one", [1, 2], [3])
    yield comparison("separate", [1, 2, 3, 4], [5, 6, 7, 8])
    yield comparison("separate, downwards", [5, 6, 7, 8], [1, 2, 3, 4])
    yield comparison("one pair of equals", [1, 2, 3], [3, 4, 5])
    yield comparison("constant", [7] * 5, [7] * 5)
    yield comparison("constant, of one value", [7], [7])
    yield comparison("two constants", [7] * 6, [8] * 6)
    yield comparison("one constant side", [7] * 6, [6, 7, 8, 9])
    yield comparison("zeros and negative values", [0, -1, -2.5, 0], [0, 1, -1, 3])
    yield comparison("thirty against thirty, separate", range(1, 31), range(31, 61))
    yield comparison("forty against one", range(1, 41), [20.5])
    yield comparison("huge and tiny", [1e-300, 1e300, 1], [1e-290, 1e299, 2])
    for index in range(30):
        base, head = random.integers(1, 41, 2)
        yield comparison(f"untied {index}", lognormal(base, 0.02), lognormal(head, 0.02, random.uniform(-0.03, 0.03)))
    for index in range(20):
        base, head = random.integers(2, 41, 2)
        levels = int(random.integers(2, 30))
        yield comparison(f"tied {index}", random.integers(1, levels + 1, base), random.integers(1, levels + 1, head))
    for index in range(10):
        pages = lambda values: np.round(values / 4096) * 4096
        yield comparison(
            f"whole pages {index}", pages(lognormal(30, 0.003)), pages(lognormal(30, 0.003, random.choice([0, 0.004]))))


def exact_tails():
    """P(U >= u) by counting arrangements in whole numbers."""
    for first, second in [(1, 1), (3, 5), (12, 12), (30, 30), (40, 7), (60, 60), (60, 1)]:
        counts = [[0] * (first * second + 1) for _ in range(first + 1)]
        counts[0][0] = 1
        for rank in range(first + second):
            for size in range(min(first, rank + 1), 0, -1):
                # A value of this rank as the size-th smallest of the first side lies above rank - size + 1 others.
                above = rank - size + 1
                for u in range(first * second, above - 1, -1):
                    counts[size][u] += counts[size - 1][u - above]
        counted, every = counts[first], math.comb(first + second, first)
        assert sum(counted) == every
        pairs = first * second
        for u in sorted({0, 1, pairs // 4, pairs // 2, pairs // 2 + 1, 3 * pairs // 4, pairs - 1, pairs}):
            yield {"first": first, "second": second, "u": u, "p": float(Fraction(sum(counted[u:]), every))}


def permutations():
    """A thousand small samples with ties, and what scipy's permutation test says of their midrank sums."""
    random = np.random.default_rng(20261123)
    while True:
        first, second = (int(n) for n in random.choice([2, 3, 4, 5, 5, 5, 6, 6, 7, 8, 9, 10], 2))
        levels = int(random.integers(2, first + second))
        base = random.integers(0, levels, first)
        head = random.integers(0, levels, second) + int(random.choice([0, 0, 1, levels // 2, levels - 1]))
        if not has_ties(base, head):
            continue
        ranks = stats.rankdata(np.concatenate([base, head]))
        p = [
            stats.permutation_test(
                (ranks[first:], ranks[:first]), lambda head, base, axis: head.sum(axis=axis), vectorized=True,
                n_resamples=200_000, alternative=alternative).pvalue
            for alternative in ("greater", "less", "two-sided")]
        words = lambda values: " ".join(str(value) for value in values)
        yield [words(base), words(head), *(float(f"{value:.9g}") for value in p)]


def split_mix(seed):
    mask = (1 << 64) - 1
    state = seed
    while True:
        state = (state + 0x9E3779B97F4A7C15) & mask
        mixed = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & mask
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & mask
        yield mixed ^ (mixed >> 31)


def bootstraps():
    """The interval of the same draws by numpy, and scipy's own interval of other draws."""
    for seed, (first, second, confidence, resamples) in enumerate(
            [(1, 1, 0.99, 50), (4, 9, 0.9, 200), (12, 12, 0.99, 2000), (30, 30, 0.99, 2000), (30, 20, 0.95, 1001)]):
        base = [float(v) for v in 100 + random.standard_normal(first)]
        head = [float(v) for v in 102 + 2 * random.standard_normal(second)]
        numbers = split_mix(seed)
        drawn = []
        for _ in range(resamples):
            sides = [[side[(next(numbers) * len(side)) >> 64] for _ in side] for side in (base, head)]
            drawn.append(np.median(np.subtract.outer(sides[1], sides[0])))
        low, high = np.percentile(drawn, [50 - 50 * confidence, 50 + 50 * confidence])
        answer = {"base": base, "head": head, "seed": seed, "confidence": confidence, "resamples": resamples,
                  "low": float(low), "high": float(high)}
        if min(first, second) > 1:
            statistic = lambda b, h: np.median(np.subtract.outer(h, b))
            interval = stats.bootstrap(
                (base, head), statistic, confidence_level=confidence, n_resamples=20000, method="percentile",
                vectorized=False, rng=np.random.default_rng(seed)).confidence_interval
            answer["scipyLow"], answer["scipyHigh"] = float(interval.low), float(interval.high)
        yield answer


def holm(values):
    """By the closure principle: the worst Bonferroni p-value of all subsets that an element is in."""
    worst = [0.0] * len(values)
    for size in range(1, len(values) + 1):
        for subset in itertools.combinations(range(len(values)), size):
            p = min(1.0, size * min(values[i] for i in subset))
            for i in subset:
                worst[i] = max(worst[i], p)
    assert np.allclose(multipletests(values, method="holm")[1], worst, rtol=1e-12, atol=0)
    return {"values": values, "adjusted": worst}


def holms():
    for values in ([0.04], [0.01, 0.04], [0.04, 0.01], [0.5, 0.5, 0.5], [0.0, 1.0], [0.001, 0.001, 0.2, 0.9]):
        yield holm(values)
    for size in range(3, 11):
        yield holm([float(v) for v in random.random(size) ** 3])


def line(x, y, confidence=0.95):
    answer = stats.theilslopes(y, x, alpha=confidence)
    return {"x": [float(v) for v in x], "y": [float(v) for v in y], "confidence": confidence,
            "slope": float(answer.slope), "intercept": float(answer.intercept),
            "low": float(answer.low_slope), "high": float(answer.high_slope)}


def lines():
    yield line([1, 2], [3, 5])
    yield line([1, 2, 3], [1, 1, 4])
    yield line([1, 4, 16, 64], [2, 8, 32, 128])
    yield line([3, 1, 2, 1], [9, 3, 1, 3])
    for confidence in (0.8, 0.95, 0.99):
        for size in (5, 12, 35):
            x = random.uniform(0, 64, size)
            yield line(x, 3 + 2 * x + random.standard_t(2, size), confidence)
            yield line(random.uniform(0, 64, size), np.round(random.standard_normal(size)), confidence)
            x = random.choice([1, 4, 16, 64], size)
            if len(set(x)) > 1:
                yield line(x, np.round(2 * x + random.standard_normal(size)), confidence)


def median_fit(series, start, end, cuts):
    edges = [start, *cuts, end]
    parts = list(zip(edges, edges[1:]))
    levels = [float(np.median(series[a:b])) for a, b in parts]
    return parts, levels, np.concatenate([np.abs(series[a:b] - level) for (a, b), level in zip(parts, levels)])


def is_step(fit, i, guarded):
    parts, levels, deviations = fit
    change = abs(levels[i + 1] - levels[i])
    enough = change > 0 and change >= 0.01 * abs(levels[i]) and change >= 2.5 * 1.4826 * np.median(deviations)
    lengths = [b - a for a, b in parts]
    quartile = np.sort(deviations)[math.ceil(0.75 * len(deviations)) - 1]
    capped = np.minimum(deviations, 3 * quartile) if quartile > 0 else deviations
    sigma = 1.2533 * capped.sum() / max(1, len(deviations) - len(levels))
    return enough and (
        not guarded or change >= 6.5 * sigma * math.sqrt(1 / lengths[i] + 1 / lengths[i + 1]))


def steps(values):
    series = np.array(values, dtype=float)

    def search(start, end):
        for number in (1, 2):
            candidates = [
                cuts for cuts in itertools.combinations(range(start, end), number)
                if min(np.diff([start, *cuts, end])) >= 3]
            if not candidates:
                continue
            cuts = min(candidates, key=lambda cuts: median_fit(series, start, end, cuts)[2].sum())
            fit = median_fit(series, start, end, cuts)
            if all(is_step(fit, i, True) for i in range(number)):
                edges = [start, *cuts, end]
                return sorted([*cuts, *(cut for a, b in zip(edges, edges[1:]) for cut in search(a, b))])
        return []

    cuts = search(0, len(series)) if len(series) >= 6 else []
    while True:
        fit = median_fit(series, 0, len(series), cuts)
        weak = [i for i in range(len(cuts)) if not is_step(fit, i, False)]
        if not weak:
            break
        cuts.pop(min(weak, key=lambda i: abs(fit[1][i + 1] - fit[1][i])))
    return {"series": [float(v) for v in series], "indices": list(cuts), "levels": fit[1]}


def step_series():
    for size in (5, 6, 9, 14, 25):
        yield steps(100 + 0.2 * random.standard_normal(size))
    for levels in ((3, 3), (3, 9), (12, 4), (10, 10), (6, 6, 6), (8, 3, 9), (5, 7, 4, 6)):
        for noise in (0.05, 0.3, 0.8):
            heights = 100 + np.cumsum(random.choice([-3, 3], len(levels)))
            series = np.repeat(heights, levels) + noise * random.standard_normal(sum(levels))
            yield steps(series)
            series[random.integers(len(series))] *= 1.2
            yield steps(series)


def normal_tails():
    for z in (-8, -1, 0, 0.5, 1, 1.959963984540054, 2.5758293035489004, 5, 10, 20, 37):
        yield {"z": float(z), "tail": float(stats.norm.sf(z))}


def quantiles():
    for size in (1, 2, 7, 2000):
        values = sorted(float(v) for v in random.standard_normal(size))
        for probability in (0.0, 0.005, 0.3, 0.5, 0.995, 1.0):
            yield {"values": values, "probability": probability,
                   "quantile": float(np.quantile(values, probability))}


def stratified(strata):
    """Van Elteren's test by counting all splits within each host in fractions, and its shift by plain definition."""
    joint, found = {Fraction(0): 1}, Fraction(0)
    for base, head in strata:
        ranks = [Fraction(int(2 * rank), 2) for rank in stats.rankdata(np.concatenate([base, head]))]
        found += sum(ranks[len(base):]) / (len(ranks) + 1)
        counts = [{Fraction(0): 1}] + [{} for _ in head]
        for rank in ranks:
            for size in range(len(head), 0, -1):
                for total, ways in counts[size - 1].items():
                    counts[size][total + rank] = counts[size].get(total + rank, 0) + ways
        together = {}
        for first, ways in joint.items():
            for second, others in counts[-1].items():
                total = first + second / (len(ranks) + 1)
                together[total] = together.get(total, 0) + ways * others
        joint = together
    every = sum(joint.values())
    greater = Fraction(sum(ways for total, ways in joint.items() if total >= found), every)
    less = Fraction(sum(ways for total, ways in joint.items() if total <= found), every)
    # The shift for which the weighted signs of the differences cancel out.
    weighted = sorted(
        (float(h - b), Fraction(1, len(base) + len(head) + 1)) for base, head in strata for b in base for h in head)
    total, below, shift = sum(weight for _, weight in weighted), Fraction(0), None
    for index, (difference, weight) in enumerate(weighted):
        below += weight
        if 2 * below >= total:
            shift = (difference + weighted[index + 1][0]) / 2 if 2 * below == total else difference
            break
    return {"base": [list(map(float, base)) for base, _ in strata], "head": [list(map(float, head)) for _, head in strata],
            "greater": float(greater), "less": float(less), "twoSided": float(min(1, 2 * min(greater, less))),
            "shift": shift}


def strata():
    random = np.random.default_rng(20261127)
    yield stratified([([1, 2, 3, 4], [5, 6, 7, 8]), ([11, 12, 13, 14], [15, 16, 17, 18])])
    yield stratified([([7, 7, 7], [7, 7, 7]), ([7, 7, 7], [8, 8, 8])])
    yield stratified([([7, 7, 7], [7, 7, 7]), ([9, 9], [9, 9])])
    yield stratified([([3], [5]), ([5], [3]), ([1], [2])])
    for hosts in (2, 2, 2, 3, 3, 3, 4, 5):
        for ties in (False, True):
            for same in (False, True):
                size = int(random.integers(2, 8))
                entries = []
                for host in range(hosts):
                    first, second = (size, size) if same else (int(n) for n in random.integers(1, 9, 2))
                    floor, noise = random.uniform(10, 90), random.uniform(0.5, 4)
                    values = floor + noise * random.standard_normal(first + second)
                    values[first:] += random.choice([0, 1, 2]) * noise
                    if ties:
                        values = np.round(values / noise)
                    entries.append((values[:first], values[first:]))
                yield stratified(entries)


# The trials of the BCG vaccine, as in Colditz et al., JAMA 271, 1994: ill and well, treated and not.
BCG = [(4, 119, 11, 128), (6, 300, 29, 274), (3, 228, 11, 209), (62, 13536, 248, 12619), (33, 5036, 47, 5761),
       (180, 1361, 372, 1079), (8, 2537, 10, 619), (505, 87886, 499, 87892), (29, 7470, 45, 7232), (17, 1699, 65, 1600),
       (186, 50448, 141, 27197), (5, 2493, 3, 2338), (27, 16886, 29, 17825)]


def random_effects(changes, variances, confidence):
    changes, variances = np.array(changes, dtype=float), np.array(variances, dtype=float)
    def excess(between):
        weights = 1 / (variances + between)
        mean = np.sum(weights * changes) / np.sum(weights)
        return np.sum(weights * (changes - mean) ** 2) - (len(changes) - 1)

    between = 0 if excess(0) <= 0 else float(optimize.brentq(excess, 0, 1e6, xtol=1e-14))
    weights = 1 / (variances + between)
    mean = float(np.sum(weights * changes) / np.sum(weights))
    spread = float(np.sum(weights * (changes - mean) ** 2) / (len(changes) - 1))
    # Never narrower than the errors of the changes allow.
    error = math.sqrt(max(1, spread) / np.sum(weights))
    found = combine_effects(changes, variances, method_re="iterated", use_t=True, alpha=1 - confidence, atol=1e-12, maxiter=500)
    # Its iteration ends at zero where the spread is large; the root above does not.
    if found.tau2 > 0 or between == 0:
        assert math.isclose(mean, found.mean_effect_re, rel_tol=1e-9)
        assert spread < 1 or math.isclose(error, found.sd_eff_w_re_hksj, rel_tol=1e-6)
    width = float(stats.t.ppf((1 + confidence) / 2, len(changes) - 1)) * error
    return {"changes": [float(v) for v in changes], "variances": [float(v) for v in variances], "confidence": confidence,
            "mean": mean, "low": mean - width, "high": mean + width, "deviation": math.sqrt(between)}


def heterogeneous():
    random = np.random.default_rng(20261128)
    risks = [math.log((a / (a + b)) / (c / (c + d))) for a, b, c, d in BCG]
    errors = [1 / a - 1 / (a + b) + 1 / c - 1 / (c + d) for a, b, c, d in BCG]
    yield random_effects(risks, errors, 0.95)
    for hosts in (3, 3, 4, 5, 8, 20):
        for spread in (0, 0.5, 3):
            variances = random.uniform(0.2, 2, hosts) ** 2
            changes = 2 + spread * random.standard_normal(hosts) + np.sqrt(variances) * random.standard_normal(hosts)
            yield random_effects(changes, variances, 0.99)


def student_tails():
    for freedom in (1, 2, 3, 4, 5, 12, 29, 100):
        for t in (0, 0.5, 1, 2.5, 7, 40):
            yield {"freedom": freedom, "t": float(t), "tail": float(stats.t.sf(t, freedom))}


answers = {
    "comparisons": list(comparisons()),
    "exactTails": list(exact_tails()),
    "bootstraps": list(bootstraps()),
    "holms": list(holms()),
    "lines": list(lines()),
    "stepSeries": list(step_series()),
    "normalTails": list(normal_tails()),
    "quantiles": list(quantiles()),
    "strata": list(strata()),
    "randomEffects": list(heterogeneous()),
    "studentTails": list(student_tails()),
    "permutations": list(itertools.islice(permutations(), 1000)),
}
path = pathlib.Path(__file__).with_name("reference.json")
lines_of_json = [
    f' "{name}": [\n' + ",\n".join("  " + json.dumps(entry, allow_nan=False) for entry in entries) + "\n ]"
    for name, entries in answers.items()]
path.write_text("{\n" + ",\n".join(lines_of_json) + "\n}\n")
print({name: len(entries) for name, entries in answers.items()})
