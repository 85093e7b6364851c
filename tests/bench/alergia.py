#!/usr/bin/env python3
"""alergia.py [-a ALPHA] TRAIN TEST - Alergia, for comparison with cscg-learn on strings

Alergia (Carrasco and Oncina 1994) merges states of the prefix tree of the
training strings, in the red-blue order, where Hoeffding's bound finds no
difference between the frequencies of their symbols and ends.  Files are those
of PAutomaC: a line "STRINGS SYMBOLS", then a line "LENGTH SYMBOL..." for each
string.  Prints the natural logarithm of the probability of each test string.
"""
import argparse
import math
import sys


def strings(path):
    with open(path) as lines:
        n_symbols = int(next(lines).split()[1])
        return n_symbols, [tuple(map(int, s.split()[1:])) for s in lines if s.strip()]


class Automaton:
    """A prefix tree whose states are merged: symbol n_symbols ends a string."""

    def __init__(self, n_symbols, train):
        self.n_symbols = n_symbols
        self.count = [{}]  # of each symbol, and of the end, by state
        self.next = [{}]
        for string in train:
            state = 0
            for symbol in string:
                self.add(state, symbol, 1)
                state = self.child(state, symbol)
            self.add(state, n_symbols, 1)
        self.total = [sum(c.values()) for c in self.count]

    def add(self, state, symbol, n):
        self.count[state][symbol] = self.count[state].get(symbol, 0) + n

    def child(self, state, symbol):
        if symbol not in self.next[state]:
            self.next[state][symbol] = len(self.next)
            self.next.append({})
            self.count.append({})
        return self.next[state][symbol]

    def compatible(self, red, blue, bound):
        """True if no state of the subtree of blue differs from that of red."""
        stack = [(red, blue)]
        while stack:
            p, q = stack.pop()
            n, m = self.total[p], self.total[q]
            if not n or not m:
                continue
            limit = bound * (1 / math.sqrt(n) + 1 / math.sqrt(m))
            a, b = self.count[p], self.count[q]
            for symbol in a.keys() | b.keys():
                if abs(a.get(symbol, 0) / n - b.get(symbol, 0) / m) > limit:
                    return False
            for symbol, to in self.next[q].items():
                if symbol in self.next[p]:
                    stack.append((self.next[p][symbol], to))
        return True

    def merge(self, red, blue):
        """Merge the subtree of blue into red."""
        stack = [(red, blue)]
        while stack:
            p, q = stack.pop()
            for symbol, n in self.count[q].items():
                self.add(p, symbol, n)
            self.total[p] += self.total[q]
            for symbol, to in self.next[q].items():
                if symbol in self.next[p]:
                    stack.append((self.next[p][symbol], to))
                else:
                    self.next[p][symbol] = to

    def learn(self, alpha):
        bound = math.sqrt(.5 * math.log(2 / alpha))
        red = [0]
        is_red = {0}
        while True:
            blue = [(-self.total[to], to, p, symbol) for p in red
                    for symbol, to in self.next[p].items() if to not in is_red]
            if not blue:
                return len(red)
            _, state, p, symbol = min(blue)
            for r in red:
                if self.compatible(r, state, bound):
                    self.next[p][symbol] = r
                    self.merge(r, state)
                    break
            else:
                red.append(state)
                is_red.add(state)

    def loglik(self, string):
        """Log-probability of a string by frequencies, with one more observation spread evenly."""
        state, total = 0, 0.
        for symbol in string + (self.n_symbols,):
            n = 1 / (self.n_symbols + 1)
            if state is not None:
                n = (self.count[state].get(symbol, 0) + n) / (self.total[state] + 1)
                state = self.next[state].get(symbol)
            total += math.log(n)
        return total


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('-a', '--alpha', type=float, default=.05)
    parser.add_argument('train')
    parser.add_argument('test')
    args = parser.parse_args()
    n_symbols, train = strings(args.train)
    automaton = Automaton(n_symbols, train)
    states = automaton.learn(args.alpha)
    print(f'alergia: {states} states', file=sys.stderr)
    for string in strings(args.test)[1]:
        print(f'{automaton.loglik(string):.12g}')


if __name__ == '__main__':
    main()
