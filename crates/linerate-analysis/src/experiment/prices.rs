//! What the parts of a design cost.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Prices, in one currency and of one time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Prices {
    /// Such as `USD`.
    pub currency: String,
    /// Of when, such as `2001-05`.
    pub date: String,
    /// Where they come from.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// How many hosts are bought for. A level may say another number. If absent, 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hosts: Option<u32>,
    /// What every design needs.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub always: BTreeMap<String, Count>,
    /// The parts by name.
    pub part: BTreeMap<String, Part>,
}

/// What one part costs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Part {
    /// Unit: the currency of the prices.
    pub price: f64,
    /// Ports of a switch or repeater: as many whole ones are bought as the hosts need.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ports: Option<u32>,
}

/// How many of a part are needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Count {
    /// This many.
    Number(u32),
    /// For each host one, or as many as have a port for each.
    Each(Each),
}

/// What parts are counted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Each {
    /// One for each host; of a part with ports, as many as give each host a port.
    Host,
}

/// What a design costs, part by part.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Bill {
    /// For how many hosts.
    pub hosts: u32,
    /// Each part: its name, how many, and what they cost together.
    pub items: Vec<(String, u32, f64)>,
}

impl Bill {
    /// All of it. Unit: the currency of the prices.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.items.iter().map(|(_, _, cost)| cost).sum()
    }
}

impl Prices {
    /// What `parts` cost for `hosts` hosts, beside what every design needs.
    ///
    /// # Errors
    ///
    /// The name of a part that has no price.
    pub fn bill(&self, parts: &BTreeMap<String, Count>, hosts: Option<u32>) -> Result<Bill, String> {
        let hosts = hosts.or(self.hosts).unwrap_or(2);
        let item = |(name, count): (&String, &Count)| {
            let part = self.part.get(name).ok_or_else(|| name.clone())?;
            let number = match (count, part.ports) {
                (Count::Number(number), _) => *number,
                (Count::Each(Each::Host), None) => hosts,
                (Count::Each(Each::Host), Some(ports)) => hosts.div_ceil(ports.max(1)),
            };
            Ok((name.clone(), number, f64::from(number) * part.price))
        };
        let items = self.always.iter().chain(parts).map(item).collect::<Result<_, String>>()?;
        Ok(Bill { hosts, items })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The switch of 12 ports, and an adaptor in each host, of a report on clusters of low cost: the figures were
    /// worked out by hand.
    #[test]
    fn switches_are_bought_whole() {
        let prices: Prices = toml::from_str(
            "currency = 'USD'\ndate = '1998'\npart = { switch = { price = 17900, ports = 12 }, adaptor = { price = 1295 } }",
        )
        .expect("prices");
        let each = Count::Each(Each::Host);
        let parts = BTreeMap::from([("switch".to_owned(), each), ("adaptor".to_owned(), each)]);
        let of = |hosts| prices.bill(&parts, Some(hosts)).expect("a bill").total() / f64::from(hosts);
        assert!((of(2) - 10_245.0).abs() < 0.005);
        assert!((of(12) - 2_786.67).abs() < 0.005);
        assert!((of(13) - 4_048.85).abs() < 0.005);
        let parts = BTreeMap::from([("cable".to_owned(), Count::Number(1))]);
        assert_eq!(prices.bill(&parts, None), Err("cable".to_owned()));
    }
}
