// SPDX-License-Identifier: Apache-2.0
//! `algorithm`: the congestion control of a group, and what `compare` puts in its place.

use super::preset::Preset;
use super::stack::StackWord;
use crate::context::LoadContext;
use crate::diagnostic::Fault;
use crate::emit::{Naming, TomlTable, number, text};
use crate::field::{At, Field, Reported};
use crate::input::InputFile;
use crate::kind::{Kind, list};
use crate::location::Location;
use crate::tree::{Node, Pair, Value as Written};
use crate::value::{KeyType, Words, wrong_type};
use narrows_card::Value;
use narrows_cc::Algorithm;
use narrows_model::algorithm::{self, Control, KERNEL, LoadedAlgorithm, StackControl};
use narrows_model::stack::{ProtocolStack, StackSettings};
use std::path::absolute;
use std::sync::Arc;

/// The type of a key whose value is an algorithm.
#[derive(Clone, Debug)]
pub struct AlgorithmKey;

/// An algorithm as written, and as resolved.
#[derive(Clone, Debug)]
pub struct AlgorithmValue {
    text: AlgorithmText,
    control: Option<Control>,
    inputs: Vec<InputFile>,
}

/// An algorithm as written, its name not yet looked up.
#[derive(Clone, Debug)]
enum AlgorithmText {
    /// A name with parameters in parentheses, as in `"aimd(a=1,b=0.8)"`.
    Line(String),
    /// A table with name and parameters, as in `{ name = "aimd", a = 1 }`.
    Parts { name: String, name_location: Location, values: Vec<(String, Value, Location)> },
}

impl KeyType for AlgorithmKey {
    type Value = AlgorithmValue;
    const KIND: Kind = Kind::Algorithm;

    fn read(node: &Node, path: &str, faults: &mut Vec<Fault>) -> Result<AlgorithmValue, Reported> {
        let text = match &node.value {
            Written::Text(text) => AlgorithmText::Line(text.trim().to_owned()),
            Written::Table(entries) => parts(entries, node, path, faults)?,
            _ => return Err(wrong_type(node, &Self::KIND, path).report(faults)),
        };
        Ok(AlgorithmValue { text, control: None, inputs: Vec::new() })
    }

    fn write(value: &AlgorithmValue, naming: Naming) -> String {
        match (&value.control, &value.text) {
            (Some(control), _) => table(control, naming),
            (None, AlgorithmText::Line(line)) => text(line),
            (None, AlgorithmText::Parts { name, .. }) => text(name),
        }
    }
}

/// The table of an algorithm's name and parameters.
fn parts(
    entries: &[Pair],
    node: &Node,
    path: &str,
    faults: &mut Vec<Fault>,
) -> Result<AlgorithmText, Reported> {
    let name_path = format!("{path}.{NAME}");
    let name = match node.value.get(NAME).map(|entry| &entry.node) {
        Some(Node { value: Written::Text(name), place }) => Ok((name.clone(), place.clone())),
        Some(other) => Err(wrong_type(other, &Kind::Text, &name_path).report(faults)),
        None => {
            let fault = Fault::new(&node.place, name_path, "missing, and it has no default");
            Err(fault.allowed("the name of an algorithm").report(faults))
        }
    };
    let mut values = Ok(Vec::new());
    for Pair { key, node, .. } in entries.iter().filter(|entry| entry.key != NAME) {
        let value = match &node.value {
            Written::Integer(number) => Value::Number(*number as f64),
            Written::Float(number) => Value::Number(*number),
            Written::Flag(flag) => Value::Flag(*flag),
            Written::Text(word) => Value::Word(word.clone()),
            other @ (Written::Date(_) | Written::List(_) | Written::Table(_)) => {
                let message = format!("{} does not fit here", other.kind());
                let fault = Fault::new(&node.place, format!("{path}.{key}"), message);
                values = Err(fault.allowed("a number, true, false, or a word").report(faults));
                continue;
            }
        };
        if let Ok(values) = &mut values {
            values.push((key.clone(), value, node.place.clone()));
        }
    }
    let ((name, name_location), values) = (name?, values?);
    Ok(AlgorithmText::Parts { name, name_location, values })
}

/// An algorithm with every parameter, as TOML.
fn table(control: &Control, naming: Naming) -> String {
    let (name, values) = written(control, naming);
    let mut table = TomlTable::default();
    table.set(NAME, text(name));
    for (name, value) in values {
        let value = match value {
            Value::Number(value) if value.is_finite() => number(*value),
            // TOML's own spelling.
            Value::Number(value) => format!("{value}").to_lowercase(),
            Value::Flag(flag) => flag.to_string(),
            Value::Word(word) => text(word),
        };
        table.set(name, value);
    }
    table.inline()
}

