//! The four loops of STREAM, over slices of doubles. They are scalar; the compiler makes vectors of them.
//!
//! Source: McCalpin, STREAM 5.10 (`stream.c`), the loops of `main` and `checkSTREAMresults`.

use linerate_core::host_limits::Kernel;

use super::WrongResult;

/// What scale and triad multiply by.
pub(super) const SCALAR: f64 = 3.0;
/// What the arrays a, b and c hold before the first pass.
pub(super) const START: [f64; 3] = [1.0, 2.0, 0.0];
/// A pass makes the values 15 times as large: more passes would leave the range of a double.
pub(super) const MOST_PASSES: usize = 100;
/// How far an element may be off, as a share of its value. Source: as above, for doubles.
const TOLERANCE: f64 = 1e-13;

/// A part of the three arrays.
pub(super) struct Part<'a> {
    pub(super) a: &'a mut [f64],
    pub(super) b: &'a mut [f64],
    pub(super) c: &'a mut [f64],
}

impl Part<'_> {
    /// Writes the values before the first pass: whoever does it first decides where the memory is.
    pub(super) fn touch(&mut self) {
        self.a.fill(START[0]);
        self.b.fill(START[1]);
        self.c.fill(START[2]);
    }

    /// Runs a kernel over the part.
    #[inline(never)]
    pub(super) fn run(&mut self, kernel: Kernel) {
        match kernel {
            Kernel::Copy => copy(self.c, self.a),
            Kernel::Scale => scale(self.b, self.c),
            Kernel::Add => add(self.c, self.a, self.b),
            Kernel::Triad => triad(self.a, self.b, self.c),
        }
    }
}

pub(super) fn copy(to: &mut [f64], from: &[f64]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = *from;
    }
}

fn scale(to: &mut [f64], from: &[f64]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = SCALAR * *from;
    }
}

fn add(to: &mut [f64], one: &[f64], other: &[f64]) {
    for ((to, one), other) in to.iter_mut().zip(one).zip(other) {
        *to = *one + *other;
    }
}

pub(super) fn triad(to: &mut [f64], one: &[f64], other: &[f64]) {
    for ((to, one), other) in to.iter_mut().zip(one).zip(other) {
        *to = *one + SCALAR * *other;
    }
}

/// Checks every element after so many passes.
///
/// The last word on an array has the kernel that writes it last: triad on a, scale on b, add on c. A wrong copy shows in
/// the result of scale, which reads it.
///
/// # Errors
///
/// The first element that is off by more than 1e-13 of its value.
pub(super) fn validate([a, b, c]: [&[f64]; 3], passes: usize) -> Result<(), WrongResult> {
    let [mut of_a, mut of_b, mut of_c] = START;
    for _ in 0..passes {
        of_c = of_a;
        of_b = SCALAR * of_c;
        of_c = of_a + of_b;
        of_a = of_b + SCALAR * of_c;
    }
    for (kernel, array, expected) in
        [(Kernel::Scale, b, of_b), (Kernel::Add, c, of_c), (Kernel::Triad, a, of_a)]
    {
        // What is no number is not right either.
        let is_right = |found: f64| (found - expected).abs() <= TOLERANCE * expected.abs();
        if let Some(element) = array.iter().position(|found| !is_right(*found)) {
            return Err(WrongResult { kernel, element, found: array[element], expected });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ELEMENTS: usize = 1_003;

    fn after(passes: usize) -> [Vec<f64>; 3] {
        let [mut a, mut b, mut c] = [(); 3].map(|()| vec![0.0; ELEMENTS]);
        let mut part = Part { a: &mut a, b: &mut b, c: &mut c };
        part.touch();
        for _ in 0..passes {
            Kernel::ALL.into_iter().for_each(|kernel| part.run(kernel));
        }
        [a, b, c]
    }

    fn slices(arrays: &[Vec<f64>; 3]) -> [&[f64]; 3] {
        arrays.each_ref().map(Vec::as_slice)
    }

    /// By hand: c = 1, b = 3, c = 1 + 3 = 4, a = 3 + 3 x 4 = 15; each pass multiplies by 15.
    #[test]
    fn the_values_are_those_of_the_definition() {
        for (passes, factor) in [(1, 1.0), (2, 15.0), (3, 225.0)] {
            let [a, b, c] = after(passes);
            assert!(a.iter().all(|value| *value == 15.0 * factor), "a after {passes}");
            assert!(b.iter().all(|value| *value == 3.0 * factor), "b after {passes}");
            assert!(c.iter().all(|value| *value == 4.0 * factor), "c after {passes}");
        }
    }

    #[test]
    fn each_kernel_alone_writes_its_array_and_no_other() {
        let run = |kernel| {
            let [mut a, mut b, mut c] = [vec![2.0; 5], vec![5.0; 5], vec![7.0; 5]];
            Part { a: &mut a, b: &mut b, c: &mut c }.run(kernel);
            [a[4], b[4], c[4]]
        };
        assert_eq!(run(Kernel::Copy), [2.0, 5.0, 2.0]);
        assert_eq!(run(Kernel::Scale), [2.0, 21.0, 7.0]);
        assert_eq!(run(Kernel::Add), [2.0, 5.0, 7.0], "2 + 5");
        assert_eq!(run(Kernel::Triad), [26.0, 5.0, 7.0], "5 + 3 x 7");
    }

    #[test]
    fn the_most_passes_stay_within_doubles() {
        let arrays = after(MOST_PASSES);
        assert!(arrays.iter().flatten().all(|value| value.is_finite() && *value > 0.0));
        assert_eq!(validate(slices(&arrays), MOST_PASSES), Ok(()));
    }

    #[test]
    fn a_corrupted_element_is_named_with_its_kernel() {
        for (array, kernel, expected) in
            [(0, Kernel::Triad, 3375.0), (1, Kernel::Scale, 675.0), (2, Kernel::Add, 900.0)]
        {
            for element in [0, 517, ELEMENTS - 1] {
                let mut arrays = after(3);
                let found = expected * (1.0 + 1e-12);
                arrays[array][element] = found;
                let wrong = validate(slices(&arrays), 3).expect_err("it is wrong");
                assert_eq!(wrong, WrongResult { kernel, element, found, expected });
                arrays[array][element] = f64::NAN;
                assert!(validate(slices(&arrays), 3).is_err(), "no number is wrong");
            }
        }
        let said = validate(slices(&after(2)), 3).expect_err("a pass is missing").to_string();
        assert!(
            said.starts_with("validate the memory that was measured: element 0 of the result of scale is"),
            "{said}"
        );
    }
}
