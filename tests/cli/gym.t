# An environment in Python: data/examples/gym_env.py, as in the page.
. "$(dirname "$0")/../tap.sh"
env=$TOP/data/examples/gym_env.py

if ! has_python argparse json; then
	tap 0 'gym_env.py # SKIP no python3'
	finish
fi
acts() { printf '{"a":%s}\n' "$@"; }

# By hand:  0 1  2  3
#           4 5  6  7
#           8 9 10 11   11 is the end
cat >want <<'END'
{"format": "cscg-env", "version": 1, "n_actions": 4, "n_obs": 12, "episodes": 2, "steps": 6, "actions": ["up", "down", "left", "right"]}
{"x": 0, "reward": 0.0, "episode": 0, "done": false}
{"x": 4, "reward": 0.0, "episode": 0, "done": false}
{"x": 8, "reward": 0.0, "episode": 0, "done": false}
{"x": 9, "reward": 0.0, "episode": 0, "done": false}
{"x": 10, "reward": 0.0, "episode": 0, "done": false}
{"x": 11, "reward": 1.0, "episode": 0, "done": true}
{"x": 0, "reward": 0.0, "episode": 1, "done": false}
{"x": 1, "reward": 0.0, "episode": 1, "done": false}
{"x": 1, "reward": 0.0, "episode": 1, "done": false}
{"x": 0, "reward": 0.0, "episode": 1, "done": false}
{"x": 0, "reward": 0.0, "episode": 1, "done": false}
{"x": 4, "reward": 0.0, "episode": 1, "done": false}
{"x": 0, "reward": 0.0, "episode": 1, "done": true}
END
same 'the grid of the example is walked' 'cat want' \
    'acts 1 1 3 \"right\" 3 3 0 2 2 1 0 | python3 "$env" --own --episodes 2 --steps 6'
same 'an episode can be left' \
    'acts 1 null 3 | python3 "$env" --own --episodes 2 | tail -n +2 | cut -d" " -f2,6' \
    'printf "%s, %s,\n" 0 0 4 0 0 1 1 1'
exits 0 'the example without an agent' 'python3 "$env" --own </dev/null'

# The part of Gymnasium that it uses: a ring of 3 whose symbols count from 10
# and whose actions from 1, cut off after 4 steps.
mkdir -p gymnasium
cat >gymnasium/__init__.py <<'END'
class spaces:
    class Discrete:
        def __init__(self, n, start=0):
            self.n, self.start = n, start
    class Box:
        pass

class Ring:
    observation_space = spaces.Discrete(3, 10)
    action_space = spaces.Discrete(2, 1)

    def reset(self, seed=None):
        self.at, self.t = seed % 3, 0
        return 10 + self.at, {}

    def step(self, a):
        assert a in (1, 2)
        self.at = (self.at + (1 if a == 1 else -1)) % 3
        self.t += 1
        return 10 + self.at, self.at / 2, False, self.t == 4, {}

def make(name, **more):
    ring = Ring()
    if name == "Box-v0":
        ring.observation_space = spaces.Box()
    return ring
END
cat >want <<'END'
{"format": "cscg-env", "version": 1, "n_actions": 2, "n_obs": 3, "episodes": 1, "steps": 100}
{"x": 1, "reward": 0.0, "episode": 0, "done": false}
{"x": 2, "reward": 1.0, "episode": 0, "done": false}
{"x": 1, "reward": 0.5, "episode": 0, "done": false}
{"x": 0, "reward": 0.0, "episode": 0, "done": false}
{"x": 2, "reward": 1.0, "episode": 0, "done": true}
END
same 'an environment of Gymnasium is served' 'cat want' \
    'acts 0 1 1 1 | PYTHONPATH=. python3 "$env" --seed 4 Ring-v0'
exits 2 'an environment without discrete observations' 'PYTHONPATH=. python3 "$env" Box-v0 </dev/null'
says 'is refused' 'is neither Discrete nor MultiDiscrete (--codebook makes symbols of it)'

# cscg.env with classes of this test: several numbers, and frames by a codebook.
env=$TOP/data/python/cscg/env.py
cat >own.py <<'END'
class Multi:
    def __init__(self, nvec):
        self.nvec = nvec

class Frames:
    shape = (2,)

class Dials:
    """Two dials of 2 and 3 positions; an action turns each or not."""
    observation_space, action_space = Multi([2, 3]), Multi([2, 2])

    def reset(self, seed=None):
        self.at = [0, 0]
        return self.at, {}

    def step(self, a):
        self.at = [(self.at[0] + a[0]) % 2, (self.at[1] + a[1]) % 3]
        return self.at, self.at[1], False, False, {}

class Camera(Dials):
    """The same, seen as two numbers."""
    observation_space = Frames()

    def reset(self, seed=None):
        return [x + .1 for x in super().reset()[0]], {}

    def step(self, a):
        at, reward = super().step(a)[:2]
        return [x + .1 for x in at], reward, at == [0, 2], False, {}
