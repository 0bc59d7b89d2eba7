// SPDX-License-Identifier: Apache-2.0
//! `[[flows]]`: groups of flows with the same properties.

mod describe;
mod load;
mod paths;
pub mod placement;
mod rtt;

pub use load::GroupLoad;

use super::algorithm::{self, AlgorithmKey, AlgorithmValue, Among};
use super::distribution::{Drawn, DrawnOr};
use super::preset::Preset;
use super::program::ProgramKeys;
use super::source::{self, Bulk, Source, SourceContext};
use super::stack::{StackKeys, StackWord};
use super::transfers::Transfers;
use super::transport::{Endpoint, ResolvedTransport, Scale, TransportKeys, preset_of, receiver};
use crate::context::{LoadContext, LoadOptions};
use crate::diagnostic::Fault;
use crate::emit::{Naming, TomlTable};
use crate::field::{Field, Reported};
use crate::forms::Choice;
use crate::input::InputFile;
use crate::kind::{Parts, joined};
use crate::section::{Fields, Section, Table, Tables, keys};
use crate::value::{Integer, List, Positive, SpanRange, Word, Words};
use narrows_cc::Transport;
use narrows_model::algorithm::Control;
use narrows_model::stack::ProtocolStack;
use narrows_model::{Demand, Program, SourceModel};
use narrows_topology::{Group, Placement};
use narrows_transport::TransportOptions;
use narrows_units::{Bytes, Rate, Span};
use paths::PathsKeys;
use placement::{Between, DirectionWord, TopologyContext};
use std::sync::Arc;

