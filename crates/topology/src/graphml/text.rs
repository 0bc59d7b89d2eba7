// SPDX-License-Identifier: Apache-2.0
//! The text of a GraphML document from its bytes: its encoding, and its DOCTYPE, which is not for readers of graphs.
//!
//! Source: XML 1.0 (fifth edition), §2.8, §4.3.3 and appendix F. Code points of windows-1252 from the Encoding Standard of
//! the WHATWG, §9.

/// Returns the text of an XML document. White space stands in place of its DOCTYPE, so that places stay what they were.
///
/// # Errors
///
/// If its encoding is not read, if it is not what it declares, or if its DOCTYPE declares entities or defaults of
/// attributes, which would be part of the content: the error, in words.
pub fn decode(bytes: &[u8]) -> Result<String, String> {
    without_doctype(characters(bytes)?)
}

fn characters(bytes: &[u8]) -> Result<String, String> {
    if let Some(rest) = bytes.strip_prefix(b"\xef\xbb\xbf") {
        return utf8(rest);
    }
    match bytes {
        [0xff, 0xfe, rest @ ..] => return utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => return utf16(rest, u16::from_be_bytes),
        [b'<', 0, ..] => return utf16(bytes, u16::from_le_bytes),
        [0, b'<', ..] => return utf16(bytes, u16::from_be_bytes),
        _ => {}
    }
    let Some(name) = declared(bytes) else { return utf8(bytes) };
    match name.to_ascii_lowercase().as_str() {
        "utf-8" | "utf8" | "us-ascii" | "ascii" => utf8(bytes),
        "iso-8859-1" | "latin-1" | "latin1" | "iso_8859-1" => {
            Ok(bytes.iter().copied().map(char::from).collect())
        }
        "iso-8859-15" | "latin-9" | "latin9" => Ok(bytes.iter().copied().map(latin_9).collect()),
        "windows-1252" | "cp1252" => bytes.iter().copied().map(windows_1252).collect(),
        _ => Err(format!("its encoding `{name}` is not read; allowed: {READ}")),
    }
}

fn utf8(bytes: &[u8]) -> Result<String, String> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.to_owned()),
        Err(error) => {
            let line = bytes[..error.valid_up_to()].split(|byte| *byte == b'\n').count();
            Err(format!("not UTF-8 text on line {line}, and it declares no other encoding; read are {READ}"))
        }
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<String, String> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let text: Result<String, _> = char::decode_utf16(pairs.iter().map(|pair| unit(*pair))).collect();
    text.ok().filter(|_| rest.is_empty()).ok_or_else(|| "not UTF-16 text, as its first bytes say".to_owned())
}

/// The encoding in the XML declaration.
fn declared(bytes: &[u8]) -> Option<String> {
    let head = bytes.strip_prefix(b"<?xml")?;
    let head = &head[..head.windows(2).position(|pair| pair == b"?>")?];
    let head = String::from_utf8_lossy(head);
    let value = head.split_once("encoding")?.1.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    Some(value[1..].split(quote).next()?.trim().to_owned())
}

fn latin_9(byte: u8) -> char {
    match byte {
        0xa4 => '\u{20ac}',
        0xa6 => '\u{160}',
        0xa8 => '\u{161}',
        0xb4 => '\u{17d}',
        0xb8 => '\u{17e}',
        0xbc => '\u{152}',
        0xbd => '\u{153}',
        0xbe => '\u{178}',
        other => other.into(),
    }
}

fn windows_1252(byte: u8) -> Result<char, String> {
    match byte {
        0x80..=0x9f => {
            let code = WINDOWS_1252[usize::from(byte - 0x80)];
            let known = char::from_u32(code.into()).filter(|c| *c != '\0');
            known.ok_or_else(|| format!("not windows-1252 text: it has no character {byte:#x}"))
        }
        other => Ok(other.into()),
    }
}

fn without_doctype(text: String) -> Result<String, String> {
    let Some(start) = doctype(&text) else { return Ok(text) };
    let end = start + doctype_end(&text[start..])?;
    let blank: String = text[start..end].chars().map(|c| if c == '\n' { c } else { ' ' }).collect();
    Ok([&text[..start], &blank, &text[end..]].concat())
}

/// Start of the DOCTYPE, which is before the first element.
fn doctype(text: &str) -> Option<usize> {
    let mut at = 0;
    loop {
        let rest = &text[at..];
        at += rest.len() - rest.trim_start().len();
        let rest = rest.trim_start();
        let end = if rest.starts_with("<?") {
            "?>"
        } else if rest.starts_with("<!--") {
            "-->"
        } else {
            return rest.starts_with("<!DOCTYPE").then_some(at);
        };
        at += rest.find(end)? + end.len();
    }
}

