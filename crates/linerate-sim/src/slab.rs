//! Things in flight, found by a small number.

use std::ops::{Index, IndexMut};

/// Numbered places that are reused, so that the steady state does not allocate.
#[derive(Debug)]
pub(crate) struct Slab<T> {
    places: Vec<T>,
    free: Vec<u32>,
}

impl<T: Copy> Slab<T> {
    pub(crate) const fn new() -> Self {
        Self { places: Vec::new(), free: Vec::new() }
    }

    /// How many things are in it.
    pub(crate) const fn len(&self) -> usize {
        self.places.len() - self.free.len()
    }

    pub(crate) fn insert(&mut self, thing: T) -> u32 {
        if let Some(place) = self.free.pop() {
            self.places[place as usize] = thing;
            return place;
        }
        let place = u32::try_from(self.places.len()).expect("fewer than 2^32 things are in flight");
        self.places.push(thing);
        place
    }

    /// Takes out what is at `place`; its number will name something else.
    pub(crate) fn remove(&mut self, place: u32) -> T {
        self.free.push(place);
        self.places[place as usize]
    }
}

impl<T> Index<u32> for Slab<T> {
    type Output = T;
    fn index(&self, place: u32) -> &T {
        &self.places[place as usize]
    }
}

impl<T> IndexMut<u32> for Slab<T> {
    fn index_mut(&mut self, place: u32) -> &mut T {
        &mut self.places[place as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_that_became_free_is_used_again() {
        let mut slab = Slab::new();
        let [first, second] = [slab.insert('a'), slab.insert('b')];
        assert_eq!((slab.remove(first), slab.len()), ('a', 1));
        assert_eq!(slab.insert('c'), first);
        assert_eq!((slab[first], slab[second], slab.len()), ('c', 'b', 2));
    }
}
