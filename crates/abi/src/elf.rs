// SPDX-License-Identifier: Apache-2.0
//! What a native library says about itself without being executed: the machine for which it was compiled, and its symbols (ELF, the System V
//! ABI). Files of other formats are left to the loader of the system.

use std::collections::BTreeMap;

/// The symbols of a library, and the pointers in its data.
#[derive(Clone, Debug, Default)]
pub struct Elf<'a> {
    content: &'a [u8],
    /// Exported data by name: address and size.
    exported: BTreeMap<&'a str, (u64, u64)>,
    /// Names of data that only the library itself can use.
    local: Vec<&'a str>,
    /// Loaded parts of the file: address, place in the file, length.
    loaded: Vec<(u64, u64, u64)>,
    /// What the loader writes at an address: the address of something in the library; `None` if it is not known.
    pointers: BTreeMap<u64, Option<u64>>,
    /// Whether the file has the table of sections, which leads to the symbols.
    has_sections: bool,
}

impl<'a> Elf<'a> {
    /// Reads the header and the symbols of a library.
    ///
    /// # Errors
    ///
    /// The file is no library, or one for another machine.
    pub fn read(content: &'a [u8]) -> Result<Self, String> {
        if !content.starts_with(b"\x7fELF") {
            let begins = String::from_utf8_lossy(&content[..content.len().min(8)]).into_owned();
            let what = if content.is_empty() {
                "it is empty".to_owned()
            } else {
                format!("it begins with {begins:?}")
            };
            return Err(format!("is no library for this system: {what}, and not as an ELF file does"));
        }
        let machine = number(content, 18, 2).ok_or(SHORT)?;
        let (class, order) = (content.get(4).copied(), content.get(5).copied());
        if (class, order, machine) != (Some(2), Some(1), MACHINE.0) {
            let other = MACHINES.iter().find(|(known, _)| *known == machine && machine != MACHINE.0);
            let other =
                other.map_or_else(|| format!("machine {machine} of ELF"), |(_, name)| (*name).to_owned());
            return Err(format!("is a library for {other}, and this process is of {}", MACHINE.1));
        }
        if number(content, 16, 2) != Some(SHARED) {
            return Err("is an ELF file, but no shared library: compile it with -shared -fPIC".to_owned());
        }
        let mut found = Self { content, ..Self::default() };
        found.sections().ok_or(SHORT)?;
        Ok(found)
    }

    fn sections(&mut self) -> Option<()> {
        let content = self.content;
        let (segments, count) = (number(content, 32, 8)?, number(content, 56, 2)?);
        for each in (0..count).map(|each| segments.saturating_add(each * 56)) {
            if number(content, each, 4)? == 1 {
                let [place, address, length] = [8, 16, 32].map(|field| number(content, each + field, 8));
                self.loaded.push((address?, place?, length?));
            }
        }
        let (sections, count) = (number(content, 40, 8)?, number(content, 60, 2)?);
        self.has_sections = count > 0;
        let mut left = content.len() as u64;
        let section = |which: u64| -> Option<[u64; 4]> {
            let at = sections.checked_add(which.checked_mul(64)?)?;
            Some([
                number(content, at + 4, 4)?,
                number(content, at + 24, 8)?,
                number(content, at + 32, 8)?,
                number(content, at + 40, 4)?,
            ])
        };
        for which in 0..count {
            let [kind, place, length, link] = section(which)?;
            let strings = || section(link).map(|[_, place, ..]| place);
            let entries = |size: u64| (0..length / size).map(move |each| place.saturating_add(each * size));
            if matches!(kind, DYNAMIC_SYMBOLS | SYMBOLS | RELOCATIONS) {
                // They do not overlap, so that reading them takes as long as the file.
                left = left.checked_sub(length)?;
            }
            match kind {
                DYNAMIC_SYMBOLS | SYMBOLS => {
                    let strings = strings()?;
                    for at in entries(24) {
                        self.symbol(at, strings, kind == DYNAMIC_SYMBOLS)?;
                    }
                }
                RELOCATIONS => {
                    for at in entries(24) {
                        let [target, kind, value] = [0, 8, 16].map(|field| number(content, at + field, 8));
                        let value = (kind? & 0xffff_ffff == RELATIVE).then_some(value?);
                        self.pointers.insert(target?, value);
                    }
                }
                _ => {}
            }
        }
        Some(())
    }

    fn symbol(&mut self, at: u64, strings: u64, dynamic: bool) -> Option<()> {
        let name = text(self.content, strings.checked_add(number(self.content, at, 4)?)?)?;
        let (info, section) = (number(self.content, at + 4, 1)?, number(self.content, at + 6, 2)?);
        let [address, size] = [8, 16].map(|field| number(self.content, at + field, 8));
        if matches!(info & 0xf, UNTYPED | OBJECT) && section != 0 {
            match (dynamic, info >> 4) {
                (true, _) => drop(self.exported.insert(name, (address?, size?))),
                (false, 0) => self.local.push(name),
                (false, _) => {}
            }
        }
        Some(())
    }

