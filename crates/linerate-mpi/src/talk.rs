//! What ranks tell each other besides what is measured: orders, results, and what each saw.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::sys::{Group, MpiError};

/// The tag of all that is told.
const TAG: i32 = 3;

fn unread(error: &serde_json::Error) -> MpiError {
    MpiError { call: "read what another rank says", reason: error.to_string() }
}

impl Group {
    /// Tells rank `to`, which [hears](Self::hear) it.
    ///
    /// # Errors
    ///
    /// What the MPI says.
    pub fn tell(&self, to: usize, what: &impl Serialize) -> Result<(), MpiError> {
        let text = serde_json::to_vec(what).map_err(|error| unread(&error))?;
        self.send(to, TAG, &text)
    }

    /// What rank `from` [tells](Self::tell).
    ///
    /// # Errors
    ///
    /// What the MPI says, or that it is something else.
    pub fn hear<T: DeserializeOwned>(&self, from: usize) -> Result<T, MpiError> {
        let mut text = vec![0; self.probe(from, TAG)?];
        self.recv(from, TAG, &mut text)?;
        serde_json::from_slice(&text).map_err(|error| unread(&error))
    }

    /// Rank 0 tells all others, and every rank has it.
    ///
    /// # Errors
    ///
    /// As [`tell`](Self::tell) and [`hear`](Self::hear).
    pub fn share<T: Serialize + DeserializeOwned>(&self, of_first: Option<T>) -> Result<T, MpiError> {
        let Some(what) = of_first.filter(|_| self.rank() == 0) else { return self.hear(0) };
        (1..self.size()).try_for_each(|to| self.tell(to, &what))?;
        Ok(what)
    }

    /// What every rank says, at rank 0; nothing at the others.
    ///
    /// # Errors
    ///
    /// As [`tell`](Self::tell) and [`hear`](Self::hear).
    pub fn collect<T: Serialize + DeserializeOwned>(&self, own: T) -> Result<Vec<T>, MpiError> {
        if self.rank() > 0 {
            self.tell(0, &own)?;
            return Ok(Vec::new());
        }
        let others = (1..self.size()).map(|from| self.hear(from));
        std::iter::once(Ok(own)).chain(others).collect()
    }
}
