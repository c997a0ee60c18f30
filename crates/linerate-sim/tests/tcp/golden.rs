//! Packet traces, to be read line by line: a line that moves is a protocol that changed.

use linerate_core::units::{Size, Span};

use super::path::Way;
use super::settings::{self, Recovery};
use super::task::{Step, reader, stopped_reader, writer};
use super::trace::table;
use super::world::{CLIENT, SERVER, World};

/// 100 Mb/s and 1 ms each way: a full frame takes 123.04 us of the wire, the least 6.72 us.
fn way() -> Way {
    Way::new(100_000_000, Span::from_ms(1))
}

fn text(world: &World) -> String {
    table(world.trace.as_ref().expect("it is traced"))
}

/// RFC 9293, 3.5 and 3.6: three segments open it, with what both offer on the SYNs only; the window of a
/// SYN is not scaled. Each FIN takes a position and is acknowledged; timestamps echo what came last.
#[test]
fn handshake_and_close() {
    let mut world = World::even(&settings::kernel("linux-modern", 1500), &way());
    world.traced().task(CLIENT, writer(1, 300)).task(SERVER, reader(300));
    world.run_to_the_end(Span::from_ms(100_000));
    insta::assert_snapshot!(text(&world), @r"
        us from   flags  sequence    bytes     ack  window  arrives
       0.0 client S             0        0       -   65535   1007.8  mss 1460, wscale 7, sack-permitted, ts 1/0
    1007.8 server S.            0        0       1   65535   2015.7  mss 1460, wscale 7, sack-permitted, ts 2/1
    2015.7 client .             1        0       1 3145728   3022.9  ts 3/2
    2015.7 client writes 300
    2015.7 client P.            1      300       1 3145728   3054.1  ts 3/2
    2015.7 client closes
    2015.7 client F.          301        0       1 3145728   3061.3  ts 3/2
    3054.1 server .             1        0     301 3145600   4061.3  ts 4/3
    3054.1 server reads 300
    3054.1 server closes
    3054.1 server F.            1        0     301 3145728   4068.5  ts 4/3
    3061.3 server .             2        0     302 3145728   4075.7  ts 4/3
    4068.5 client .           302        0       2 3145728   5075.7  ts 5/4
    ");
}

/// RFC 5681, 3.2: each segment beyond the gap repeats the acknowledgement, and the third duplicate, at
/// 4888.5, brings the lost one again; its arrival is acknowledged with all that waited for it.
#[test]
fn fast_retransmit() {
    let settings = settings::textbook(Recovery::NewReno);
    let mut world = World::pair([&settings, &settings], [way().drop(&[4]), way()]);
    world.traced().task(CLIENT, vec![Step::Write(14_600)]).task(SERVER, vec![Step::Read(14_600)]);
    world.run(Span::from_ms(100_000));
    insta::assert_snapshot!(text(&world), @r"
        us from   flags  sequence    bytes     ack  window  arrives
       0.0 client S             0        0       -   65535   1006.9  mss 1460, wscale 7
    1006.9 server S.            0        0       1   65535   2013.8  mss 1460, wscale 7
    2013.8 client .             1        0       1 4194304   3020.5
    2013.8 client writes 14600
    2013.8 client .             1     1460       1 4194304   3143.5
    2013.8 client .          1461     1460       1 4194304   3266.6
    2013.8 client .          2921     1460       1 4194304   3389.6
    2013.8 client .          4381     1460       1 4194304     LOST
    2013.8 client .          5841     1460       1 4194304   3635.7
    2013.8 client .          7301     1460       1 4194304   3758.7
    2013.8 client .          8761     1460       1 4194304   3881.8
    2013.8 client .         10221     1460       1 4194304   4004.8
    2013.8 client .         11681     1460       1 4194304   4127.8
    2013.8 client P.        13141     1460       1 4194304   4250.9
    3143.5 server .             1        0    1461 4192896   4150.2
    3143.5 server reads 1460
    3266.6 server .             1        0    2921 4192896   4273.3
    3266.6 server reads 1460
    3389.6 server .             1        0    4381 4192896   4396.3
    3389.6 server reads 1460
    3635.7 server .             1        0    4381 4192896   4642.4
    3758.7 server .             1        0    4381 4192896   4765.4
    3881.8 server .             1        0    4381 4192896   4888.5
    4004.8 server .             1        0    4381 4192896   5011.5
    4127.8 server .             1        0    4381 4192896   5134.6
    4250.9 server .             1        0    4381 4192896   5257.6
    4888.5 client .          4381     1460       1 4194304   6011.5
    6011.5 server .             1        0   14601 4184192   7018.2
    6011.5 server reads 10220
    ");
}

/// RFC 2018, 4: the block that changed comes first. RFC 6675, 4 and 5: a hole below three selected segments
/// is lost; of nine segments on the way four and a half are let be, so that the second and the third hole
/// wait until `pipe` has room.
#[test]
fn sack_recovery() {
    let settings = settings::textbook(Recovery::Sack);
    let mut world = World::pair([&settings, &settings], [way().drop(&[4, 6, 8]), way()]);
    world.traced().task(CLIENT, vec![Step::Write(17_520)]).task(SERVER, vec![Step::Read(17_520)]);
    world.run(Span::from_ms(100_000));
    insta::assert_snapshot!(text(&world), @r"
        us from   flags  sequence    bytes     ack  window  arrives
       0.0 client S             0        0       -   65535   1007.2  mss 1460, wscale 7, sack-permitted
    1007.2 server S.            0        0       1   65535   2014.4  mss 1460, wscale 7, sack-permitted
    2014.4 client .             1        0       1 4194304   3021.1
    2014.4 client writes 17520
    2014.4 client .             1     1460       1 4194304   3144.2
    2014.4 client .          1461     1460       1 4194304   3267.2
    2014.4 client .          2921     1460       1 4194304   3390.2
    2014.4 client .          4381     1460       1 4194304     LOST
    2014.4 client .          5841     1460       1 4194304   3636.3
    2014.4 client .          7301     1460       1 4194304     LOST
    2014.4 client .          8761     1460       1 4194304   3882.4
    2014.4 client .         10221     1460       1 4194304     LOST
    2014.4 client .         11681     1460       1 4194304   4128.5
    2014.4 client .         13141     1460       1 4194304   4251.5
    3144.2 server .             1        0    1461 4192896   4150.9
    3144.2 server reads 1460
    3267.2 server .             1        0    2921 4192896   4273.9
    3267.2 server reads 1460
    3390.2 server .             1        0    4381 4192896   4397.0
    3390.2 server reads 1460
    3636.3 server .             1        0    4381 4192896   4643.5  sack 5841-7301
    3882.4 server .             1        0    4381 4192896   4890.2  sack 8761-10221, sack 5841-7301
    4128.5 server .             1        0    4381 4192896   5137.0  sack 11681-13141, sack 8761-10221, sack 5841-7301
    4150.9 client .         14601     1460       1 4194304   5273.9
    4150.9 client P.        16061     1460       1 4194304   5397.0
    4251.5 server .             1        0    4381 4192896   5260.0  sack 11681-14601, sack 8761-10221, sack 5841-7301
    5137.0 client .          4381     1460       1 4194304   6260.0
    5273.9 server .             1        0    4381 4192896   6282.4  sack 11681-16061, sack 8761-10221, sack 5841-7301
    5397.0 server .             1        0    4381 4192896   6405.4  sack 11681-17521, sack 8761-10221, sack 5841-7301
    6260.0 server .             1        0    7301 4190080   7267.8  sack 11681-17521, sack 8761-10221
    6260.0 server reads 2920
    6282.4 client .          7301     1460       1 4194304   7405.4
    6282.4 client .         10221     1460       1 4194304   7528.5
    7405.4 server .             1        0   10221 4187264   8412.6  sack 11681-17521
    7405.4 server reads 2920
    7528.5 server .             1        0   17521 4187008   8535.2
    7528.5 server reads 7300
    ");
}

/// RFC 5681, 4.2: the second full segment is acknowledged at once, the third after 40 ms.
#[test]
fn delayed_acknowledgement() {
    let settings = settings::delaying(settings::textbook(Recovery::NewReno), Span::from_ms(40));
    let mut world = World::even(&settings, &way());
    world.traced().task(CLIENT, vec![Step::Write(4_380)]).task(SERVER, vec![Step::Read(4_380)]);
    world.run_while(Span::from_ms(100), |_| true);
    insta::assert_snapshot!(text(&world), @r"
         us from   flags  sequence    bytes     ack  window  arrives
        0.0 client S             0        0       -   65535   1006.9  mss 1460, wscale 0
     1006.9 server S.            0        0       1   65535   2013.8  mss 1460, wscale 0
     2013.8 client .             1        0       1   65535   3020.5
     2013.8 client writes 4380
     2013.8 client .             1     1460       1   65535   3143.5
     2013.8 client .          1461     1460       1   65535   3266.6
     2013.8 client P.         2921     1460       1   65535   3389.6
     3143.5 server reads 1460
     3266.6 server .             1        0    2921   64075   4273.3
     3266.6 server reads 1460
     3389.6 server reads 1460
    43390.0 server .             1        0    4381   65535  44396.7
    ");
}

/// RFC 896: the second write waits for the acknowledgement of the first, which waits 40 ms for company.
#[test]
fn nagle_with_delayed_acknowledgement() {
    let settings = settings::delaying(settings::textbook(Recovery::NewReno), Span::from_ms(40));
    let mut world = World::even(&settings, &way());
    let writes = vec![Step::Write(100), Step::Write(100), Step::Read(100)];
    world.traced().task(CLIENT, writes).task(SERVER, vec![Step::Read(200), Step::Write(100)]);
    world.run(Span::from_ms(100_000));
    insta::assert_snapshot!(text(&world), @r"
         us from   flags  sequence    bytes     ack  window  arrives
        0.0 client S             0        0       -   65535   1006.9  mss 1460, wscale 0
     1006.9 server S.            0        0       1   65535   2013.8  mss 1460, wscale 0
     2013.8 client .             1        0       1   65535   3020.5
     2013.8 client writes 100
     2013.8 client P.            1      100       1   65535   3034.7
     2013.8 client writes 100
     3034.7 server reads 100
    43035.0 server .             1        0     101   65535  44041.7
    44041.7 client P.          101      100       1   65535  45056.0
    45056.0 server reads 100
    45056.0 server writes 100
    45056.0 server P.            1      100     201   65535  46070.2
    46070.2 client reads 100
    ");
}

/// RFC 9293, 3.8.6.1: asked after a retransmission timeout of 1 s and then after twice that, at ticks of 1 ms.
/// The question is a byte that was acknowledged before, as Linux asks. The read that empties the
/// buffer tells of the window at once.
#[test]
fn zero_window_and_its_probe() {
    let mut settings = settings::textbook(Recovery::NewReno);
    settings.receive_buffer = Some(Size(5_840));
    let mut world = World::even(&settings, &way());
    world.traced().task(CLIENT, vec![Step::Write(8_760)]);
    world.task(SERVER, stopped_reader(8_760, Span::from_ms(5_000)));
    world.run(Span::from_ms(100_000));
    insta::assert_snapshot!(text(&world), @r"
           us from   flags  sequence    bytes     ack  window  arrives
          0.0 client S             0        0       -    5840   1006.9  mss 1460, wscale 0
       1006.9 server S.            0        0       1    5840   2013.8  mss 1460, wscale 0
       2013.8 client .             1        0       1    5840   3020.5
       2013.8 client writes 8760
       2013.8 client .             1     1460       1    5840   3143.5
       2013.8 client .          1461     1460       1    5840   3266.6
       2013.8 client .          2921     1460       1    5840   3389.6
       2013.8 client .          4381     1460       1    5840   3512.6
       3143.5 server .             1        0    1461    4380   4150.2
       3266.6 server .             1        0    2921    2920   4273.3
       3389.6 server .             1        0    4381    1460   4396.3
       3512.6 server .             1        0    5841       0   4519.4
    1005000.0 client .          5840        0       1    5840 1006006.7
    1006006.7 server .             1        0    5841       0 1007013.4
    3005000.0 client .          5840        0       1    5840 3006006.7
    3006006.7 server .             1        0    5841       0 3007013.4
    5003020.5 server reads 5840
    5003020.5 server .             1        0    5841    5840 5004027.2
    5004027.2 client .          5841     1460       1    5840 5005150.2
    5004027.2 client P.         7301     1460       1    5840 5005273.3
    5005150.2 server .             1        0    7301    4380 5006157.0
    5005150.2 server reads 1460
    5005273.3 server .             1        0    8761    4380 5006280.0
    5005273.3 server reads 1460
    5005273.3 server closes
    5005273.3 server F.            1        0    8761    5840 5006286.7
    ");
}
