# Two hosts for a script: network namespaces `$here` (10.9.0.1) and `$there` (10.9.0.2), and between them a wire on which
# no packet is larger than its MTU. Gone when the script ends.
#
#   linerate=...; . "$(dirname "$0")/lib/two-hosts.bash"        as root; needs ip, tc, nsenter and ethtool
#
# shellcheck shell=bash disable=SC2034 # who reads this uses what it sets
. "$(dirname "${BASH_SOURCE[0]}")/ending.bash"

here=here-$$ there=there-$$ work=$(mktemp -d) host=10.9.0.2
at_end rm -rf "$work"
for netns in "$here" "$there"; do
  at_end ip netns del "$netns"
  ip netns add "$netns"
done
ip link add wire netns "$here" type veth peer name wire netns "$there"
for end in "$here 1" "$there 2"; do
  read -r netns number <<<"$end"
  ip -n "$netns" address add "10.9.0.$number/24" dev wire
  ip -n "$netns" link set lo up
  ip -n "$netns" link set wire up
  ip netns exec "$netns" ethtool -K wire tso off gso off gro off >/dev/null
done
# The kernel finds the carrier within a second, and then whether anybody else has the addresses of IPv6.
for netns in "$here" "$there"; do
  for _ in {1..100}; do
    ip -n "$netns" address show dev wire | grep -qE 'tentative|NO-CARRIER' || break
    sleep .1
  done
done

# serve [COMMAND...]: a server there, started by COMMAND and its arguments if there are any; `serve_with` are its options.
# Of the namespaces it has the network's alone: those of `ip netns exec` hide the control groups.
serve_with=()
serve() {
  rm -f "$work/server"
  "$@" nsenter --net="/run/netns/$there" -- "$linerate" serve --open "${serve_with[@]}" >"$work/server" 2>&1 &
  server=$!
  for _ in {1..200}; do ! grep -qs listen "$work/server" || return 0; sleep .05; done
  echo "the server does not listen: $(cat "$work/server")" >&2
  return 1
}
unserve() {
  kill "$server" 2>/dev/null || true
  wait "$server" 2>/dev/null || true
}
after() { # SECONDS COMMAND...: meanwhile
  local wait=$1
  shift
  { sleep "$wait"; "$@"; } >/dev/null 2>&1 &
}

wrong=0
# says "WHAT" "RIGHT" REGULAR-EXPRESSION STATUS COMMAND...: what must be said, and the exit code (an expression too)
says() {
  local what=$1 right=$2 wanted=$3 status=$4 got=0 verdict='ok   ' line
  shift 4
  timeout -s KILL 90 "$@" >"$work/said" 2>&1 || got=$?
  # Lines of the screen are wrapped.
  tr '\n' ' ' <"$work/said" | tr -s ' ' >"$work/line"
  line=$(grep -oEi -m 1 ".{0,60}($wanted).{0,60}" "$work/line" | head -n 1) || true
  if [ -z "$line" ] || ! [[ $got =~ ^($status)$ ]]; then verdict=WRONG wrong=1; fi
  printf '%s %-62s exit %s  %s\n' "$verdict" "$what" "$got" "${line:-$(tail -n 2 "$work/said" | cut -c 1-160)}"
  [ "$verdict" = 'ok   ' ] || printf '      right is: %s, exit %s\n' "$right" "$status"
}
cannot() { # WHAT WHY
  printf '%s %-62s %s\n' '-    ' "$1" "cannot run here: $2"
}