/// The name of an algorithm, and all its parameters.
fn written(control: &Control, naming: Naming) -> (String, Vec<(&str, &Value)>) {
    match control {
        Control::Listed(algorithm) => {
            (algorithm.entry.card.name.to_owned(), algorithm.values.iter().collect())
        }
        Control::External(external) => {
            let file = naming.of(&external.file, external.algorithm.digest());
            let parameters = external.parameters.iter().map(|(name, value)| (name.as_str(), value));
            (format!("{file}:{}", external.name), parameters.collect())
        }
        Control::Kernel { name, .. } => (format!("{KERNEL}{name}"), Vec::new()),
        Control::Stack(StackControl { stack, name, hosted, .. }) => {
            let (own, values) = match hosted.as_deref() {
                None => (name.clone(), Vec::new()),
                Some(listed @ Control::Listed(_)) => {
                    let (name, values) = written(listed, naming);
                    (format!("{}{name}", StackControl::LISTED), values)
                }
                Some(external) => written(external, naming),
            };
            (format!("{}:{own}", stack.name()), values)
        }
    }
}

impl AlgorithmValue {
    /// Returns an algorithm written as a text: its name, with parameters in parentheses.
    pub fn line(line: &str) -> Self {
        Self { text: AlgorithmText::Line(line.to_owned()), control: None, inputs: Vec::new() }
    }

    /// Returns the name of the algorithm as written, without parameters.
    pub fn name(&self) -> &str {
        match &self.text {
            AlgorithmText::Line(line) => split(line).0,
            AlgorithmText::Parts { name, .. } => name,
        }
    }

    /// Whether this is `"subject"`, which `compare` replaces by an algorithm.
    pub fn is_subject(&self) -> bool {
        self.name() == SUBJECT
    }

    /// Returns the files of the algorithm as written, and of the one that replaced it.
    pub fn inputs(&self) -> &[InputFile] {
        &self.inputs
    }

    /// Returns the name of a group with this algorithm that has no name of its own.
    pub fn group_name(&self) -> &str {
        let name = self.name();
        let in_file = is_in_file(name) || is_external(name) && without_stack(name) == name;
        if in_file { name.rsplit(':').next().unwrap_or(name) } else { name }
    }
}

/// The algorithms among which a name is looked up.
#[derive(Clone, Debug)]
pub struct Among {
    /// The preset of the flows.
    pub preset: Preset,
    /// The stack that carries them; `None` if none does.
    pub stack: Option<Arc<dyn ProtocolStack>>,
}

/// Resolves the algorithm at `field`, or `typed` in its place; the field is filled in.
///
/// # Errors
///
/// If the algorithm has errors, which are added to `faults`.
pub fn resolve(
    field: &mut Field<Option<AlgorithmValue>>,
    typed: Option<&str>,
    among: &Among,
    context: &LoadContext<'_>,
    faults: &mut Vec<Fault>,
) -> Result<Control, Reported> {
    let value = field.get()?.as_ref().ok_or_else(Reported::before)?;
    let own = value.text.control(&field.at, among, context).map_err(|fault| fault.report(faults))?;
    let location = match &value.text {
        AlgorithmText::Line(_) => &field.at.location,
        AlgorithmText::Parts { name_location, .. } => name_location,
    };
    let mut inputs: Vec<_> = own.iter().filter_map(|own| input(own, value.name(), location)).collect();
    let control = match (own, typed) {
        (_, Some(typed)) => {
            let at = At { path: "algorithm".to_owned(), location: Location::CommandLine };
            let control = line(typed.trim(), among, &at, context).map_err(|fault| fault.report(faults))?;
            inputs.extend(input(&control, split(typed.trim()).0, &at.location));
            control
        }
        (Some(own), None) => own,
        (None, None) => {
            let fault = field.fault("nothing is put to the test here").given("\"subject\"");
            let fault = fault.allowed("the name of an algorithm, unless `narrows compare` runs the scenario");
            let hint = "run it with `narrows compare ALGORITHM … --scenario FILE`";
            return Err(fault.hint(Some(hint.into())).report(faults));
        }
    };
    let text = value.text.clone();
    field.fill(Some(AlgorithmValue { text, control: Some(control.clone()), inputs }));
    Ok(control)
}

