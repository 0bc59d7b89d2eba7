//! `[[flows]]`: groups of equal flows.

pub mod placement;

use super::algorithm::{self, AlgorithmKey, AlgorithmValue};
use super::application;
use super::distribution::{self, Drawn, DrawnOr, Unit};
use super::preset::Preset;
use super::program::ProgramKeys;
use super::source::{self, Bulk, Source, SourceContext};
use super::transfers::{self, Transfers, Window};
use super::transport::{Endpoint, ResolvedTransport, Scale, TransportKeys, preset_of};
use crate::context::LoadContext;
use crate::diagnostic::Fault;
use crate::emit::{Naming, TomlTable};
use crate::field::{Field, Reported};
use crate::forms::Choice;
use crate::input::InputFile;
use crate::kind::Parts;
use crate::section::{Fields, Section, Table, keys};
use crate::value::{Integer, List, Positive, SpanRange, Word};
use narrows_cc::Transport;
use narrows_model::algorithm::Control;
use narrows_model::traffic::{Distribution, Sizes, Spans};
use narrows_model::{Demand, Program, SourceModel, Start};
use narrows_topology::{Group, Placement};
use narrows_units::{Bytes, Span};
use placement::{Between, DirectionWord, TopologyContext};

keys! {
    /// `[[flows]]`, besides every key of `[transport]`.
    pub struct FlowKeys {
        /// Name of the group.
        name: String => "the algorithm's",
        /// Congestion control: a name, a name with parameters as in "aimd(a=1,b=0.8)", a table with name and parameters,
        /// or "subject": the algorithm that compare replaces.
        algorithm: AlgorithmKey => "none; programs: cubic; cbr and onoff sources: datagrams that nothing holds back",
        /// compare replaces the algorithm of this group.
        subject: bool => "true where algorithm is \"subject\"",
        /// Number of flows in the group, or of users if source is that; a group with 0 is left out.
        count: Integer<0, 1_000_000> = 1,
        /// A full data packet of the group on the wire, headers included.
        packet: Positive<Bytes> => "path.packet, or that of the network",
        /// When the flows start: a time, or a range from which each start is drawn uniformly.
        start: SpanRange = (Span::ZERO, Span::ZERO),
        /// Payload to transfer; from a distribution each flow draws its own.
        size: DrawnOr<Bytes, Unlimited> = Choice::Plain(None),
        /// Two-way propagation delay; from a distribution each flow draws its own in each replication, at least
        /// twice path.delay, or that of its route through a network.
        rtt: Drawn<Span> => "that of the path; in a network that of the route between its routers",
        /// Direction of the data along the path.
        direction: DirectionWord => "forward",
        /// The router of the senders.
        from: String => "none; needed in a network",
        /// The router of the receivers.
        to: String => "none; needed in a network",
        /// Routers of a network that data passes in this order, and acknowledgements in reverse order.
        via: List<String> => "none: the shortest route by delay",
        /// In a network, instead of from and to: short transfers from each edge to every other.
        between: Between => "one router and another",
        /// Source of the data.
        source: Source => "bulk",
        /// Programs of the machine that carry the flows, on a Linux kernel alone. Their TCP uses the algorithm unless they
        /// choose another.
        program: Table<ProgramKeys> => "none",
    }
}

/// The word for endless flows.
#[derive(Clone, Debug)]
pub struct Unlimited;

impl Word for Unlimited {
    const WORD: &'static str = "unlimited";
}

/// All keys of a group.
#[derive(Clone, Debug)]
pub struct GroupKeys {
    /// The keys of `[[flows]]` alone.
    pub own: FlowKeys,
    /// The keys that override `[transport]`; in the resolved file those that differ from it.
    pub transport: TransportKeys,
}

impl Section for GroupKeys {
    const PARTS: Parts = &[FlowKeys::PARTS[0], TransportKeys::PARTS[0]];

    fn take(fields: &mut Fields<'_>) -> Self {
        Self { own: FlowKeys::take(fields), transport: TransportKeys::take(fields) }
    }