END
# Symbol = 3 * first + second, action = 2 * turn first + turn second.
same 'several numbers are one symbol, one action' \
    'acts 1 3 0 2 | python3 "$env" --steps 4 own:Dials | tail -n +2 | cut -d" " -f2,4' \
    'printf "%s, %s,\n" 0 0.0 1 1.0 5 2.0 5 2.0 2 2.0'
cat >binary.py <<'END'
class Space:
    def __init__(self, **keys):
        self.__dict__.update(keys)

class Lamps:
    """Two lamps; numbers 1 and 2 leave and turn them."""
    observation_space = Space(n=2, shape=(2,))
    action_space = Space(nvec=[2, 2], start=[1, 1])

    def reset(self, seed=None):
        print("reset")
        self.on = [0, 0]
        return self.on, {}

    def step(self, a):
        assert set(a) <= {1, 2}
        self.on = [(x + b - 1) % 2 for x, b in zip(self.on, a)]
        return self.on, 0, False, False, {}

    def close(self):
        print("closed")
END
same 'binary observations, numbers from 1, and output of the environment' \
    'acts 1 2 3 | python3 "$env" --steps 3 binary:Lamps 2>said | cut -d" " -f2,6,8 | tr "\n" " "' \
    'printf "\"cscg-env\", 4, 4, 0, 0, false} 1, 0, false} 3, 0, false} 0, 0, true} "'
same 'what it prints goes to standard error, and it is closed' 'cat said' 'printf "reset\nclosed\n"'
exits 2 'no steps' 'python3 "$env" --steps 0 binary:Lamps </dev/null'
exits 2 'a class that is no environment' 'python3 "$env" binary:Space </dev/null'
says 'is refused' "cscg.env: 'binary:Space': no attribute observation_space"
same 'the header has the sizes of the spaces' 'python3 "$env" own:Dials </dev/null | head -n 1 | cut -d" " -f6,8' 'echo "4, 6,"'
# Rewards in a room that the agent does not know.
cat >field.py <<'END'
class Space:
    def __init__(self, n):
        self.n = n

class Field:
    """4 x 5 cells with 12 symbols; down in the last one is rewarded."""
    observation_space, action_space = Space(12), Space(4)
    cells = [4, 6, 8, 7, 10, 1, 0, 5, 9, 3, 11, 2, 4, 0, 6, 5, 1, 3, 7, 2]

    def reset(self, seed=None):
        self.row = self.col = 0
        return self.cells[0], {}

    def step(self, a):
        reward = float((self.row, self.col, a) == (3, 4, 2))
        self.row = min(max(self.row + (a == 2) - (a == 0), 0), 3)
        self.col = min(max(self.col + (a == 1) - (a == 3), 0), 4)
        return self.cells[5 * self.row + self.col], reward, False, False, {}
END
exits 0 'rewards without a model' 'cscg-plan --goal reward --as summary -- python3 "$env" --steps 900 field:Field >got'
# After 300 steps of exploration nine of ten steps can be rewarded.
holds 'those met before the map was learned count' "awk -F '\t' 'END { exit !(\$5 >= 300) }' got"
# Centroids (0, 0), (0, 1), (0, 2) as little-endian doubles.
python3 -c 'import base64, json, struct
data = base64.b64encode(struct.pack("<6d", 0, 0, 0, 1, 0, 2)).decode()
print(json.dumps({"format": "cscg-codebook", "version": 1, "k": 3, "shape": [2], "centroids": data}))' >book
same 'frames have the symbol of the nearest centroid' \
    'acts 1 1 1 | python3 "$env" --codebook book own:Camera | tail -n +2 | cut -d" " -f2,8' \
    'printf "%s, %s\n" 0 false} 1 false} 2 true}'
exits 2 'frames without a codebook' 'python3 "$env" own:Camera </dev/null'
says 'are refused' 'cscg.env: observations: '
exits 2 'a class that is not there' 'python3 "$env" own:Nothing </dev/null'
says 'is named' "cscg.env: 'own:Nothing': "
exits 2 'a walk for a codebook' 'echo "{}" >none; python3 "$env" --codebook none own:Camera </dev/null'
says 'is none' "cscg.env: 'none': this is no cscg-codebook file"

# The programs of cscg-env(5): the light in the shell, the agent in Python.
block() { # N
	awk -v n="$1" '/^\.Bd/ { k++; on = k == n; next } /^\.Ed/ { on = 0 } on' \
	    "$TOP/man/cscg-env.5" | sed 's/\\e/\\/g'
}
block 2 >light
block 3 >agent.py
same 'the example of the page runs' \
    'acts 0 0 0 0 0 0 0 0 0 0 | sh light | tail -n +2' \
    'printf "{\"x\":%s}\n" 0 1 0 1 0 1 0 1 0; echo "{\"x\":1,\"done\":true}"'
same 'an episode of the shell example is left' 'acts 0 null 0 | sh light | wc -l' 'echo 3'
roomgen torus -o room.gz
sed 's/"-n", "100"/"-n", "100", "--log", "log.gz"/' agent.py >logging_agent.py
exits 0 'the agent of the page walks' 'python3 logging_agent.py'
same 'all its steps' 'walkconv --as tsv log.gz | wc -l' 'echo 102'
finish
