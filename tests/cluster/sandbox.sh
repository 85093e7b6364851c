#!/bin/sh
# sandbox.sh - a private Slurm on this machine
#
# 	sandbox.sh need             what is missing to run it, a line; status 1
# 	sandbox.sh start [NODES]    print the directory it lives in
# 	sandbox.sh env DIR          settings for eval in a shell that uses it
# 	sandbox.sh node DIR NAME    start the daemon of one node (again)
# 	sandbox.sh lose DIR NAME    kill -9 the daemon of one node
# 	sandbox.sh stop DIR         end everything, remove the directory
#
# munged, slurmctld and a slurmd for each node, n1, n2 ..., talk over loopback
# and ports that were free; keys, state and logs are in the directory.
# Nothing outside of it is read or changed, so that several may run side by
# side, also beside a real Slurm.
#
# CPUS is the number of processors that a node claims, independent of the
# machine.  KEEP=DIR copies the logs there before the directory goes.

set -eu
CPUS=${CPUS:-4}
host=$(uname -n)
host=${host%%.*}
PATH=$PATH:/usr/sbin:/sbin
export LC_ALL=C

die()
{
	echo "sandbox: $*" >&2
	exit 4
}

need()
{
	miss=
	for p in munged slurmctld slurmd sbatch srun scontrol squeue setsid; do
		command -v "$p" >/dev/null || miss="$miss $p"
	done
	if [ "$(id -u)" != 0 ]; then
		echo 'not root: only root can start nodes'
		return 1
	elif [ "$miss" ]; then
		echo "no$miss (Debian: slurm-wlm, munge)"
		return 1
	elif [ ! -r /proc/self/environ ]; then
		echo 'no /proc'
		return 1
	fi
}

# ---- directory and ports ----

