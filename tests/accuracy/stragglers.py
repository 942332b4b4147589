"""Compares `baton stragglers` with what its authors published for three jobs: stragglers.py BATON FILE...

Each FILE is named trace-AR, trace-SE or trace-ST (.csv, .json, ...; docs/STRAGGLERS.md says how to make them from the published
set). Prints a table; status 1 when a number is off by more than LIMIT.
"""

import json
import re
import subprocess
import sys

LIMIT = 1e-4  # of the number; published are four digits and more
# Of the artifact of "Understanding Stragglers in Large Model Training Using What-if Analysis" (OSDI '25), ByteDance-Seed/
# StragglerAnalysis at 8efcd7f: means over the steps in result-*.json, in ms; mw-*.json; ms-*.json.
PUBLISHED = {
    "AR": {
        "measured": 46649.176424, "T": 46336.372597, "T_ideal": 23484.700210, "S": 1.97304510,
        "M_W": 1.00170128, "M_S": -0.00121196, "launch": 1.00675066,
        "by_type": {"backward-compute": 1.580506, "forward-compute": 1.368886, "grads-reduce-scatter": 1.010782,
                    "params-all-gather": 1.005476, "embedding-grads-all-reduce": 1.005152,
                    "optimizer": 1.001105, "forward-pp-comm": 1.001071, "backward-pp-comm": 1.000922,
                    "optimizer-clip-main-grad": 1.000286, "layernorm-grads-all-reduce": 1.000052, "gc": 1},
        "by_stage": {"0": 1.979189, "3": 1.002369, "1": 0.9971125, "2": 0.9956041},
        "by_dp_rank": {"0": 1.973044, "2": 1.011151, "3": 1.011143, "1": 1.010891},
    },
    "SE": {
        "measured": 9112.995968, "T": 9066.555374, "T_ideal": 5897.478332, "S": 1.53736137,
        "M_W": 0.02506227, "M_S": 0.68771089, "launch": 1.00512231,
        "by_type": {"backward-compute": 1.412771, "forward-compute": 1.145964,
                    "embedding-grads-all-reduce": 1.001755, "grads-reduce-scatter": 1.000452,
                    "optimizer-clip-main-grad": 1.000353, "backward-pp-comm": 1.000254,
                    "forward-pp-comm": 1.000172, "params-all-gather": 1.000094, "optimizer": 1.000022,
                    "layernorm-grads-all-reduce": 1.000006, "gc": 1},
        "by_stage": {"1": 1.435448, "0": 1.167812},
        "by_dp_rank": {"8": 1.20448, "27": 1.190061, "9": 1.187675, "4": 1.18633, "10": 1.1858, "25": 1.183817,
                       "23": 1.182065, "20": 1.179567, "3": 1.178469, "7": 1.17802, "1": 1.176735,
                       "14": 1.176302, "16": 1.174123, "21": 1.173463, "28": 1.171479, "19": 1.170065,
                       "17": 1.168186, "31": 1.166042, "13": 1.165011, "15": 1.164463, "12": 1.156573,
                       "29": 1.156441, "11": 1.156325, "5": 1.155674, "26": 1.154195, "18": 1.153867,
                       "0": 1.153343, "22": 1.151305, "2": 1.151015, "30": 1.150198, "6": 1.148852,
                       "24": 1.118044},
    },
    "ST": {
        "measured": 2214.447789, "T": 2172.696813, "T_ideal": 1843.295824, "S": 1.17870218,
        "M_W": 0.03140427, "M_S": 1.21935638, "launch": 1.01921618,
        "by_type": {"forward-compute": 1.087499, "backward-compute": 1.074156,
                    "embedding-grads-all-reduce": 1.00955, "grads-reduce-scatter": 1.002667,
                    "optimizer-clip-main-grad": 1.002351, "optimizer": 1.001477, "params-all-gather": 1.001131,
                    "layernorm-grads-all-reduce": 1.000003, "gc": 1, "backward-pp-comm": 0.999993,
                    "forward-pp-comm": 0.9998586},
        "by_stage": {"3": 1.232256, "0": 0.9980451, "1": 0.9830563, "2": 0.9824931},
        "by_dp_rank": {"1": 1.17787, "0": 1.173083},
    },
}
IDS = {"by_type": "type", "by_stage": "stage", "by_dp_rank": "dp_rank"}


def found_in(answer):
    """The same numbers of what `baton stragglers --json` printed."""
    found = {"measured": answer["measured_ns"] / 1e6, "T": answer["base_ns"] / 1e6, "T_ideal": answer["ideal_ns"] / 1e6,
             "S": answer["slowdown"], "M_W": answer["m_w"], "M_S": answer["m_s"], "launch": answer["launch_slowdown"]}
    for key, name in IDS.items():
        found[key] = {str(part[name]): part["slowdown"] for part in answer[key]}
    return found


def off(found, published):
    return abs(found / published - 1)


def compare(name, found, published):
    """Prints the rows of a set. Returns the largest error."""
    worst = 0.0
    for key, value in published.items():
        if isinstance(value, dict):
            assert set(found[key]) == set(value), "%s: %s are %s" % (name, key, sorted(found[key]))
            error = max(off(found[key][part], value[part]) for part in value)
            print("| %s | S %s (%d) | | | %.4f %% |" % (name, key.replace("_", " "), len(value), 100 * error))
        else:
            error = off(found[key], value)
            digits = 3 if value > 100 else 6
            print("| %s | %s | %.*f | %.*f | %.4f %% |" % (name, key, digits, value, digits, found[key], 100 * error))
        worst = max(worst, error)
    return worst


def main():
    worst = 0.0
    print("| set | number | published | baton | off by |\n|---|---|---|---|---|")
    for path in sys.argv[2:]:
        name = re.search(r"trace-(\w+)\.", path)[1]
        printed = subprocess.run([sys.argv[1], "stragglers", "--json", path], check=True, stdout=subprocess.PIPE).stdout
        worst = max(worst, compare(name, found_in(json.loads(printed)), PUBLISHED[name]))
    print("%d sets, off by at most %.4f %%" % (len(sys.argv) - 2, 100 * worst), file=sys.stderr)
    return worst > LIMIT


if __name__ == "__main__":
    sys.exit(main())