    fn emit(&self, naming: Naming, table: &mut TomlTable) {
        self.own.emit(naming, table);
        self.transport.emit(naming, table);
    }
}

/// The process that starts the connections of a group, as far as it does not depend on the network.
#[derive(Clone, Debug)]
pub struct GroupLoad {
    count: u64,
    start: Start,
    size: Option<Sizes>,
    /// `None` if the flows are endless.
    transfers: Option<Transfers>,
}

impl GroupLoad {
    /// Number of connection slots, and whether the workload is fixed.
    pub fn slots(&self) -> (u64, bool) {
        self.transfers.as_ref().map_or((self.count, true), |transfers| {
            let two_sided = matches!(transfers.demand, Demand::Exchanges { .. } | Demand::Clients { .. });
            let sides = if two_sided { 2 } else { 1 };
            (u64::from(transfers.slots) * sides, false)
        })
    }
}

impl FlowKeys {
    /// Fills in algorithm and name of a group whose source has a rate of its own, or that programs carry; an error is added to
    /// `faults` if any other group has no algorithm.
    pub fn complete(&mut self, faults: &mut Vec<Fault>) {
        if self.algorithm.written {
            return;
        }
        if let Some(kind) = self.own_rate() {
            if !self.name.written {
                self.name.fill(Some(kind.to_owned()));
            }
            self.algorithm.fill(Some(AlgorithmValue::line(UNRESPONSIVE)));
            return;
        }
        if self.program.written {
            if !self.name.written {
                self.name.fill(Some(PROGRAM.to_owned()));
            }
            self.algorithm.fill(Some(AlgorithmValue::line(KERNELS_OWN)));
            return;
        }
        let fault = self.algorithm.fault("missing, and it has no default");
        let fault = fault
            .allowed("the name of an algorithm; a source of kind cbr or onoff, or a program, needs none");
        self.algorithm = Field::new(self.algorithm.at.clone(), false, Err(fault.report(faults)));
    }

