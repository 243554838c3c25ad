//! Reads the tables of words in `tables`, each a text file for one subject.
//!
//! A line has words between spaces, or is a comment that begins with `#`. A line may begin with a
//! `[heading]`, which holds for the words of this and the following lines.

/// The lines of a table that are no comments: the heading that each is under, and its words.
pub(crate) fn lines(table: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let mut heading = "";
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    lines.map(move |line| {
        let headed = line.strip_prefix('[').and_then(|line| line.split_once(']'));
        let (found, words) = headed.unwrap_or((heading, line));
        heading = found;
        (heading, words)
    })
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn a_heading_holds_until_the_next_one() {
        let table = "# a\nb\n[C D] e f\n# g\nh\n[I]\nj";
        let read: Vec<_> = lines(table).collect();
        let expect = [
            ("", "b"),
            ("C D", " e f"),
            ("C D", "h"),
            ("I", ""),
            ("I", "j"),
        ];
        assert_eq!(read, expect);
    }
}