    /// Checks that the library exports the data `name`.
    ///
    /// # Errors
    ///
    /// It does not; lists the controllers that it exports, and says so if it keeps `name` to itself.
    pub fn check(&self, name: &str) -> Result<(), String> {
        if self.exported.contains_key(name) || !self.has_sections {
            return Ok(());
        }
        // As compilers of C++ write a name with internal linkage.
        let mangled = format!("_ZL{}{name}", name.len());
        let kept = if self.local.iter().any(|local| *local == mangled) {
            ": a `const` of C++ is not exported; write `extern \"C\" const struct narrows_controller`"
        } else if self.local.contains(&name) {
            ": it is `static`, or hidden"
        } else {
            ""
        };
        let controllers: Vec<_> =
            self.exported.iter().filter(|(_, place)| self.is_controller(**place)).collect();
        let names = controllers.iter().map(|(name, _)| **name).collect::<Vec<_>>().join(", ");
        let others = if names.is_empty() {
            "it exports none at all".to_owned()
        } else {
            format!("it exports {names}")
        };
        Err(format!("the library exports no controller {name}{kept}; {others}"))
    }

    /// Whether data begins with a version of the header and is as long as `struct narrows_controller`.
    fn is_controller(&self, (address, size): (u64, u64)) -> bool {
        let version = self.word(address);
        version.is_some_and(|version| (1..1000).contains(&version)) && size >= LEAST_CONTROLLER
    }

    /// Returns the names of the parameters of the controller `name`; `None` if its list cannot be followed.
    pub fn parameters(&self, name: &str) -> Option<Vec<&'a str>> {
        let (address, _) = *self.exported.get(name)?;
        let list = address + if self.word(address)? == 1 { 16 } else { 24 };
        let mut names = Vec::new();
        let Some(first) = self.pointers.get(&list) else {
            return (self.word(list)? == 0).then_some(names);
        };
        let mut next = (*first)?;
        while let Some(name) = self.pointers.get(&next).filter(|_| names.len() < 256) {
            names.push(text(self.content, self.place((*name)?)?)?);
            next = next.checked_add(8)?;
        }
        (self.word(next)? == 0).then_some(names)
    }

    /// Returns the field `declines` of the controller `name`; `None` if it is not known. Version 1 had no such field.
    pub fn declines(&self, name: &str) -> Option<u64> {
        let (address, _) = *self.exported.get(name)?;
        if self.word(address)? == 1 { Some(0) } else { self.word(address + 16) }
    }

    /// Returns the place in the file of what is loaded to `address`.
    fn place(&self, address: u64) -> Option<u64> {
        let part = self
            .loaded
            .iter()
            .find(|(first, _, length)| address.checked_sub(*first).is_some_and(|at| at < *length));
        part.map(|(first, place, _)| place.saturating_add(address - first))
    }

    fn word(&self, address: u64) -> Option<u64> {
        number(self.content, self.place(address)?, 8)
    }
}

/// Returns a number of `bytes` bytes, least significant first; `None` beyond the end.
fn number(content: &[u8], at: u64, bytes: usize) -> Option<u64> {
    let at = usize::try_from(at).ok()?;
    let mut word = [0; 8];
    word[..bytes].copy_from_slice(content.get(at..at.checked_add(bytes)?)?);
    Some(u64::from_le_bytes(word))
}

/// Returns a text that ends with a byte of zero.
fn text(content: &[u8], at: u64) -> Option<&str> {
    let rest = content.get(usize::try_from(at).ok()?..)?;
    std::str::from_utf8(&rest[..rest.iter().position(|byte| *byte == 0)?]).ok()
}

/// Types of files, sections and symbols.
const SHARED: u64 = 3;
const SYMBOLS: u64 = 2;
const RELOCATIONS: u64 = 4;
const DYNAMIC_SYMBOLS: u64 = 11;
const UNTYPED: u64 = 0;
const OBJECT: u64 = 1;

/// `struct narrows_controller` of version 1, bytes.
const LEAST_CONTROLLER: u64 = 15 * 8;

const SHORT: &str = "is an ELF file that ends too early, or has a header without meaning";

/// Machines with their numbers.
const MACHINES: [(u64, &str); 6] = [
    (3, "x86 with 32 bits"),
    (40, "ARM with 32 bits"),
    (62, "x86-64"),
    (183, "AArch64"),
    (243, "RISC-V"),
    (21, "POWER"),
];

/// This machine, and the type of a relocation by the address of the library.
const MACHINE: (u64, &str) = if cfg!(target_arch = "aarch64") { MACHINES[3] } else { MACHINES[2] };
const RELATIVE: u64 = if cfg!(target_arch = "aarch64") { 1027 } else { 8 };

#[cfg(test)]
mod tests {
    use super::Elf;

    #[test]
    fn a_file_that_is_no_library_of_this_machine_is_refused() {
        let mut arm = b"\x7fELF\x02\x01\x01".to_vec();
        arm.resize(64, 0);
        (arm[16], arm[18]) = (3, if cfg!(target_arch = "aarch64") { 62 } else { 183 });
        let other = if cfg!(target_arch = "aarch64") { "x86-64" } else { "AArch64" };
        for (content, words) in [
            (&b""[..], "it is empty"),
            (b"class Mine:\n", "it begins with \"class Mi\""),
            (b"\x7fELF", "ends too early"),
            (&arm, &format!("is a library for {other}, and this process is of")),
        ] {
            let error = Elf::read(content).map(|_| ()).expect_err("it is refused");
            assert!(error.contains(words), "{error}");
        }
    }

    #[test]
    fn a_header_without_meaning_is_refused() {
        let file = std::env::current_exe().and_then(std::fs::read).expect("this test is a file");
        let mut header = file[..64].to_vec();
        header[16] = 3;
        // Of every field of the header the largest number.
        for field in 24..64 {
            let mut other = header.clone();
            other[field] = 0xff;
            let _ = Elf::read(&other).map(|elf| elf.check("mine"));
        }
    }
}