    /// Kind of the source if it has a rate of its own; `None` otherwise.
    pub fn own_rate(&self) -> Option<&'static str> {
        self.source.get().ok()?.as_ref()?.own_rate()
    }

    /// Name of the group: its own, else that of its algorithm.
    ///
    /// # Errors
    ///
    /// If the algorithm has an error that was reported.
    pub fn group_name(&self) -> Result<String, Reported> {
        if let Some(name) = self.name.get()? {
            return Ok(name.clone());
        }
        let algorithm = self.algorithm.get()?.as_ref().ok_or_else(Reported::before)?;
        Ok(algorithm.group_name().to_owned())
    }

    /// Whether `compare` may replace the algorithm of the group.
    pub fn is_subject(&self) -> bool {
        self.subject.copied() == Ok(Some(true)) || self.names_subject()
    }

    fn names_subject(&self) -> bool {
        matches!(self.algorithm.get(), Ok(Some(algorithm)) if algorithm.is_subject())
    }

    /// The file of recorded transfers.
    pub fn recording(&self) -> Option<&InputFile> {
        match self.source.get().ok()?.as_ref()? {
            Source::Arrivals(form) => form.arrivals.get().ok()?.found.as_ref(),
            Source::Vectors(form) => form.vectors.get().ok()?.found.as_ref(),
            _ => None,
        }
    }

    /// The files of its algorithm as written, and of the one that replaced it.
    pub fn algorithm_files(&self) -> &[InputFile] {
        self.algorithm.get().ok().and_then(Option::as_ref).map_or(&[], AlgorithmValue::inputs)
    }

    /// The process that starts the connections of the group; keys that follow from others are filled in.
    ///
    /// # Errors
    ///
    /// If it has errors, which are added to `faults`.
    pub fn resolve_load(
        &mut self,
        duration: Result<Span, Reported>,
        context: &LoadContext<'_>,
        faults: &mut Vec<Fault>,
    ) -> Result<GroupLoad, Reported> {
        let count = self.count.copied();
        let start = self.check_start(duration, faults);
        let size = self.size.get_mut().and_then(|size| distribution::resolve(size, context, faults));
        let (count, start, size) = (count?, start?, size?.map(Sizes));
        let transfers = self.resolve_transfers(count, start, size.is_some(), duration, context, faults)?;
        Ok(GroupLoad { count, start, size, transfers })
    }

    fn check_start(
        &self,
        duration: Result<Span, Reported>,
        faults: &mut Vec<Fault>,
    ) -> Result<Start, Reported> {
        let (first, last) = self.start.copied()?;
        if let Ok(duration) = duration
            && last >= duration
        {
            let fault = self.start.fault("a flow that starts after the run ends").given(last.to_string());
            return Err(fault.allowed(format!("before the duration, {duration}")).report(faults));
        }
        Ok(if first == last { Start::At(first) } else { Start::Between(first, last) })
    }

    fn resolve_transfers(
        &mut self,
        count: u64,
        start: Start,
        sized: bool,
        duration: Result<Span, Reported>,
        context: &LoadContext<'_>,
        faults: &mut Vec<Fault>,
    ) -> Result<Option<Transfers>, Reported> {
        let Some(source) = self.source.get_mut()? else { return Ok(None) };
        let mut fetched = false;
        let (has_sizes, is_counted) = match source {
            Source::Bulk(_) | Source::ConstantRate(_) | Source::OnOff(_) | Source::Writes(_) => {
                return Ok(None);
            }
            Source::Poisson(_) | Source::PoissonSteps(_) => (false, false),
            Source::Arrivals(_) | Source::Vectors(_) => (true, false),
            Source::Users(_) => (false, true),
            Source::Video(_)
            | Source::Web(_)
            | Source::Responsiveness(_)
            | Source::Call(_)
            | Source::Game(_) => {
                fetched = true;
                (true, true)
            }
        };
        let from = match start {
            Start::At(from) | Start::Between(from, _) => from,
        };
        if !fetched && start != Start::At(from) {
            let fault = self.start.fault("a process of transfers starts at one time");
            return Err(fault.allowed("a time").report(faults));
        }
        if sized && has_sizes {
            let whose = if fetched {
                "an application fetches objects of its own sizes"
            } else {
                "what is recorded has its size"
            };
            return Err(self.size.fault(whose).allowed("no size").report(faults));
        }
        if !sized && !has_sizes {
            let fault = self.size.fault("the transfers of a process end").given("unlimited");
            return Err(fault.allowed("a size, or a distribution of sizes").report(faults));
        }
        if self.count.written && !is_counted {
            let bound = match source {
                Source::Vectors(_) => "",
                _ => "; `concurrent` in source bounds how many are in progress at once",
            };
            let fault = self.count.fault("only users are counted: arrivals make as many transfers as arrive");
            return Err(fault.allowed(format!("no count{bound}")).report(faults));
        }
        self.count.omitted = !is_counted;
        let duration = duration?;
        let window = Window { from, until: duration, duration };
        let (steps, transfers) = match source {
            Source::Poisson(form) => form.resolve(window, faults).map(|(steps, it)| (Some(steps), it))?,
            Source::PoissonSteps(form) => {
                form.resolve(window, faults).map(|(steps, it)| (Some(steps), it))?
            }
            Source::Arrivals(form) => (None, form.resolve(window, context, faults)?),
            Source::Vectors(form) => (None, form.resolve(window, context, faults)?),
            Source::Users(form) => (None, form.resolve(count, window, context, faults)?),
            Source::Video(form) => (None, form.resolve(count, start, faults)?),
            Source::Web(form) => (None, form.resolve(count, start, window, context, faults)?),
            Source::Responsiveness(form) => (None, form.resolve(count, start)?),
            Source::Call(form) => (None, form.resolve(count, start, faults)?),
            Source::Game(form) => (None, form.resolve(count, start, faults)?),
            Source::Bulk(_) | Source::ConstantRate(_) | Source::OnOff(_) | Source::Writes(_) => {
                return Ok(None);
            }
        };
        if let Some(steps) = steps {
            *source = Source::PoissonSteps(steps);
        }
        Ok(Some(transfers))
    }
}

