"""From a recording to a map, a held-out score and a figure, in Python.

    python3 recording.py            # with track.csv of labyrinth.sh
"""
import cscg

walk = cscg.read_table("track.csv", bin=["px", "py"], cell=20, moves=True,
                       derive_actions="compass4", see="wall", gap=0.2)
train, test = walk.split(0.2)
model = cscg.CSCG().fit(train)
print(model.n_states, "states")
print("%.4f nats per step" % (-model.score(test) / len(test)))
model.draw("map.svg", title="a labyrinth")