keys! {
    /// The keys of `[[flows]]` that are not keys of `[transport]`.
    pub struct FlowKeys {
        /// Name of the group.
        name: String => "the algorithm's",
        /// Congestion control: a name, a name with parameters as in "aimd(a=1,b=0.8)", a table with name and
        /// parameters, or "subject", the algorithm that compare replaces.
        algorithm: AlgorithmKey => "none; programs: cubic; cbr and onoff sources: datagrams that nothing holds back",
        /// Whether compare replaces the algorithm of this group.
        subject: bool => "true where algorithm is \"subject\"",
        /// Number of flows, or of users or clients of the source, in the group; a group with 0 is omitted.
        count: Integer<0, 1_000_000> = 1,
        /// Size of a full data packet of the group, headers included.
        packet: Positive<Bytes> => "path.packet, or that of the network",
        /// Start time of the flows, or a range from which each start time is drawn uniformly.
        start: SpanRange = (Span::ZERO, Span::ZERO),
        /// Time from the start of a flow, or client, of the group to that of the next; the first starts at start.
        stagger: Positive<Span> => "none: all start at start",
        /// Time at which each flow, or client, stops. An endless flow writes no more, and ends when what it has sent is
        /// acknowledged; a transfer that is not complete is aborted; a client closes its connections.
        stop: Positive<Span> => "the end of the run",
        /// Time from the start of a flow, or client, until it stops; given instead of stop.
        lasts: Positive<Span> => "to the end of the run",
        /// Payload of each flow, or a distribution from which it is drawn.
        size: DrawnOr<Bytes, Unlimited> = Choice::Plain(None),
        /// Two-way propagation delay of each flow, or a distribution from which it is drawn in each replication; at
        /// least twice path.delay, or that of its route in a network.
        rtt: Drawn<Span> => "that of the path; in a network that of the route between its routers",
        /// Direction of the data on the path.
        direction: DirectionWord => "forward",
        /// Router of the senders.
        from: String => "none; needed in a network",
        /// Router of the receivers.
        to: String => "none; needed in a network",
        /// Routers that data traverses in this order, and acknowledgements in the opposite order.
        via: List<String> => "none: the shortest route by delay",
        /// Paths of each connection between its routers, of which the first opens it; of stack noq only, in a network.
        paths: Tables<PathsKeys> => "none: one path, along via",
        /// Short transfers from each edge router to every other; given instead of from and to.
        between: Between => "one router and another",
        /// Application that supplies the data.
        source: Source => "bulk",
        /// Protocol stack that carries the flows, with one of its congestion controllers, or an algorithm as `narrows:NAME`.
        stack: StackWord => "none: the endpoints of Narrows, or of a kernel",
        /// External programs that carry the flows, on a Linux kernel only. Their TCP uses the algorithm, unless they
        /// select another.
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
    /// The settings of the stack that carries the flows.
    pub stack: StackKeys,
    /// The keys that override `[transport]`; in the resolved file those that differ from it.
    pub transport: TransportKeys,
}

impl Section for GroupKeys {
    const PARTS: Parts = &joined::<
        { FlowKeys::PARTS.len() + StackKeys::PARTS.len() + TransportKeys::PARTS.len() },
    >(&[FlowKeys::PARTS, StackKeys::PARTS, TransportKeys::PARTS]);

    fn take(fields: &mut Fields<'_>) -> Self {
        Self {
            own: FlowKeys::take(fields),
            stack: StackKeys::take(fields),
            transport: TransportKeys::take(fields),
        }
    }

    fn emit(&self, naming: Naming, table: &mut TomlTable) {
        self.own.emit(naming, table);
        self.stack.emit(naming, table);
        self.transport.emit(naming, table);
    }
}

impl FlowKeys {
    /// Fills in algorithm and name of a group whose source has a rate of its own, or which programs carry; adds an
    /// error to `faults` if any other group has no algorithm.
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

    /// Returns the kind of the source if it has a rate of its own; `None` otherwise.
    pub fn own_rate(&self) -> Option<&'static str> {
        self.source.get().ok()?.as_ref()?.own_rate()
    }

    /// Returns the name of the group: its own, else the name of its algorithm.
    ///
    /// # Errors
    ///
    /// If the algorithm has an error that was reported.
    pub fn group_name(&self) -> Result<String, Reported> {
        if let Some(name) = self.name.get()? {
            return Ok(name.clone());
        }
        let algorithm = self.algorithm.get()?.as_ref().ok_or_else(Reported::before)?;
        let name = algorithm.group_name();
        Ok(match self.stack.copied()? {
            Some(stack) if !name.contains(':') => format!("{}:{name}", stack.word()),
            _ => name.to_owned(),
        })
    }

    /// Whether `compare` may replace the algorithm of the group.
    pub fn is_subject(&self) -> bool {
        self.subject.copied() == Ok(Some(true)) || self.names_subject()
    }

    fn names_subject(&self) -> bool {
        matches!(self.algorithm.get(), Ok(Some(algorithm)) if algorithm.is_subject())
    }

    /// Returns the file of recorded transfers.
    pub fn recording(&self) -> Option<&InputFile> {
        self.source.get().ok()?.as_ref()?.process()?.recording()
    }

    /// Returns the files of its algorithm as written, and of the one that replaced it.
    pub fn algorithm_files(&self) -> &[InputFile] {
        self.algorithm.get().ok().and_then(Option::as_ref).map_or(&[], AlgorithmValue::inputs)
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
    /// Index of the group in the scenario file, where groups without flows are counted, too.
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
        let algorithm = algorithm.and_then(|mut algorithm| {
            self.stack.resolve(algorithm.stack_mut(), &self.transport, faults)?;
            own.resolve_paths(&mut algorithm, faults)?;
            Ok(algorithm)
        });
        let placement = own.resolve_placement(context.topology, faults);
        let scale = placement::scale(
            placement.as_ref().ok().map(|(placement, _)| placement),
            context.topology,
            context.duration,
            context.scale,
        );
        let scale = own.resolve_packet(scale, faults);
        let rtt = own.resolve_rtt(placement.as_ref().map(|(placement, _)| placement), context, faults);
        let source = own.resolve_source(context, faults);
        let program = own.resolve_program(context.load.options, faults);
        let transport =
            scale.and_then(|scale| ResolvedTransport::new(&layers, algorithm.as_ref().ok(), scale, faults));
        let (load, source, transport) = (load?, source?, transport?);
        // A source of its own rate spaces its packets itself.
        let transport = if source.has_rate() { transport.without_usual_delay() } else { transport };
        let ResolvedTransport { endpoint, options, send_delay } = transport;
        let algorithm = algorithm?;
        own.check_rates(&algorithm, &source, &options, faults)?;
        let source_words = source::describe(&source);
        let Transfers { demand, slots, surges, words, sizes, .. } =
            load.transfers.unwrap_or_else(|| Transfers {
                sizes: "endless",
                ..Transfers::new(
                    Demand::Fixed { start: load.start, stop: load.stop, source },
                    load.count as u32,
                    if load.count == 1 { "1 flow".to_owned() } else { format!("{} flows", load.count) },
                )
            });
        let words = describe::Words { count: words, sizes, source: source_words };
        if demand.side().is_some() && algorithm.needs().transport != Transport::Reliable {
            let message = "data that is waited for must arrive, and datagrams may be lost";
            let fault = own.algorithm.fault(message);
            let allowed =
                "an algorithm of TCP for a source of kind vectors, video, web, responsiveness, call or game";
            return Err(fault.allowed(allowed).report(faults));
        }
        if demand.needs_stack() && algorithm.stack().is_none() {
            let message = "the endpoints of Narrows and of kernels have neither several streams nor datagrams beside them";
            let fault = own.source.fault(message).given("kind = \"objects\"");
            let allowed = "stack = \"quinn\" or \"noq\" in the group, or an algorithm of a stack as \"quinn:cubic\"; \
                           kind = \"call\" is live video without a stack";
            return Err(fault.allowed(allowed).report(faults));
        }
        let reliable = algorithm.needs().transport == Transport::Reliable;
        receiver::check_group(&endpoint, &self.transport, (reliable, demand.side().is_some()), faults)?;
        if demand.is_stream() && (!reliable || load.size.is_some()) {
            let message =
                if reliable { "a stream of bytes has no size" } else { "datagrams are no stream of bytes" };
            let fault = own.source.fault(message).given("whole_packets = false");
            let allowed =
                "whole_packets = true, or an algorithm of TCP and no size; stop and lasts end a stream";
            return Err(fault.allowed(allowed).report(faults));
        }
        let (placement, further) = placement?;
        if demand.is_synchronized() && placement == Placement::Edges {
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
            further,
            transport: options,
            send_delay,
        };
        own.name.fill(Some(group.name.clone()));
        own.subject.fill(Some(subject));
        let words = describe::describe(&group, words, (load.start, load.stop), &endpoint, context.topology);
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
        let stack = self.resolve_stack(context.load.options, faults)?;
        let among = Among { preset, stack };
        let control = algorithm::resolve(&mut self.algorithm, typed, &among, context.load, faults)?;
        if control.stack().is_some() && self.program.written {
            let fault = self.algorithm.fault("the flows of a program have no stack of their own");
            let fault = fault.given(format!("\"{control}\""));
            return Err(fault.allowed("an algorithm without one").report(faults));
        }
        Ok(control)
    }

    /// The protocol stack that carries the flows; `None` if none does.
    fn resolve_stack(
        &self,
        options: &LoadOptions,
        faults: &mut Vec<Fault>,
    ) -> Result<Option<Arc<dyn ProtocolStack>>, Reported> {
        let Some(word) = self.stack.copied()? else { return Ok(None) };
        if self.program.written {
            let fault = self.stack.fault("does not fit beside program").given(format!("\"{}\"", word.word()));
            return Err(fault.allowed("one of the two").report(faults));
        }
        if let Some(found) = options.stacks.iter().find(|each| each.name() == word.word()) {
            return Ok(Some(Arc::clone(found)));
        }
        let fault = self.stack.fault("no stack of this name is part of this build of Narrows");
        let names: Vec<_> = options.stacks.iter().map(|each| each.name()).collect();
        let allowed = if names.is_empty() { "no stack".to_owned() } else { names.join(", ") };
        Err(fault.given(format!("\"{}\"", word.word())).allowed(allowed).report(faults))
    }

    /// Checks that a source can send as fast as it says: an algorithm at a constant rate must not be slower.
    fn check_rates(
        &self,
        algorithm: &Control,
        source: &SourceModel,
        options: &TransportOptions,
        faults: &mut Vec<Fault>,
    ) -> Result<(), Reported> {
        let highest = source.highest_bps().filter(|bps| bps.is_finite());
        let (Some(rate), Some(highest_bps)) = (algorithm.constant_rate(), highest) else {
            return Ok(());
        };
        let payload = options.mss.bits() as f64 / (options.mss + options.header).bits() as f64;
        let wanted = Rate::from_bps_f64((highest_bps * payload).ceil());
        if rate >= wanted {
            return Ok(());
        }
        let message =
            format!("sends {rate} of payload, and its source writes up to {wanted}: which of both?");
        let fault = self.algorithm.fault(message).given(format!("constant(rate={rate})"));
        Err(fault.allowed(format!("no algorithm, or a rate of at least {wanted}")).report(faults))
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

    /// The programs that carry the flows. They decide about the data and its times.
    fn resolve_program(
        &mut self,
        options: &LoadOptions,
        faults: &mut Vec<Fault>,
    ) -> Result<Option<Program>, Reported> {
        let Some(keys) = self.program.get()? else { return Ok(None) };
        // The simulator executes none, and says so.
        let trust = options.backend.is_some().then_some(&options.trust);
        let program = keys.resolve(trust, faults)?;
        let others = [
            (&self.size.at, self.size.written),
            (&self.source.at, self.source.written),
            (&self.stop.at, self.stop.written),
            (&self.lasts.at, self.lasts.written),
        ];
        if let Some((at, _)) = others.into_iter().find(|(_, written)| *written) {
            let fault = at.fault("does not fit beside program: the programs decide what is sent");
            return Err(fault.allowed("no such key").report(faults));
        }
        (self.size.omitted, self.source.omitted) = (true, true);
        Ok(Some(program))
    }
}

/// Name of a group that programs carry.
const PROGRAM: &str = "program";

/// The default congestion control of kernels.
const KERNELS_OWN: &str = "cubic";

/// An algorithm whose rate never limits a sender.
const UNRESPONSIVE: &str = "constant(rate=1000Gbps)";