/// The values on which the keys of a group depend.
#[derive(Clone, Copy)]
pub struct FlowContext<'a> {
    /// The place from which the scenario is loaded.
    pub load: &'a LoadContext<'a>,
    /// Duration of the run.
    pub duration: Result<Span, Reported>,
    /// The path or network of the flows.
    pub topology: TopologyContext<'a>,
    /// Conversion of sizes in packets.
    pub scale: Result<Scale<'a>, Reported>,
    /// The keys of `[transport]`; `None` if they are absent or have errors.
    pub transport: Option<&'a TransportKeys>,
}

/// A resolved group.
#[derive(Clone, Debug)]
pub struct ResolvedGroup {
    /// The group.
    pub group: Group,
    /// All keys of its endpoints.
    pub endpoint: Endpoint,
    /// Description of the group.
    pub words: String,
    /// Its index in the scenario file, where groups without flows have one, too.
    pub place: usize,
}

impl GroupKeys {
    /// Resolves all keys of the group and fills them in. `subject` says whether another algorithm may replace its own;
    /// `load` is the process that starts its connections.
    ///
    /// # Errors
    ///
    /// If a key has errors, which are added to `faults`.
    pub fn resolve(
        &mut self,
        subject: bool,
        load: Result<GroupLoad, Reported>,
        context: FlowContext<'_>,
        faults: &mut Vec<Fault>,
    ) -> Result<ResolvedGroup, Reported> {
        let layers: Vec<&TransportKeys> =
            [Some(&self.transport), context.transport].into_iter().flatten().collect();
        let own = &mut self.own;
        let algorithm =
            preset_of(&layers).and_then(|preset| own.resolve_algorithm(subject, preset, context, faults));
        let placement = own.resolve_placement(context.topology, faults);
        let scale =
            placement::scale(placement.as_ref().ok(), context.topology, context.duration, context.scale);
        let scale = own.resolve_packet(scale, faults);
        let rtt = own.resolve_rtt(placement.as_ref(), context, faults);
        let source = own.resolve_source(context, faults);
        let program = own.resolve_program(faults);
        let transport =
            scale.and_then(|scale| ResolvedTransport::new(&layers, algorithm.as_ref().ok(), scale, faults));
        let (load, source, transport) = (load?, source?, transport?);
        // A source of its own rate spaces its packets itself.
        let transport = if source.has_rate() { transport.without_usual_delay() } else { transport };
        let ResolvedTransport { endpoint, options, send_delay } = transport;
        let algorithm = algorithm?;
        let (demand, slots, surges) = match load.transfers {
            Some(Transfers { demand, slots, surges }) => (demand, slots, surges),
            None => (Demand::Fixed { start: load.start, source }, load.count as u32, Vec::new()),
        };
        let waits = matches!(demand, Demand::Exchanges { .. } | Demand::Clients { .. });
        if waits && algorithm.needs().transport != Transport::Reliable {
            let message = "data that is waited for must arrive, and datagrams may be lost";
            let fault = own.algorithm.fault(message);
            let allowed =
                "an algorithm of TCP for a source of kind vectors, video, web, responsiveness, call or game";
            return Err(fault.allowed(allowed).report(faults));
        }
        let placement = placement?;
        if matches!((&demand, &placement), (Demand::Users { barrier: true, .. }, Placement::Edges)) {
            let fault =
                own.source.fault("the users of many routes do not wait for each other").given("barrier");
            return Err(fault.allowed("no barrier, or from and to in place of between").report(faults));
        }
        let group = Group {
            name: own.group_name()?,
            algorithm,
            subject,
            program: program?,
            demand,
            slots,
            surges,
            size: load.size,
            rtt: rtt?,
            placement,
            transport: options,
            send_delay,
        };
        own.name.fill(Some(group.name.clone()));
        own.subject.fill(Some(subject));
        let words = describe(&group, load.start, &endpoint, context.topology);
        Ok(ResolvedGroup { group, endpoint, words, place: 0 })
    }
}

