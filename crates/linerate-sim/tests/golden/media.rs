//! Size x medium: one-way times and throughput of a ping-pong.

use std::fmt::Write as _;

use linerate_core::pattern::Pattern;
use linerate_core::series::Point;

use crate::support::measured::measured;

const SIZES: [u64; 6] = [1, 64, 1024, 16_384, 262_144, 1_048_576];
const MEDIA: [(&str, &str); 8] = [
    ("10BASE-T", "medium = 'ethernet', phy = '10BASE-T'"),
    ("100BASE-TX", "medium = 'ethernet', phy = '100BASE-TX'"),
    ("1000BASE-T", "medium = 'ethernet', phy = '1000BASE-T'"),
    ("10GBASE-R", "medium = 'ethernet', phy = '10GBASE-R'"),
    ("ATM OC-3c", "medium = 'atm', phy = 'OC-3c'"),
    ("FDDI", "medium = 'fddi'"),
    ("FC 1062", "medium = 'fibre-channel', mbaud = 1062.5"),
    ("Myrinet", "medium = 'myrinet'"),
];

/// A row a size, a column a medium.
fn table(cell: impl Fn(&Point) -> f64) -> String {
    let column = |network: &str| {
        let text = format!("network = {{ {network} }}");
        measured(&text, Pattern::PingPong, &SIZES).series.points
    };
    let columns = MEDIA.map(|(_, network)| column(network));
    let mut table = format!("{:>8}", "bytes");
    for (name, _) in MEDIA {
        write!(table, " {name:>12}").expect("a String takes all");
    }
    for (row, size) in SIZES.iter().enumerate() {
        write!(table, "\n{size:>8}").expect("a String takes all");
        for points in &columns {
            write!(table, " {:>12.3}", cell(&points[row])).expect("a String takes all");
        }
    }
    table
}

/// The smallest message is a smallest frame, two cells, or 77 B on the ring, and 100 m of cable (10 m
/// of Myrinet). From 16 KiB on it is framing and line rate, here in packets of each medium's MTU.
#[test]
fn one_way_times_by_size_and_medium() {
    let table = table(|point| point.rounds[0].median.as_us());
    insta::assert_snapshot!(table, @r"
      bytes     10BASE-T   100BASE-TX   1000BASE-T    10GBASE-R    ATM OC-3c         FDDI      FC 1062      Myrinet
          1       58.170        6.316        1.132        0.558        6.162        8.817        1.479        0.881
         64      104.570       10.956        1.596        0.604        8.994       13.188        2.044        1.275
       1024      872.570       87.756        9.276        1.372       65.618       89.989       11.079        7.275
      16384    13846.970     1385.196      139.020       14.346      977.263     1337.028      160.161      103.550
     262144   220938.170    22094.316     2209.932      221.438    15591.900    21378.879     2543.371     1647.800
    1048576   883717.370    88372.236     8837.724      884.217    62363.267    85535.631    10170.288     6588.575
    ");
}

/// Half the size over half the round trip. It ends at what a stream has: .9493 of an Ethernet, 134.51
/// of ATM, 98.27 less the token's turns of FDDI, 824.9 of Fibre Channel, 1274 of Myrinet.
#[test]
fn throughput_by_size_and_medium() {
    let table = table(|point| point.throughput().expect("it took some time").as_mbps());
    insta::assert_snapshot!(table, @r"
      bytes     10BASE-T   100BASE-TX   1000BASE-T    10GBASE-R    ATM OC-3c         FDDI      FC 1062      Myrinet
          1        0.138        1.267        7.067       14.347        1.298        0.907        5.410        9.078
         64        4.896       46.732      320.802      847.682       56.929       38.822      250.547      401.569
       1024        9.388       93.350      883.139     5970.845      124.845       91.034      739.429     1126.048
      16384        9.466       94.623      942.828     9136.229      134.122       98.032      818.376     1265.785
     262144        9.492       94.918      948.967     9470.623      134.503       98.095      824.556     1272.698
    1048576        9.492       94.924      949.182     9487.049      134.512       98.072      824.815     1273.205
    ");
}
