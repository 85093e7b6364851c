# One target per figure; `make figures` builds all, under $(BUILD)/figures.
# A figure is made of parts that need not be made again when work was stopped,
# and that `make -j` makes side by side (time measured then is not worth much).

FIG := $(BUILD)/figures

figures: fig-recover
.PHONY: figures fig-recover

# The graphs of rooms, found from walks alone: the five rooms, then others that
# the defaults cannot know, then moves that go wrong.
RECOVER := rectangle hole ushape cylinder torus rectangle-5x6 \
	rectangle-14x15 torus-11x12 digit-3 digit-8
RECOVER_SLIP := slip-50000 slip-400000
SEEDS_slip-400000 = 1001 1002 1003

fig-recover: $(FIG)/recover.tsv $(FIG)/recover-slip.tsv
	@cat $^

$(FIG)/recover/%.tsv: data/figures/recover.sh $(BINS)
	@mkdir -p $(@D)
	$(Q)PATH="$(abspath $(BUILD)):$$PATH" DRAW=$(abspath $(@:.tsv=)) \
	  sh data/figures/recover.sh $* $(SEEDS_$*) >$@.new && mv $@.new $@

# Of ten seeds nine must be found in the rooms of the paper, eight in others.
$(FIG)/recover.tsv: $(RECOVER:%=$(FIG)/recover/%.tsv)
	$(Q)awk -F '\t' 'function row() { \
	  if (n) print room, steps, nodes, n, found, wanted, \
	    (found >= wanted * n / 10 ? "yes" : "no"), least "-" most, \
	    clones, sprintf("%.2f", time / n), sprintf("%.5f", nats / n); \
	  n = found = time = nats = clones = 0 } \
	BEGIN { OFS = FS; print "#room", "steps", "nodes", "seeds", "found", \
	  "wanted", "verdict", "states", "clones", "seconds", "nats" } \
	FNR == 1 { row(); next } \
	{ room = $$1; steps = $$2; nodes = $$4; time += $$7; nats += $$12; \
	  wanted = (steps == 50000 ? 9 : 8); \
	  if (!n || $$5 < least) least = $$5; \
	  if (!n || $$5 > most) most = $$5; \
	  if ($$6 > clones) clones = $$6; \
	  n++; found += ($$4 == $$5 && $$9 == "yes" && $$11 == "yes") } \
	END { row() }' $^ >$@.new && mv $@.new $@

$(FIG)/recover-slip.tsv: $(RECOVER_SLIP:%=$(FIG)/recover/%.tsv)
	$(Q)awk 'NR == 1 || FNR > 1' $^ >$@.new && mv $@.new $@