impl FlowKeys {
    fn resolve_algorithm(
        &mut self,
        subject: bool,
        preset: Preset,
        context: FlowContext<'_>,
        faults: &mut Vec<Fault>,
    ) -> Result<Control, Reported> {
        if self.subject.copied() == Ok(Some(false)) && self.names_subject() {
            let fault = self.subject.fault("the algorithm says otherwise").given("false");
            return Err(fault.allowed("true, or an algorithm by name").report(faults));
        }
        let typed = context.load.options.subject.as_deref().filter(|_| subject);
        algorithm::resolve(&mut self.algorithm, typed, preset, context.load, faults)
    }

    /// The conversion of sizes in packets with the group's own size of a packet.
    fn resolve_packet<'a>(
        &mut self,
        scale: Result<Scale<'a>, Reported>,
        faults: &mut Vec<Fault>,
    ) -> Result<Scale<'a>, Reported> {
        let (scale, own) = (scale?, self.packet.copied()?);
        let packet = own.unwrap_or(scale.packet);
        if packet > scale.packet {
            let fault = self.packet.fault("larger than the packets of the path").given(packet.to_string());
            return Err(fault.allowed(format!("at most {}", scale.packet)).report(faults));
        }
        self.packet.omitted = own.is_none();
        Ok(Scale { packet, ..scale })
    }

    /// What writes the data of endless flows.
    fn resolve_source(
        &mut self,
        context: FlowContext<'_>,
        faults: &mut Vec<Fault>,
    ) -> Result<SourceModel, Reported> {
        let of_source = SourceContext {
            load: context.load,
            duration: context.duration,
            path: context.topology.path_rate(),
            count: self.count.copied(),
        };
        let table = self.source.at.clone();
        let source = self.source.get_mut()?.get_or_insert(Source::Bulk(Bulk { table }));
        let model = source.resolve(of_source, faults)?;
        source::check_acts(&self.source, &model, context.duration?, faults)?;
        Ok(model)
    }

    /// The programs that carry the flows. They decide what is sent and when.
    fn resolve_program(&mut self, faults: &mut Vec<Fault>) -> Result<Option<Program>, Reported> {
        let Some(keys) = self.program.get()? else { return Ok(None) };
        let program = keys.resolve(faults)?;
        let others = [(&self.size.at, self.size.written), (&self.source.at, self.source.written)];
        if let Some((at, _)) = others.into_iter().find(|(_, written)| *written) {
            let fault = at.fault("does not fit beside program: the programs decide what is sent");
            return Err(fault.allowed("no such key").report(faults));
        }
        (self.size.omitted, self.source.omitted) = (true, true);
        Ok(Some(program))
    }

    /// The round trip of each flow.
    fn resolve_rtt(
        &mut self,
        placement: Result<&Placement, &Reported>,
        context: FlowContext<'_>,
        faults: &mut Vec<Fault>,
    ) -> Result<Spans, Reported> {
        let topology = context.topology;
        let usual = match (placement, topology) {
            (Ok(Placement::Edges), TopologyContext::Network(Ok(network))) => {
                // Every pair of edges has its own; what is said of the group is what buffers count.
                self.rtt.omitted = true;
                return Ok(Spans(Distribution::Constant(network.rtt.amount())));
            }
            (Ok(Placement::Routers(points)), TopologyContext::Network(Ok(network))) => {
                Ok(network.propagation(points))
            }
            (_, TopologyContext::Network(_)) => return Err(Reported::before()),
            (_, TopologyContext::Path(path)) => path.rtt.copied(),
            (_, TopologyContext::Missing(reported)) => Err(reported),
        };
        if !self.rtt.written {
            self.rtt.fill(Some(Choice::Plain(usual?)));
        }
        let written = self.rtt.get_mut()?.as_mut().ok_or_else(Reported::before)?;
        let rtt = Spans(distribution::resolve_drawn(written, context.load, faults)?);
        let drawn = rtt.constant().is_none();
        if drawn && rtt.mean() > LONGEST_MEAN {
            let fault = self.rtt.fault("the mean is longer than any path");
            return Err(fault.allowed(format!("at most {LONGEST_MEAN}")).report(faults));
        }
        match topology {
            TopologyContext::Path(path) => {
                let delay = path.delay.copied().ok().flatten();
                if drawn && delay.is_none() && rtt.least() == Span::ZERO {
                    let fault =
                        self.rtt.fault("round trips of any shortness leave no delay for the bottleneck");
                    let allowed = "path.delay, or a distribution with a smallest value above zero";
                    return Err(fault.allowed(allowed).report(faults));
                }
                if let Some(delay) = delay.filter(|delay| !drawn && *delay * 2 > rtt.mean()) {
                    let rtt = rtt.mean();
                    let at = if self.rtt.written { &self.rtt.at } else { &path.rtt.at };
                    let message = format!("a round trip of {rtt} is shorter than twice path.delay, {delay}");
                    let fault = at.fault(message).given(rtt.to_string());
                    return Err(fault.allowed(format!("at least {}", delay * 2)).report(faults));
                }
            }
            TopologyContext::Network(Ok(network)) => {
                if let (Ok(Placement::Routers(points)), Ok(usual), false) = (placement, usual, drawn)
                    && rtt.mean() < usual
                {
                    let (rtt, along) = (rtt.mean(), network.link_names_of(points));
                    let fault =
                        self.rtt.fault(format!("a round trip of {rtt} is shorter than that along {along}"));
                    let fault = fault.given(rtt.to_string());
                    return Err(fault.allowed(format!("at least {usual}")).report(faults));
                }
            }
            TopologyContext::Network(Err(_)) | TopologyContext::Missing(_) => {}
        }
        Ok(rtt)
    }
}

