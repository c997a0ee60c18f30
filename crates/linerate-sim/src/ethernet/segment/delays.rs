//! Propagation delays between the seats of a collision domain.

use linerate_core::units::Span;

/// One-way propagation from every seat to every other.
///
/// Not the round trip that the slot time must cover, and repeater delay is part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delays {
    shape: Shape,
    ports: usize,
    longest: Span,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Shape {
    Star { legs: Vec<Span>, hub: Span },
    Equal(Span),
    Matrix(Vec<Span>),
}

impl Delays {
    /// Seats at the ends of a star's legs: leg + hub + leg. One entry for each seat, so that
    /// thousands of seats need thousands of entries and not millions.
    #[must_use]
    pub fn star(legs: Vec<Span>, hub: Span) -> Self {
        let mut longest = [Span::ZERO; 2];
        for leg in &legs {
            if *leg > longest[0] {
                longest = [*leg, longest[0]];
            } else if *leg > longest[1] {
                longest[1] = *leg;
            }
        }
        Self { ports: legs.len(), longest: longest[0] + hub + longest[1], shape: Shape::Star { legs, hub } }
    }

    /// The same delay between any two of this many seats: a star of equal legs.
    #[must_use]
    pub const fn equal(ports: usize, between: Span) -> Self {
        Self { ports, longest: between, shape: Shape::Equal(between) }
    }

    /// Any shape: row after row, the delay from the row's seat to the column's. The diagonal is
    /// not looked at.
    ///
    /// # Panics
    ///
    /// If there are not `ports` times `ports` entries.
    #[must_use]
    pub fn matrix(ports: usize, entries: Vec<Span>) -> Self {
        assert_eq!(entries.len(), ports * ports, "a matrix has an entry for each pair");
        let between = entries.iter().enumerate().filter(|(index, _)| index % ports != index / ports);
        let longest = between.map(|(_, delay)| *delay).max().unwrap_or(Span::ZERO);
        Self { ports, longest, shape: Shape::Matrix(entries) }
    }

    /// How many seats.
    #[must_use]
    pub const fn ports(&self) -> usize {
        self.ports
    }

    /// The longest of them.
    #[must_use]
    pub const fn longest(&self) -> Span {
        self.longest
    }

    /// From one seat to another; nothing from a seat to itself.
    #[must_use]
    pub fn between(&self, from: u32, to: u32) -> Span {
        if from == to {
            return Span::ZERO;
        }
        match &self.shape {
            Shape::Equal(between) => *between,
            Shape::Star { legs, hub } => legs[from as usize] + *hub + legs[to as usize],
            Shape::Matrix(entries) => entries[from as usize * self.ports + to as usize],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_delay_is_that_of_the_farthest_pair_in_every_shape() {
        let ps = Span::from_ps;
        let star = Delays::star(vec![ps(5), ps(40), ps(7), ps(30)], ps(100));
        let entries = (0..16).map(|index| star.between(index / 4, index % 4)).collect();
        let matrix = Delays::matrix(4, entries);
        for (from, to) in (0..4).flat_map(|from| (0..4).map(move |to| (from, to))) {
            assert_eq!(star.between(from, to), matrix.between(from, to));
            assert!(star.between(from, to) <= star.longest());
        }
        assert_eq!((star.longest(), matrix.longest(), star.between(1, 3)), (ps(170), ps(170), ps(170)));
        assert_eq!(Delays::equal(9, ps(3)).longest(), Delays::equal(9, ps(3)).between(8, 0));
    }
}
