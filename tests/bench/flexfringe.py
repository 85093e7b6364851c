#!/usr/bin/env python3
"""flexfringe.py MODEL TEST - probabilities of strings by an automaton of FlexFringe

MODEL is the .final.json file of a heuristic that counts symbols and ends (alergia,
alergia94, likelihoodratio), with white and blue states printed, so that rare
prefixes have states.  TEST is a file of PAutomaC.  Prints the natural logarithm of
the probability of each test string, smoothed as by alergia.py.
"""
import json
import math
import sys

from alergia import strings

ROOT = -1


def read(path, end):
    """Counts of each symbol, and of the end, by state; successors by state and symbol."""
    with open(path) as file:
        model = json.load(file)
    count, successor = {}, {}
    for node in model['nodes']:
        data = node['data']
        count[node['id']] = {int(x): int(n) for x, n in (data.get('trans_counts') or {}).items()}
        count[node['id']][end] = int(data.get('total_final', 0))
    for edge in model['edges']:
        successor[int(edge['source']), int(edge['name'])] = int(edge['target'])
    return count, successor


def loglik(count, successor, end, string):
    state, total = ROOT, 0.
    for symbol in string + (end,):
        p = 1 / (end + 1)
        if state in count:
            p = (count[state].get(symbol, 0) + p) / (sum(count[state].values()) + 1)
            state = successor.get((state, symbol))
        total += math.log(p)
    return total


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.split('\n')[0])
    end, test = strings(sys.argv[2])
    count, successor = read(sys.argv[1], end)
    for string in test:
        print(f'{loglik(count, successor, end, string):.12g}')


if __name__ == '__main__':
    main()