impl AlgorithmText {
    /// The algorithm written at `at`; `None` if it stands for the subject of `compare`.
    fn control(&self, at: &At, among: &Among, context: &LoadContext<'_>) -> Result<Option<Control>, Fault> {
        match self {
            Self::Line(text) if text == SUBJECT => Ok(None),
            Self::Line(text) => line(text, among, at, context).map(Some),
            Self::Parts { name, name_location, values } => {
                let given = values.iter().map(|(key, value, _)| (key.clone(), value.clone())).collect();
                let name_at = At { path: at.path_of(NAME), location: name_location.clone() };
                let fault = |fault: &_| locate(fault, at, &name_at, values);
                named(name, given, among, &name_at, &fault, context).map(Some)
            }
        }
    }
}

/// The file of an algorithm that was written as `name` at `location`; `None` if it is compiled in.
fn input(control: &Control, name: &str, location: &Location) -> Option<InputFile> {
    let external = control.external()?;
    let (file, _) = without_stack(name).rsplit_once(':')?;
    let digest = external.algorithm.digest().to_owned();
    Some(InputFile::new(file, location, external.file.clone(), digest))
}

/// Reads `name(parameter=value, …)`.
fn line(text: &str, among: &Among, at: &At, context: &LoadContext<'_>) -> Result<Control, Fault> {
    let (name, parameters) = split(text);
    let Some(given) = narrows_card::assignments(parameters).filter(|_| !name.is_empty()) else {
        return Err(describe(&narrows_card::Fault::Form { given: text.to_owned() }, at));
    };
    named(name, given, among, at, &|fault| describe(fault, at), context)
}

/// The algorithm `name`, written at `at`, with these parameters. `describe`: the error for a name that the catalogue
/// does not have.
fn named(
    name: &str,
    given: Vec<(String, Value)>,
    among: &Among,
    at: &At,
    describe: &dyn Fn(&narrows_card::Fault) -> Fault,
    context: &LoadContext<'_>,
) -> Result<Control, Fault> {
    let listed = |name: &str, given| {
        Algorithm::among(algorithm::listed(), name, given)
            .map(Control::Listed)
            .map_err(|fault| describe(&fault))
    };
    if let Some((stack, own)) = carried(name, among, context) {
        let hosted = if let Some(own) = own.strip_prefix(StackControl::LISTED) {
            Some(listed(own, given)?)
        } else if is_in_file(own) {
            Some(external(own, given, at, context)?)
        } else {
            check_own(stack, own, given.is_empty(), at)?;
            None
        };
        return of_stack(stack, own, hosted.map(Arc::new), at);
    }
    if let Some(of_kernel) = name.strip_prefix(KERNEL) {
        return kernel(of_kernel, given.is_empty(), at);
    }
    if is_external(name) {
        return external(name, given, at, context);
    }
    listed(variant(name, among.preset), given)
}

/// The algorithm `name` of a Linux kernel, which may have no parameters.
fn kernel(name: &str, is_plain: bool, at: &At) -> Result<Control, Fault> {
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
    if name.is_empty() || name.len() > LONGEST_KERNEL_NAME || !name.chars().all(is_name) || !is_plain {
        let fault = at.fault("no algorithm of a Linux kernel").given(format!("\"{KERNEL}{name}\""));
        return Err(fault.allowed("a name without parameters, as in \"linux:illinois\""));
    }
    Ok(Control::Kernel { name: name.to_owned(), unused: placeholder(at)? })
}

/// The stack that carries the flows, and what of `name` is the name of its controller: the stack of the group, or the one that
/// the name begins with, as in `quinn:cubic`.
fn carried<'a>(
    name: &'a str,
    among: &'a Among,
    context: &'a LoadContext<'_>,
) -> Option<(&'a Arc<dyn ProtocolStack>, &'a str)> {
    let (prefix, rest) = name.split_once(':').unwrap_or(("", name));
    let named = |stack: &&Arc<dyn ProtocolStack>| stack.name() == prefix;
    let found = among.stack.iter().chain(&context.options.stacks).find(named).map(|stack| (stack, rest));
    match &among.stack {
        Some(own) if found.is_none_or(|(stack, _)| stack.name() != own.name()) => Some((own, name)),
        _ => found,
    }
}

/// Checks that `stack` has the controller `name` of its own, which may have no parameters.
fn check_own(stack: &Arc<dyn ProtocolStack>, name: &str, is_plain: bool, at: &At) -> Result<(), Fault> {
    let known = stack.controllers();
    if !known.contains(&name) {
        let fault = at.fault(format!("the stack {} has no such controller", stack.name()));
        let fault = fault.given(format!("\"{name}\"")).allowed(within(stack));
        let is_listed = algorithm::listed().any(|entry| entry.card.name == name);
        return Err(fault.hint(is_listed.then(|| format!("Narrows has {}{name}", StackControl::LISTED))));
    }
    if !is_plain {
        let fault =
            at.fault(format!("the controllers of the stack {} have no parameters here", stack.name()));
        return Err(fault.allowed(format!("\"{name}\"")));
    }
    Ok(())
}

