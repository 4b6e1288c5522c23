//! A gzip stream that is small on the wire and large once unpacked.

use std::iter;

use axum::body::{Body, Bytes};
use flate2::{Compress, Compression, Crc, FlushCompress};
use futures_util::stream;

/// What one repeated block unpacks to.
const BLOCK: usize = 1 << 20;

/// Deflate, no name, no time, unknown system.
const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];

/// Valid JSON, an empty list with at least `bytes` of blanks in it. One block
/// is packed once and sent as often as it takes, so a gibibyte costs the forge
/// nothing.
pub(super) fn body(bytes: u64) -> Body {
    let blank = vec![b' '; BLOCK];
    let blocks = bytes.div_ceil(BLOCK as u64);
    let mut checksum = Crc::new();
    checksum.update(b"[");
    let mut of_block = Crc::new();
    of_block.update(&blank);
    for _ in 0..blocks {
        checksum.combine(&of_block);
    }
    checksum.update(b"]");

    let mut start = HEADER.to_vec();
    start.extend(packed(b"[", FlushCompress::Full));
    let mut end = packed(b"]", FlushCompress::Finish);
    end.extend(checksum.sum().to_le_bytes());
    end.extend(checksum.amount().to_le_bytes());

    let block = Bytes::from(packed(&blank, FlushCompress::Full));
    let middle = (0..blocks).map(move |_| block.clone());
    let chunks = iter::once(Bytes::from(start))
        .chain(middle)
        .chain(iter::once(Bytes::from(end)));
    Body::from_stream(stream::iter(chunks.map(Ok::<_, std::convert::Infallible>)))
}

/// A piece of a raw stream that stands on its own: a full flush ends at a byte
/// and forgets what came before.
fn packed(bytes: &[u8], flush: FlushCompress) -> Vec<u8> {
    let mut compress = Compress::new(Compression::best(), false);
    let mut out = Vec::with_capacity(bytes.len() / 64 + 64);
    loop {
        let taken = usize::try_from(compress.total_in()).unwrap_or(bytes.len());
        let before = out.len();
        let status = compress.compress_vec(&bytes[taken..], &mut out, flush);
        let done = compress.total_in() == bytes.len() as u64 && out.len() < out.capacity();
        if status.is_err() || done || (out.len() == before && out.len() < out.capacity()) {
            return out;
        }
        out.reserve(4096);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    #[tokio::test]
    async fn it_unpacks_to_valid_json_of_that_size() {
        let packed = axum::body::to_bytes(body(5 << 20), usize::MAX)
            .await
            .unwrap();
        assert!(packed.len() < 40_000, "{}", packed.len());
        let mut text = String::new();
        flate2::read::GzDecoder::new(&packed[..])
            .read_to_string(&mut text)
            .unwrap();
        assert_eq!(text.len(), (5 << 20) + 2);
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&text).unwrap(),
            serde_json::json!([])
        );
    }
}
