//! Keys that hold a distribution of sizes or times.
//!
//! Bounds and medians that follow from a mean are rounded to the whole byte or picosecond, so that the resolved file can
//! say them.

use super::super::diagnostic::Fault;
use super::super::table::{Checked, Item, Table};
use super::super::tree::Place;
use super::Surroundings;
use crate::traffic::{Component, Distribution};
use narrows_units::{Quantity, Span};
use std::path::Path;

/// What a distribution is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Unit {
    /// Sizes, in bytes.
    Bytes,
    /// Times, in seconds.
    Seconds,
}

impl Unit {
    /// Rounded to what can be written.
    fn whole(self, value: f64) -> f64 {
        match self {
            Self::Bytes => value.round(),
            Self::Seconds => seconds(Span::from_secs_f64(value)),
        }
    }
}

/// Resolves what was written at `key`; `None` if it is the key's word for no limit, or a fault stands in the way.
pub(super) fn resolve(
    table: &Table,
    key: &str,
    unit: Unit,
    around: &Surroundings<'_>,
    faults: &mut Vec<Fault>,
) -> Option<Distribution> {
    match table.value(key)? {
        Checked::Unlimited => None,
        Checked::Variant(kind, form) => Reader { form, unit, around, faults }.read(kind),
        plain => Some(Distribution::Constant(number(plain))),
    }
}

/// Seconds that give back the same span: a quotient is rounded once.
pub(super) fn seconds(span: Span) -> f64 {
    span.as_ps() as f64 / 1e12
}

fn number(checked: &Checked) -> f64 {
    match checked.limit() {
        Some(Quantity::Size(bytes)) => bytes.count() as f64,
        Some(Quantity::Time(span)) => seconds(span),
        other => unreachable!("{other:?} is neither a size nor a time"),
    }
}

/// Reads one form.
struct Reader<'a, 'b> {
    form: &'a Table,
    unit: Unit,
    around: &'a Surroundings<'b>,
    faults: &'a mut Vec<Fault>,
}

impl Reader<'_, '_> {
    fn read(mut self, kind: &str) -> Option<Distribution> {
        match kind {
            "constant" => Some(Distribution::Constant(self.given("value")?)),
            "uniform" => {
                let (minimum, maximum) = (self.given("minimum")?, self.given("maximum")?);
                self.ordered("minimum", minimum, "maximum", maximum)?;
                Some(Distribution::Uniform { minimum, maximum })
            }
            "exponential" => Some(Distribution::Exponential { mean: self.given("mean")? }),
            "pareto" => self.pareto(),
            "lognormal" => {
                let sigma = self.positive("sigma")?;
                let (location, value) = self.one_of("mean", "median")?;
                let made = match location {
                    "mean" => Distribution::log_normal_of_mean(value, sigma),
                    _ => Distribution::LogNormal { median: value, sigma },
                };
                let Distribution::LogNormal { median, sigma } = made else {
                    unreachable!("it was just made");
                };
                Some(Distribution::LogNormal { median: self.unit.whole(median), sigma })
            }
            "web" => {
                let (sigma, shape) = (self.positive("sigma"), self.positive("shape"));
                let (median, minimum) = (self.given("median")?, self.given("minimum")?);
                let tail = self.form.given("tail", Checked::number)?;
                let maximum = self.optional("maximum")?;
                if let Some(maximum) = maximum {
                    self.ordered("minimum", minimum, "maximum", maximum)?;
                }
                Some(Distribution::BodyAndTail {
                    median,
                    sigma: sigma?,
                    tail,
                    minimum,
                    shape: shape?,
                    maximum,
                })
            }
            "empirical" => self.empirical(),
            "mixture" => self.mixture(),
            other => unreachable!("the keys know no distribution of kind {other}"),
        }
    }

    fn pareto(&mut self) -> Option<Distribution> {
        let shape = self.positive("shape")?;
        let maximum = self.optional("maximum")?;
        let (location, value) = self.one_of("mean", "minimum")?;
        if let Some(maximum) = maximum {
            self.ordered(location, value, "maximum", maximum)?;
        }
        if location == "minimum" {
            return Some(Distribution::Pareto { minimum: value, shape, maximum });
        }
        let made = Distribution::pareto_of_mean(value, shape, maximum);
        let Some(Distribution::Pareto { minimum, .. }) = made else {
            let message = "the mean is infinite for an index up to 1 without a maximum";
            self.fault("shape", message, Some(shape.to_string()), "above 1, or a maximum");
            return None;
        };
        // A mean that its maximum makes all but certain leaves no smaller value; zero would have no tail.
        let minimum = self.unit.whole(minimum);
        if minimum <= 0.0 {
            self.fault(
                "mean",
                "too small for a tail of this index",
                None,
                "a greater mean, or a greater index",
            );
            return None;
        }
        Some(Distribution::Pareto { minimum, shape, maximum })
    }

    fn empirical(&mut self) -> Option<Distribution> {
        let (listed, filed) = (self.form.has("values") || self.form.has("shares"), self.form.has("file"));
        if listed == filed {
            let key = if filed { "file" } else { "values" };
            self.fault(key, "one source of points is needed", None, "either values and shares, or a file");
            return None;
        }
        if filed {
            return self.points_of_file();
        }
        let items = |key| match self.form.value(key) {
            Some(Checked::List(items)) => Some(items.as_slice()),
            _ => None,
        };
        let (values, shares) = (items("values").unwrap_or(&[]), items("shares").unwrap_or(&[]));
        if values.len() != shares.len() || values.is_empty() {
            let message = format!("{} values for {} shares", values.len(), shares.len());
            self.fault("values", &message, None, "one share for each value, at least one");
            return None;
        }
        let read = |items: &[Item], number: fn(&Checked) -> f64| {
            items.iter().map(|item| item.value.as_ref().map(number)).collect::<Option<Vec<f64>>>()
        };
        let (values, shares) = (read(values, number)?, read(shares, Checked::number)?);
        let points: Vec<_> = values.into_iter().zip(shares).collect();
        self.points(points, "shares")
    }