/// The controller of `stack` that was written as `name` behind it: `hosted`, or one of its own.
fn of_stack(
    stack: &Arc<dyn ProtocolStack>,
    name: &str,
    hosted: Option<Arc<Control>>,
    at: &At,
) -> Result<Control, Fault> {
    if let Some(reason) = hosted.as_ref().and_then(|hosted| stack.refusal(hosted)) {
        let fault = at.fault(format!("cannot be a controller of the stack {}: {reason}", stack.name()));
        return Err(fault.given(format!("\"{name}\"")).allowed(within(stack)));
    }
    let (stack, name) = (Arc::clone(stack), name.to_owned());
    let settings = StackSettings::default();
    let paths = Vec::new();
    Ok(Control::Stack(StackControl { stack, name, hosted, settings, paths, unused: placeholder(at)? }))
}

/// What can be a controller of `stack`.
fn within(stack: &Arc<dyn ProtocolStack>) -> String {
    let known = list(stack.controllers().iter().copied());
    format!("{known}, {}NAME for an algorithm that works on it, or {EXTERNAL_FORM}", StackControl::LISTED)
}

/// The algorithm in a host whose protocol something else executes.
fn placeholder(at: &At) -> Result<Algorithm, Fault> {
    Algorithm::among(algorithm::listed(), "reno", Vec::new()).map_err(|fault| describe(&fault, at))
}

/// Loads an algorithm from its file.
fn external(
    name: &str,
    given: Vec<(String, Value)>,
    at: &At,
    context: &LoadContext<'_>,
) -> Result<Control, Fault> {
    let fault = |message: &str| at.fault(message).given(format!("\"{name}\""));
    let Some((file, class)) =
        name.rsplit_once(':').filter(|(file, class)| !file.is_empty() && !class.is_empty())
    else {
        return Err(fault("a file without the name of an algorithm in it").allowed(EXTERNAL_FORM));
    };
    let count = |key: &str| given.iter().filter(|(other, _)| other == key).count();
    if let Some((twice, _)) = given.iter().find(|(key, _)| count(key) > 1) {
        return Err(fault(&format!("{twice} is given twice")));
    }
    let Some(loader) = &context.options.loader else {
        return Err(fault("no algorithm can be loaded from a file here").allowed("a name of the catalogue"));
    };
    let file = context.path(file, &at.location).map_err(|problem| fault(&problem))?;
    let file = absolute(&file).unwrap_or(file);
    let result = loader.load(&file, class, &given);
    let algorithm = result.map_err(|why| {
        let Some(stack) = prefix_of_stack(name).filter(|_| !file.exists()) else {
            return fault(&why.message).allowed(why.allowed).hint(why.hint);
        };
        let inside: Vec<_> =
            context.options.stacks.iter().map(|each| format!("{}:NAME", each.name())).collect();
        let inside = if inside.is_empty() { "no stack".to_owned() } else { inside.join(" and ") };
        let fault = fault(&format!("no stack {stack} is part of this build of Narrows"));
        fault.allowed(format!("{inside}, or {EXTERNAL_FORM}")).hint(Some(OTHER_STACK.to_owned()))
    })?;
    Ok(Control::External(LoadedAlgorithm { file, name: class.to_owned(), parameters: given, algorithm }))
}

/// The name refers to an algorithm in a file, for all but algorithms in stacks and kernels.
fn is_external(name: &str) -> bool {
    name.contains(':') && !name.starts_with(StackControl::LISTED) || is_in_file(name)
}

/// The name has a file with one of the endings in it.
fn is_in_file(name: &str) -> bool {
    ENDINGS.iter().any(|ending| name.ends_with(ending) || name.contains(&format!("{ending}:")))
}

/// The name of a stack that `name` would begin with, if there were one; `None` if it begins as the name of a file does.
fn prefix_of_stack(name: &str) -> Option<&str> {
    let (prefix, rest) = name.split_once(':')?;
    // A letter alone is a drive.
    let is_word =
        prefix.len() > 1 && prefix.chars().all(|each| each.is_ascii_alphanumeric() || "_-".contains(each));
    (is_word && !rest.is_empty()).then_some(prefix)
}

