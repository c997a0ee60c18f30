//! How large a packet may be between two hosts with a router between them, each way by itself.

use linerate_core::caution::{Caution, Side};
use linerate_core::run::{PathMtu, WayMtu};

use crate::support::{Desk, PROGRAM, has, is_root};

/// A host on each side of a router, whose routes have an MTU. All of it goes with the shell. The arguments are the
/// program, the verb, the MTU of each way, and `lost` where the router's ICMP is.
const ROUTER: &str = r#"
set -e
mount -t tmpfs none /run
rm -f served
ip link set lo up
echo 1 > /proc/sys/net/ipv4/ip_forward
for host in a b; do
  ip netns add $host
  ip link add r$host type veth peer name eth0 netns $host
  ip link set r$host up
  ip -n $host link set lo up
  ip -n $host link set eth0 up
done
ip address add 10.77.1.254/24 dev ra
ip address add 10.77.2.254/24 dev rb
ip -n a address add 10.77.1.1/24 dev eth0
ip -n b address add 10.77.2.1/24 dev eth0
ip -n a route add default via 10.77.1.254
ip -n b route add default via 10.77.2.254
ip route change 10.77.2.0/24 dev rb mtu lock "$2"
ip route change 10.77.1.0/24 dev ra mtu lock "$3"
if [ "$4" = lost ]; then ip rule add ipproto icmp type blackhole; fi
ip netns exec b "$0" serve --open --listen 10.77.2.1:5470 > served &
trap "kill $!" EXIT
until grep -q "listening on" served; do sleep 0.1; done
ip netns exec a "$0" $1 10.77.2.1 --time 300ms --out x.run.json --force
"#;

#[test]
fn each_way_has_its_mtu_and_a_black_hole_is_named() {
    if !is_root() || !has("unshare") || !has("ip") {
        return;
    }
    let desk = Desk::new();
    let seed = std::process::id();
    eprintln!("seed {seed}");
    // Narrow one way, both or neither, by what is tried and what is not.
    let drawn = |number: u32| match seed.wrapping_mul(2_654_435_761).rotate_left(number * 5) % 5 {
        0 | 1 => 1_500,
        2 => 1_400,
        other => 1_281 + (seed / other) % 219,
    };
    for (number, (verb, icmp)) in (1..).zip([("stream", "heard"), ("stream", "lost"), ("measure", "lost")]) {
        let mtus = [drawn(number), if number == 2 { 1_380 } else { drawn(number + 3) }];
        let texts = mtus.map(|mtu| mtu.to_string());
        let arguments = ["-m", "-n", "sh", "-c", ROUTER, PROGRAM, verb, &texts[0], &texts[1], icmp];
        // Data of TCP vanishes in a black hole, and the run says so.
        let said = desk.finish(desk.command("unshare", &arguments));
        assert!(said.code == Some(0) || icmp == "lost", "{}", said.stderr);
        let run = desk.run_file("x.run.json");
        let PathMtu { there, back } =
            *run.path().mtu.known().unwrap_or_else(|| panic!("{:?}", run.path().mtu));
        for (side, way, mtu) in [(Side::Local, there, mtus[0]), (Side::Remote, back, mtus[1])] {
            let mtu = u64::from(mtu);
            let WayMtu { interface_bytes, largest_bytes, announced_bytes } = way;
            assert_eq!(interface_bytes, 1_500);
            assert!(largest_bytes <= mtu && largest_bytes + 40 >= mtu, "{mtus:?} {icmp}: {way:?}");
            let named = run
                .cautions
                .iter()
                .any(|caution| matches!(caution, Caution::BlackHole { side: at, .. } if *at == side));
            let hole = icmp == "lost" && mtu < 1_500;
            assert_eq!(named, hole, "{mtus:?} {icmp}: {:?}", run.cautions);
            assert_eq!(announced_bytes, if icmp == "heard" { mtu } else { 1_500 }, "{mtus:?}");
            if icmp == "heard" || mtu == 1_500 {
                assert_eq!(largest_bytes, mtu, "{mtus:?} {icmp}");
            }
        }
    }
}