/// A group, for a reader.
fn describe(group: &Group, start: Start, endpoint: &Endpoint, topology: TopologyContext<'_>) -> String {
    let Group { algorithm, demand, .. } = group;
    let count = match demand {
        Demand::Clients { application, .. } => application::describe(application, group.slots),
        _ => transfers::describe(demand, group.slots),
    };
    let subject = if group.subject { ", under test" } else { "" };
    let start = match start {
        Start::At(at) => format!("from {at}"),
        Start::Between(first, last) => format!("from a random time between {first} and {last}"),
    };
    let size = match (&group.size, demand) {
        (None, Demand::Fixed { .. }) if group.program.is_some() => "carried by programs".to_owned(),
        (Some(size), _) => format!("{} each", distribution::describe::<Bytes>(&size.0)),
        (None, Demand::Fixed { .. }) => "endless".to_owned(),
        (None, Demand::Clients { .. }) => "objects as requested".to_owned(),
        (None, _) => "sizes as recorded".to_owned(),
    };
    let rtt = match demand {
        Demand::Exchanges { connections, .. } if connections.iter().any(|each| each.rtt.is_some()) => {
            "as recorded".to_owned()
        }
        _ => distribution::describe::<Span>(&group.rtt.0),
    };
    let source = match demand {
        Demand::Fixed { source, .. } => source::describe(source),
        _ => String::new(),
    };
    let placement = placement::describe(&group.placement, topology);
    let endpoint = endpoint.describe();
    // What sends at once whatever is written has no congestion control to name.
    let control = if algorithm.to_string() == UNRESPONSIVE {
        "without congestion control".to_owned()
    } else {
        format!("of {algorithm}")
    };
    format!("{count} {control}{subject}, {size}{source}, {start}, round trip {rtt}{placement}; {endpoint}")
}

/// Name of a group that programs carry.
const PROGRAM: &str = "program";

/// What kernels use unless they are configured otherwise.
const KERNELS_OWN: &str = "cubic";

/// What sends at once whatever is written.
const UNRESPONSIVE: &str = "constant(rate=1000Gbps)";

/// A day.
const LONGEST_MEAN: Span = Span::from_ms(86_400_000);