    fn points_of_file(&mut self) -> Option<Distribution> {
        let name = self.form.given("file", Checked::text)?;
        let base = match self.form.place_of("file") {
            Place::File(_) => self.around.directory,
            // What is typed on the command line is relative to where it is typed.
            _ => &self.around.options.overrides_directory,
        };
        match read_points(&base.join(&name)) {
            Ok(points) => {
                let points = points.into_iter().map(|(value, upto)| (self.unit.whole(value), upto)).collect();
                self.points(points, "file")
            }
            Err(problem) => {
                let allowed =
                    "a file with a value, in bytes or seconds, and a share from 0 to 1 on each line";
                self.fault("file", &problem, Some(format!("\"{name}\"")), allowed);
                None
            }
        }
    }

    /// The distribution with those points, which came from `key`.
    fn points(&mut self, points: Vec<(f64, f64)>, key: &str) -> Option<Distribution> {
        let ascending = points.windows(2).all(|pair| pair[0].0 <= pair[1].0 && pair[0].1 <= pair[1].1);
        let last = points.last().map_or(0.0, |(_, upto)| *upto);
        if !ascending || (last - 1.0).abs() > 1e-9 {
            let message = if ascending { "the last share is not 1" } else { "the points do not ascend" };
            self.fault(key, message, None, "ascending values and shares, the last share 1");
            return None;
        }
        Some(Distribution::Empirical(points.into()))
    }

    fn mixture(mut self) -> Option<Distribution> {
        let parts = match self.form.value("parts")? {
            Checked::Tables(parts) => parts,
            other => unreachable!("{other:?} is no list of tables"),
        };
        let mut components: Vec<Component> = Vec::new();
        for (index, part) in parts.iter().enumerate() {
            let class = part.read("class", index.to_string(), Checked::text)?;
            let share = part.given("share", Checked::number)?;
            let distribution = resolve(part, "of", self.unit, self.around, self.faults)?;
            if components.iter().any(|other| other.class == class) {
                let fault =
                    Fault::new(part.place_of("class"), part.path_of("class"), "two parts have this name");
                self.faults.push(fault.given(class).allowed("a name that no other part has"));
                return None;
            }
            components.push(Component { class, share, distribution });
        }
        let sum: f64 = components.iter().map(|part| part.share).sum();
        if (sum - 1.0).abs() > 1e-9 {
            self.fault("parts", "the shares do not sum to 1", Some(sum.to_string()), "shares whose sum is 1");
            return None;
        }
        Some(Distribution::Mixture(components.into()))
    }

    fn given(&self, key: &str) -> Option<f64> {
        self.form.given(key, number)
    }

    /// `Some(None)` where nothing was written.
    #[expect(clippy::option_option, reason = "None stands for a faulty value, as everywhere in this module")]
    fn optional(&self, key: &str) -> Option<Option<f64>> {
        self.form.read(key, None, |value| Some(number(value)))
    }

    fn positive(&mut self, key: &str) -> Option<f64> {
        let value = self.form.given(key, Checked::number)?;
        if value <= 0.0 || value > STEEPEST {
            self.fault(
                key,
                "out of range",
                Some(value.to_string()),
                &format!("above 0 and up to {STEEPEST}"),
            );
            return None;
        }
        Some(value)
    }

    /// The one of two keys that is written, and its value.
    fn one_of(&mut self, one: &'static str, other: &'static str) -> Option<(&'static str, f64)> {
        match (self.form.has(one), self.form.has(other)) {
            (true, false) => Some((one, self.given(one)?)),
            (false, true) => Some((other, self.given(other)?)),
            _ => {
                self.fault(one, &format!("either {one} or {other}"), None, "exactly one of the two");
                None
            }
        }
    }

    fn ordered(&mut self, low_key: &str, low: f64, high_key: &str, high: f64) -> Option<()> {
        if low <= high {
            return Some(());
        }
        self.fault(low_key, &format!("more than {high_key}"), None, &format!("at most {high_key}"));
        None
    }

    fn fault(&mut self, key: &str, message: &str, given: Option<String>, allowed: &str) {
        let fault = Fault::new(self.form.place_of(key), self.form.path_of(key), message).allowed(allowed);
        self.faults.push(match given {
            Some(given) => fault.given(given),
            None => fault,
        });
    }
}

/// Reads two columns of numbers, apart by spaces, tabs or commas; what follows a `#` is a comment.
fn read_points(file: &Path) -> Result<Vec<(f64, f64)>, String> {
    let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
    let mut points = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default();
        let mut words = line.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty());
        let Some(first) = words.next() else { continue };
        let number = |word: &str| word.parse::<f64>().ok().filter(|value| (0.0..=GREATEST).contains(value));
        let point = words.next().and_then(|second| Some((number(first)?, number(second)?)));
        match point.filter(|_| words.next().is_none()) {
            Some(point) => points.push(point),
            None => return Err(format!("line {} is not two numbers", index + 1)),
        }
    }
    if points.is_empty() { Err("it has no points".into()) } else { Ok(points) }
}

/// An index or deviation beyond this is surely a slip.
const STEEPEST: f64 = 100.0;

/// Every whole number up to here is exact.
const GREATEST: f64 = 9_007_199_254_740_992.0;
