//! Parses `git cat-file --batch`.

use std::str;

use crate::git::Oid;

/// Reads `git cat-file --batch-check`: the contents among the objects, with their
/// sizes in bytes.
pub fn blob_sizes(bytes: &[u8]) -> impl Iterator<Item = (Oid, usize)> {
    bytes.split(|&byte| byte == b'\n').filter_map(head)
}

/// Reads `git cat-file --batch` of contents.
pub fn blobs(bytes: &[u8]) -> impl Iterator<Item = (Oid, Vec<u8>)> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let end = rest.iter().position(|&byte| byte == b'\n')?;
        let (id, size) = head(&rest[..end])?;
        let content = rest.get(end + 1..)?.get(..size)?;
        rest = rest[end + 1 + size..].strip_prefix(b"\n")?;
        Some((id, content.to_vec()))
    })
}

/// `ID blob SIZE`.
fn head(line: &[u8]) -> Option<(Oid, usize)> {
    let mut words = str::from_utf8(line).ok()?.split(' ');
    let id = Oid::parse(words.next()?)?;
    if words.next()? != "blob" {
        return None;
    }
    let size = words.next()?.parse().ok()?;
    Some((id, size))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_are_taken_by_their_sizes_whatever_is_in_them() {
        let [one, two] = ["1".repeat(40), "2".repeat(40)];
        let text = format!("{one} blob 9\na blob 3\n\n{two} blob 0\n\n");
        let read: Vec<_> = blobs(text.as_bytes())
            .map(|(id, content)| (id.to_string(), content))
            .collect();
        let expected = [
            (one.clone(), b"a blob 3\n".to_vec()),
            (two.clone(), Vec::new()),
        ];
        assert_eq!(read, expected);
        assert!(
            blobs(format!("{one} blob 9\nshort\n").as_bytes())
                .next()
                .is_none()
        );
        let sizes = format!("{one} blob 9\n{two} tree 5\n{two} missing\n");
        let sizes: Vec<_> = blob_sizes(sizes.as_bytes()).map(|(_, size)| size).collect();
        assert_eq!(sizes, [9]);
    }
}