/// A name without the name of a stack at its beginning.
fn without_stack(name: &str) -> &str {
    match name.split_once(':') {
        Some((prefix, own)) if StackWord::WORDS.contains(&prefix) => own,
        _ => name,
    }
}

/// The algorithm that `name` means: in the preset of Linux, what Linux computes under it.
fn variant(name: &str, preset: Preset) -> &str {
    let of_linux = || LINUX_VARIANTS.iter().find(|(own, _)| *own == name).map(|(_, variant)| *variant);
    if preset == Preset::Linux { of_linux().unwrap_or(name) } else { name }
}

/// The name and the parenthesis behind it; a folder's name may hold one too.
fn split(line: &str) -> (&str, &str) {
    let from = ENDINGS.iter().filter_map(|ending| line.find(&format!("{ending}:"))).max().unwrap_or(0);
    let (name, parameters) = line.split_at(line[from..].find('(').map_or(line.len(), |at| from + at));
    (name.trim(), parameters)
}

fn describe(fault: &narrows_card::Fault, at: &At) -> Fault {
    match fault {
        narrows_card::Fault::UnknownName { given, nearest } => {
            let names = || algorithm::listed().map(|entry| entry.card.name);
            let fault = at.fault("unknown algorithm").given(format!("\"{given}\""));
            let fault = fault.allowed(list(names())).nearest(given, names());
            let is_identifier = given.chars().all(|each| each.is_ascii_alphanumeric() || each == '_');
            match nearest {
                None if is_identifier => fault.hint(Some(format!(
                    "one of your own is named with its file and class, as in ./{given}.py:CLASS"
                ))),
                _ => fault,
            }
        }
        narrows_card::Fault::UnknownParameter { given, allowed, .. } => {
            let names = if allowed.is_empty() { "no parameter at all".into() } else { allowed.join(", ") };
            let fault = at.fault("unknown parameter of the algorithm").given(given);
            fault.allowed(names).nearest(given, allowed.iter().copied())
        }
        narrows_card::Fault::BadValue { parameter, given, allowed } => {
            let fault = at.fault(format!("{parameter} cannot have this value"));
            fault.given(given).allowed(allowed.as_str())
        }
        narrows_card::Fault::Repeated { parameter } => at.fault(format!("{parameter} is given twice")),
        narrows_card::Fault::Form { given } => {
            let fault = at.fault("neither a name nor a name with parameters");
            fault.given(format!("\"{given}\"")).allowed("as in \"cubic\" or \"aimd(a=1,b=0.8)\"")
        }
    }
}

/// As [`describe`], at the key of a table that is to blame.
fn locate(fault: &narrows_card::Fault, at: &At, name_at: &At, values: &[(String, Value, Location)]) -> Fault {
    let blamed = match fault {
        narrows_card::Fault::UnknownName { .. } => return describe(fault, name_at),
        narrows_card::Fault::UnknownParameter { given, .. } => given.as_str(),
        narrows_card::Fault::BadValue { parameter, .. } | narrows_card::Fault::Repeated { parameter } => {
            parameter
        }
        narrows_card::Fault::Form { .. } => return describe(fault, at),
    };
    let location = values.iter().find(|(key, ..)| key == blamed).map_or(&at.location, |(.., at)| at);
    describe(fault, &At { path: at.path_of(blamed), location: location.clone() })
}

/// The key of an algorithm's name in its table.
const NAME: &str = "name";

/// Algorithms that Linux computes in another way than their papers and RFCs, each with that way.
const LINUX_VARIANTS: &[(&str, &str)] = &[
    ("reno", "reno-linux"),
    ("newreno", "reno-linux"),
    ("westwood", "westwood-linux"),
    ("vegas", "vegas-linux"),
    ("scalable", "scalable-linux"),
    ("hstcp", "highspeed-linux"),
    ("htcp", "htcp-linux"),
    ("bic", "bic-linux"),
    ("cubic", "cubic-linux"),
];

/// The word that stands for whatever `compare` puts to the test.
const SUBJECT: &str = "subject";

/// `TCP_CA_NAME_MAX`, without the zero at the end.
const LONGEST_KERNEL_NAME: usize = 15;

const EXTERNAL_FORM: &str =
    "a file and an algorithm in it, as in \"./mine.py:Mine\", \"./libmine.so:mine\" or \"./mine.wasm:mine\"";

/// What to do with a stack that is not inside.
const OTHER_STACK: &str = "a controller of another stack is compiled from its sources behind narrows.h, and named with its file; \
     docs/controllers.md has recipes";

/// How the names of files with algorithms end.
const ENDINGS: [&str; 5] = [".py", ".so", ".dylib", ".dll", ".wasm"];