/// The length of the DOCTYPE at the start of `text`.
fn doctype_end(text: &str) -> Result<usize, String> {
    let mut at = 0;
    let mut subset = false;
    while let Some(next) = text[at..].chars().next() {
        let rest = &text[at..];
        let skipped = match next {
            '"' | '\'' => rest[1..].find(next).map(|length| length + 2),
            _ if rest.starts_with("<!--") => rest.find("-->").map(|length| length + 3),
            _ if rest.starts_with("<?") => rest.find("?>").map(|length| length + 2),
            _ => Some(next.len_utf8()),
        };
        let content =
            ["<!ENTITY", "<!ATTLIST", "%"].into_iter().find(|word| subset && rest.starts_with(word));
        if let Some(word) = content {
            let what = if word == "<!ATTLIST" { "defaults of attributes" } else { "entities" };
            return Err(format!(
                "its DOCTYPE declares {what}, which are not read; allowed: a DOCTYPE without them, or none"
            ));
        }
        match next {
            '[' => subset = true,
            ']' => subset = false,
            '>' if !subset => return Ok(at + 1),
            _ => {}
        }
        at += skipped.ok_or("not XML: its DOCTYPE does not end")?;
    }
    Err("not XML: its DOCTYPE does not end".to_owned())
}

const READ: &str = "UTF-8, UTF-16, ISO-8859-1, ISO-8859-15 and windows-1252";

/// The code points of the bytes 0x80 to 0x9f; 0 if there is none.
const WINDOWS_1252: [u16; 32] = [
    0x20ac, 0, 0x201a, 0x192, 0x201e, 0x2026, 0x2020, 0x2021, 0x2c6, 0x2030, 0x160, 0x2039, 0x152, 0, 0x17d,
    0, 0, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x2dc, 0x2122, 0x161, 0x203a, 0x153, 0,
    0x17e, 0x178,
];

#[cfg(test)]
mod tests {
    use super::decode;

    const BODY: &str = "<graphml>Z\u{fc}rich</graphml>";

    fn bytes_of(encoding: &str, z: &[u8]) -> Vec<u8> {
        let head = format!("<?xml version=\"1.0\" encoding=\"{encoding}\"?><graphml>Z");
        [head.as_bytes(), z, b"rich</graphml>"].concat()
    }

    #[test]
    fn every_encoding_that_is_read_gives_the_same_text() {
        for (encoding, z) in [
            ("UTF-8", "\u{fc}".as_bytes()),
            ("iso-8859-1", b"\xfc"),
            ("ISO-8859-15", b"\xfc"),
            ("windows-1252", b"\xfc"),
        ] {
            assert!(decode(&bytes_of(encoding, z)).expect(encoding).ends_with(BODY), "{encoding}");
        }
        let wide: Vec<u8> = BODY.encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(decode(&wide).expect("little endian"), BODY);
        let marked: Vec<u8> = "\u{feff}<a/>".encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(decode(&marked).expect("big endian"), "<a/>");
        assert_eq!(decode(b"\xef\xbb\xbf<a/>").expect("a mark"), "<a/>");
        assert_eq!(decode(&bytes_of("cp1252", b"\x80")).map(|text| text.contains('\u{20ac}')), Ok(true));
    }

    #[test]
    fn what_is_not_read_is_named() {
        let error = |bytes: &[u8]| decode(bytes).expect_err("it is not read");
        assert!(error(&bytes_of("KOI8-R", b"\xfc")).contains("`KOI8-R`"));
        assert!(error(b"<a>\n\xfc</a>").contains("not UTF-8 text on line 2"));
        assert!(error(&bytes_of("windows-1252", b"\x81")).contains("0x81"));
        assert!(error(b"<\0a").contains("UTF-16"));
    }

    #[test]
    fn a_doctype_is_passed_over_unless_it_has_content() {
        let same_length = |text: &str| {
            let decoded = decode(text.as_bytes()).expect(text);
            assert_eq!(decoded.len(), text.len());
            assert!(decoded.ends_with("<a/>") && !decoded.contains("DOCTYPE"), "{decoded}");
        };
        same_length("<!DOCTYPE graphml SYSTEM \"http://x/graphml.dtd\"><a/>");
        same_length("<?xml version=\"1.0\"?><!-- > -->\n<!DOCTYPE a PUBLIC \"-//>\" 'b'>\n<a/>");
        same_length("<!DOCTYPE a [ <!-- ] > <!ENTITY --> <!ELEMENT a (b)> <?p %?> ]><a/>");
        for (text, what) in [
            ("<!DOCTYPE a [<!ENTITY b \"c\">]><a/>", "entities"),
            ("<!DOCTYPE a [%b;]><a/>", "entities"),
            ("<!DOCTYPE a [<!ATTLIST a b CDATA 'c'>]><a/>", "defaults of attributes"),
            ("<!DOCTYPE a", "does not end"),
            ("<!DOCTYPE a \"", "does not end"),
        ] {
            let error = decode(text.as_bytes()).expect_err(text);
            assert!(error.contains(what), "{error}");
        }
        assert_eq!(decode(b"<a><!DOCTYPE b></a>").expect("it is not our business"), "<a><!DOCTYPE b></a>");
    }
}
