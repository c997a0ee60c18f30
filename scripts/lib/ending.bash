# What a script made is removed when it ends: by itself, by `exit`, or by SIGINT, SIGTERM or SIGHUP.
#
#   . "$(dirname "$0")/lib/ending.bash"
#   work=$(mktemp -d); at_end rm -rf "$work"
#
# At the end all processes that the script started are ended first, then the commands of `at_end` run, the last one
# first. Register the removal before the making where that can be interrupted, and let it tolerate that nothing is
# there. SIGKILL leaves everything.

ending_commands=()

at_end() { # COMMAND ARGUMENTS...
  ending_commands+=("$(printf '%q ' "$@")")
}

# The processes below PID, stopped: one that goes on could start another that nobody sees, and end.
ending_below() { # PID
  local child
  for child in $(cat /proc/"$1"/task/*/children 2>/dev/null); do
    [ "$child" != "$BASHPID" ] || continue
    kill -STOP "$child" 2>/dev/null || continue
    echo "$child"
    ending_below "$child"
  done
}

# SIGTERM, and after 3 s SIGKILL: `unshare --fork` ignores the first.
ending_processes() {
  local -A seen=()
  local round pid fields alive
  for round in {1..60}; do
    for pid in $(ending_below $$); do
      [ -n "${seen[$pid]:-}" ] || kill -TERM "$pid" 2>/dev/null || true
      kill -CONT "$pid" 2>/dev/null || true
      seen[$pid]=1
    done
    alive=
    for pid in "${!seen[@]}"; do
      # A zombie has ended: bash has not asked for it yet.
      read -r fields 2>/dev/null <"/proc/$pid/stat" || continue
      case ${fields##*) } in [ZX]*) continue ;; esac
      alive=1
      [ "$round" -lt 50 ] || kill -KILL "$pid" 2>/dev/null || true
    done
    [ -n "$alive" ] || return 0
    sleep 0.06
  done
}

ending_now() {
  trap '' INT TERM HUP
  set +e
  ending_processes
  local nth
  for ((nth = ${#ending_commands[@]} - 1; nth >= 0; nth--)); do
    eval "${ending_commands[nth]}"
  done
}

trap ending_now EXIT
# bash ends at once by SIGTERM and SIGHUP and runs what is trapped at EXIT. By SIGINT it would go on if the program that it
# waits for handles it.
trap 'exit 130' INT
