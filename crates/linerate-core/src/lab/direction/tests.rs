//! Which values a direction has, and which it cannot have.

use super::*;
use crate::lab::Layout;

fn link(text: &str) -> Result<[Direction; 2], LabPlanError> {
    let text = format!("hosts = ['a', 'b']\nloss = 0.5\nlink = [{{ between = ['a', 'b'], {text} }}]");
    Ok(Layout::of(&LabPlan::from_toml(&text)?)?.links[0].directions)
}

#[test]
fn a_direction_has_what_it_says_then_what_the_link_says_then_what_the_laboratory_says() {
    let text = "delay = '5ms', rate-mbps = 10, forward = { delay = '1s', loss = 0, burst = 0 }, \
                reverse = { rate-mbps = 1, queue = '4KiB', jitter = '2ms' }";
    let [forward, reverse] = link(text).expect("a link");
    assert_eq!((forward.impairment.delay, reverse.impairment.delay), (Span::from_ms(1000), Span::from_ms(5)));
    assert_eq!((forward.impairment.loss, reverse.impairment.loss), (0.0, 0.5));
    assert!(forward.impairment.only_delays() && !reverse.impairment.only_delays());
    assert_eq!(reverse.impairment.jitter, Span::from_ms(2));
    let [forward, reverse] = [forward, reverse].map(|direction| direction.bucket.expect("it has a rate"));
    assert_eq!((forward.rate, forward.burst), (Rate::from_mbps(10.0), Size(0)));
    assert_eq!((reverse.rate, reverse.queue), (Rate::from_mbps(1.0), Size(4096)));
}

#[test]
fn what_no_link_can_do_is_refused() {
    for (text, wanted) in [
        ("loss = 1.5", "loss is 1.5; it is a share: from 0 to 1"),
        ("reverse = { corrupt = -1 }", "corrupt is -1; it is a share: from 0 to 1"),
        ("delay = '11s'", "delay is 11.0 s; it must be at most 10s"),
        ("loss-burst = 0.5", "loss-burst is 0.5; it must be from 1 to 1000000 frames in a row"),
        (
            "loss = 0.8, loss-burst = 2",
            "loss is 0.8; bursts of 2 frames with one between them lose 0.667 of all",
        ),
        ("burst = 0", "link.burst is 0 B; it belongs to a rate: give link.rate-mbps, or leave it out"),
        (
            "reverse = { queue = '4KiB' }",
            "link.queue is 4 KiB; it belongs to a rate: give link.rate-mbps, or leave it out",
        ),
    ] {
        assert_eq!(link(text).expect_err(text).to_string(), wanted, "{text}");
    }
    let unknown = link("forward = { los = 1 }").expect_err("no such key").to_string();
    assert!(unknown.contains("unknown field `los`"), "{unknown}");
}

#[test]
fn a_burst_of_losses_belongs_to_a_loss_and_goes_with_it() {
    let plan = "hosts = ['a', 'b']\nloss-burst = 2\nlink = [{ between = ['a', 'b'] }]";
    let plan = LabPlan::from_toml(plan).expect("a plan");
    let error = Layout::of(&plan).expect_err("it loses nothing").to_string();
    assert_eq!(error, "loss-burst is 2; it belongs to a loss: give loss too");
    let [forward, reverse] = link("loss-burst = 2, reverse = { loss = 0 }").expect("a link");
    assert_eq!(forward.impairment.loss_burst, Some(2.0));
    assert_eq!(reverse.impairment, Impairment::default());
}

#[test]
fn it_is_said_in_a_few_words() {
    let [forward, reverse] = link("delay = '5ms', rate-mbps = 10, reverse = { loss = 0 }").expect("a link");
    assert_eq!(forward.to_string(), "10.0 Mb/s, delay 5.00 ms, loss 0.5");
    assert_eq!(reverse.to_string(), "10.0 Mb/s, delay 5.00 ms");
    assert_eq!(Direction::default().to_string(), "");
}