# Paths of sockets may have 107 characters, and jobs' scripts are run from
# here, so not every temporary directory will do.
place()
{
	for d in "${TMPDIR:-/tmp}" /tmp /var/tmp /dev/shm /run; do
		[ ${#d} -le 40 ] && [ -w "$d" ] || continue
		s=$(mktemp -d "$d/cscg-slurm.XXXXXX" 2>/dev/null) || continue
		printf '#!/bin/sh\nexit 7\n' >"$s/try"
		chmod 700 "$s/try"
		rc=0
		"$s/try" 2>/dev/null || rc=$?
		rm -f "$s/try"
		[ $rc = 7 ] && return
		rmdir "$s"
	done
	die 'no directory that is writable, short, and may hold programs'
}

# The first of n ports in a row that are not in use; what differs between two that
# start at once is the number of the process.
ports()
{
	n=$1
	port=$((20000 + $$ * 16 % 10000))
	while [ $port -lt 32000 ]; do
		used=no
		i=0
		while [ $i -lt "$n" ]; do
			! grep -qi ":$(printf %04X $((port + i))) " \
			    /proc/net/tcp /proc/net/tcp6 2>/dev/null || used=yes
			i=$((i + 1))
		done
		[ $used = yes ] || return 0
		port=$((port + n))
	done
	die 'no free ports'
}

# ---- settings ----

configure() # NODES
{
	ports $(($1 + 1))
	cat >"$s/slurm.conf" <<-END
	ClusterName=sandbox
	SlurmctldHost=$host(127.0.0.1)
	SlurmctldPort=$port
	SlurmUser=root
	SlurmdUser=root
	AuthType=auth/munge
	AuthInfo=socket=$s/munge.socket,cred_expire=5
	CredType=cred/munge
	StateSaveLocation=$s/state
	SlurmctldPidFile=$s/slurmctld.own
	SlurmdPidFile=$s/%n.own
	SlurmdSpoolDir=$s/spool-%n
	TmpFS=$s/tmp-%n
	TaskProlog=$s/prolog
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	AccountingStorageType=accounting_storage/none
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU
	SchedulerParameters=batch_sched_delay=0,sched_interval=2,sched_min_interval=0
	SlurmdParameters=config_overrides
	MpiDefault=none
	MpiParams=ports=$((port + 1000))-$((port + 1100))
	ReturnToService=2
	MinJobAge=3600
	SlurmctldTimeout=30
	SlurmdTimeout=6
	KillWait=3
	UnkillableStepTimeout=30
	END
	# Nodes do not share memory, though they are one machine: ranks name
	# what they share by their number on the node.  Files that they leave
	# when they are killed are removed with the directory.
	cat >"$s/prolog" <<-END
	#!/bin/sh
	echo "export TMPDIR=$s/tmp-\$SLURMD_NODENAME"
	echo "export OMPI_MCA_btl_vader_backing_directory=$s/tmp-\$SLURMD_NODENAME"
	END
	chmod 755 "$s/prolog"
	# Daemons listen on the address of the host name, which must be
	# loopback.  Without the key no connection is accepted.
	case $(getent hosts "$(uname -n)" || :) in
	127.0.0.1\ *) echo 'CommunicationParameters=NoCtldInAddrAny,NoInAddrAny' >>"$s/slurm.conf" ;;
	esac
	i=1
	while [ $i -le "$1" ]; do
		mkdir "$s/spool-n$i" "$s/tmp-n$i"
		echo "NodeName=n$i NodeHostname=$host NodeAddr=127.0.0.1" \
		    "Port=$((port + i)) CPUs=$CPUS RealMemory=16000 State=UNKNOWN"
		i=$((i + 1))
	done >>"$s/slurm.conf"
	echo "PartitionName=all Nodes=ALL Default=YES State=UP" >>"$s/slurm.conf"
	# The fence that carries no data, with which MPI_Init ends, does not wait
	# for other nodes when it is Slurm's tree (seen with 22.05): a rank that
	# is through then sends to one that is not, which jumps to address 0.
	echo 'PMIxCollFence=ring' >"$s/mpi.conf"
	# Since 23.11 control groups are wanted unless this is said; before, the
	# word is not known.
	set -- $(slurmd -V | sed 's/^[^0-9]*//; s/\./ /g')
	[ "$1$2" -lt 2311 ] || echo 'CgroupPlugin=disabled' >"$s/cgroup.conf"
}

# ---- daemons ----

# A session of its own, so that no terminal reaches it; its process is that of
# the daemon, since setsid need not fork.
launch() # NAME COMMAND...
{
	name=$1
	shift
	setsid "$@" </dev/null >>"$s/$name.log" 2>&1 &
	echo $! >"$s/$name.pid"
}

# Does the process exist and belong to this sandbox?
ours() # NAME
{
	[ -s "$s/$1.pid" ] && pid=$(cat "$s/$1.pid") &&
	    grep -qaF "$s/" "/proc/$pid/cmdline" 2>/dev/null
}

# until COMMAND, tried for this many tenths of a second
within() # TENTHS COMMAND...
{
	n=$1
	shift
	until "$@" >/dev/null 2>&1; do
		n=$((n - 1))
		[ $n -gt 0 ] || return 1
		sleep 0.1
	done
}

munge_start()
{
	(umask 077; head -c 128 /dev/urandom >"$s/munge.key")
	# munged is told not to check the owner and mode of /tmp.
	launch munged munged --foreground --force --num-threads=2 \
	    --key-file="$s/munge.key" --socket="$s/munge.socket" \
	    --pid-file="$s/munge.own" --log-file="$s/munge.log" \
	    --seed-file="$s/munge.seed"
	within 100 test -S "$s/munge.socket" || die "munged: $(tail -n 1 "$s/munged.log")"
}

node_start() # NAME
{
	! ours "$1" || return 0
	launch "$1" slurmd -D -f "$s/slurm.conf" -N "$1"
}

up() { [ "$(timeout 5 sinfo -h -t idle -o %D | head -n 1)" = "$1" ]; }

# Has a daemon ended?  One that was launched a moment ago is the shell that will
# become it, which ours() does not recognise yet.
ended() # NAME
{
	[ -s "$s/$1.pid" ] && ! [ -d "/proc/$(cat "$s/$1.pid")" ]
}

# All nodes are idle, or a daemon has ended, after which waiting cannot succeed.
settled() # NODES
{
	i=1
	while [ $i -le "$1" ]; do
		! ended n$i || return 0
		i=$((i + 1))
	done
	ended slurmctld || up "$1"
}

start() # NODES
{
	why=$(need) || die "$why"
	place
	chmod 755 "$s"
	# Remove processes and files after a failure.
	trap 'rc=$?; [ $rc = 0 ] || { tail -n 3 "$s"/*.log >&2; stop; }' EXIT
	trap 'exit 4' HUP INT TERM
	mkdir "$s/state"
	configure "$1"
	SLURM_CONF=$s/slurm.conf
	export SLURM_CONF
	munge_start
	launch slurmctld slurmctld -D -f "$SLURM_CONF"
	i=1
	while [ $i -le "$1" ]; do
		node_start n$i
		i=$((i + 1))
	done
	within 300 settled "$1" || :
	up "$1" || die "no $1 idle nodes"
	echo "$s"
}

# Ranks of two nodes talk over loopback, as no other network is sure to be
# there, and yield, as they may be more than the processors.
env_of()
{
	cat <<-END
	export SLURM_CONF='$s/slurm.conf'
	export OMPI_MCA_btl=self,vader,tcp OMPI_MCA_btl_tcp_if_include=lo
	export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_pml=ob1
	END
}

# ---- the end ----

# Job steps outlive a killed daemon: all processes of jobs with these settings.
steps()
{
	for p in $(grep -lzxF "SLURM_CONF=$s/slurm.conf" /proc/[0-9]*/environ 2>/dev/null); do
		p=${p%/environ}
		if grep -qz '^SLURM_JOB_ID=' "$p/environ" 2>/dev/null ||
		    grep -qx slurmstepd "$p/comm" 2>/dev/null; then
			echo "${p#/proc/}"
		fi
	done
}

gone() { ! ours "$1"; }

halt() # NAME
{
	ours "$1" || return 0
	kill "$pid" 2>/dev/null || :
	within 50 gone "$1" || kill -9 "$pid" 2>/dev/null || :
}

stop()
{
	trap - EXIT
	SLURM_CONF=$s/slurm.conf
	export SLURM_CONF
	timeout 10 scancel --full --user=root >/dev/null 2>&1 || :
	for f in "$s"/n[0-9]*.pid "$s/slurmctld.pid" "$s/munged.pid"; do
		[ ! -e "$f" ] || halt "$(basename "$f" .pid)"
	done
	left=$(steps)
	[ -z "$left" ] || kill -9 $left 2>/dev/null || :
	[ -z "${KEEP:-}" ] || { mkdir -p "$KEEP" && cp "$s"/*.log "$s/slurm.conf" "$KEEP"; } || :
	rm -rf "$s"
}

# Only a directory that start created.
given() # DIR
{
	s=$1
	case $s in
	/*/cscg-slurm.??????) [ -e "$s/slurm.conf" ] && return ;;
	esac
	echo "sandbox: '$s' is no sandbox" >&2
	exit 2
}

case ${1:-}:$# in
need:1) need ;;
start:1) start 1 ;;
start:2) start "$2" ;;
env:2) given "$2"; env_of ;;
node:3) given "$2"; node_start "$3" ;;
lose:3) given "$2"; ours "$3" || die "$3 is not running"; kill -9 "$pid" ;;
stop:2) given "$2"; stop ;;
*)
	echo 'usage: sandbox.sh need | start [NODES] | env DIR |' \
	    'node DIR NAME | lose DIR NAME | stop DIR' >&2
	exit 2 ;;
esac
