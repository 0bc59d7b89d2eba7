// SPDX-License-Identifier: Apache-2.0
//! Sources that are applications: clients that request objects from servers.

use super::distribution::{self, Drawn};
use super::transfers::{Process, ProcessContext, Rules, Transfers};
use crate::diagnostic::Fault;
use crate::field::{Field, Reported};
use crate::forms::forms;
use crate::section::{Tables, keys};
use crate::value::{Count, Element, List, Positive, PositiveFraction, words};
use narrows_model::Demand;
use narrows_model::application::{
    self, ApplicationModel, Delivery, FramesModel, ObjectsModel, ResponsivenessModel, VideoModel, WebModel,
};
use narrows_model::traffic::{Sizes, Spans};
use narrows_units::{Bytes, Rate, Span};
use std::sync::Arc;

keys! {
    /// `count` video players. Each requests segments over a connection and adapts their bit rate. Data is sent by
    /// servers to players, requests in the opposite direction; both are connections of the group.
    pub struct Video = "video" {
        /// Bit rates of the encodings, ascending.
        ladder: List<Positive<Rate>> => "350kbps, 600kbps, 1Mbps, 2Mbps, 3Mbps (Yin et al. 2015, §7.1)",
        /// Playback duration of a segment.
        segment: Positive<Span> = Span::from_ms(4_000),
        /// Maximum buffer level, in playback time; at least one segment.
        buffer: Positive<Span> = Span::from_ms(30_000),
        /// Buffer level at which playback starts, and resumes after a stall.
        startup: Positive<Span> => "one segment",
        /// Rate adaptation algorithm.
        adaptation: AdaptationForms => "throughput",
    }
}

keys! {
    /// Throughput-based: from the throughput of the last segments (the rate-based player of Yin et al. 2015, §7.1).
    pub struct Throughput = "throughput" {
        /// Number of segments in the harmonic mean of the throughput.
        samples: Count<1, 1000> = SAMPLES,
        /// Upper bound of the bit rate, as a fraction of the estimated throughput.
        safety: PositiveFraction = SAFETY,
    }
}

keys! {
    /// Buffer-based: BBA-0 (Huang et al., SIGCOMM 2014). The defaults are the paper's fractions of its buffer of 240 s.
    pub struct Buffer = "buffer" {
        /// Reservoir: buffer level up to which the bit rate is the lowest.
        reservoir: Positive<Span> => "90/240 of the buffer without a segment",
        /// Cushion: range of buffer levels over which the bit rate increases to the highest.
        cushion: Positive<Span> => "126/240 of the buffer without a segment",
    }
}

keys! {
    /// Buffer-based by utility maximization: BOLA-BASIC (Spiteri et al., INFOCOM 2016).
    pub struct Bola = "bola" {
        /// γp, the weight of smooth playback; positive.
        smoothness: f64 = 5.0,
    }
}

forms! {
    /// A rule of adaptation.
    pub enum AdaptationForms { Throughput, Buffer, Bola }
}

keys! {
    /// `count` users who load pages, with think times between them. Data is sent by servers to users, requests in the
    /// opposite direction; both are connections of the group. Every page opens its own connections.
    pub struct Web = "web" {
        /// Objects of a page, by dependency level: object i of a level is requested when object i modulo n of the
        /// previous level, which has n objects, has been received.
        levels: Tables<LevelKeys>,
        /// Maximum number of connections of a page.
        connections: Count<1, 64> = 1,
        /// Maximum number of outstanding requests on a connection.
        streams: Count<1, 1000> => "100 over one connection (HTTP/2), 1 over several (HTTP/1.1)",
        /// Round trips between the opening of a connection of TCP and its first request: 1 for TLS 1.3, 2 for TLS 1.2. The
        /// handshake of a stack includes the handshake of TLS.
        handshakes: Count<0, 8> = 1,
        /// Think time, from the end of a page to the start of the next.
        think: Drawn<Span>,
        /// Time at or after which no page starts.
        until: Positive<Span> => "the end of the run",
    }
}

keys! {
    /// A level of objects.
    pub struct LevelKeys {
        /// Number of objects.
        count: Count<1, 10_000> = 1,
        /// Size of an object.
        size: Drawn<Bytes>,
    }
}

keys! {
    /// `count` measurements of responsiveness under load (draft-ietf-ippm-responsiveness): load-generating connections,
    /// and probes that alternate between these and separate connections.
    pub struct Responsiveness = "responsiveness" {
        /// Number of load-generating connections.
        connections: Count<1, 64> = 4,
        /// Time between two probes.
        interval: Positive<Span> = Span::from_ms(100),
        /// Whether separate connections of TCP have a TLS handshake of one round trip. The handshake of a stack includes it.
        tls: bool = true,
    }
}

keys! {
    /// `count` one-way calls: live video in frames at a bit rate that follows the congestion controller (RFC 8698
    /// §5.2.2, with the controller in place of NADA's). Data is sent by the camera to the viewer.
    pub struct Call = "call" {
        /// Frames per second.
        fps: Count<1, 1000> = 30,
        /// Minimum bit rate.
        minimum: Positive<Rate> = Rate::from_bps(150_000),
        /// Maximum bit rate.
        maximum: Positive<Rate> = Rate::from_bps(2_500_000),
        /// Delay above which a frame is late; a one-way delay of 150 ms is acceptable to most users (ITU-T G.114).
        deadline: Positive<Span> = Span::from_ms(150),
        /// Age of the oldest unsent data above which frames are skipped.
        skip: Positive<Span> => "the deadline",
    }
}

keys! {
    /// `count` players of cloud games, rendered and encoded by a server: as call, with other defaults. Data is sent by
    /// the server to the player.
    pub struct Game = "game" {
        /// Frames per second.
        fps: Count<1, 1000> = 60,
        /// Minimum bit rate.
        minimum: Positive<Rate> = Rate::from_bps(2_000_000),
        /// Maximum bit rate.
        maximum: Positive<Rate> = Rate::from_bps(25_000_000),
        /// Delay above which a frame is late; players of first-person games perform worse above 100 ms (Claypool and
        /// Claypool, CACM 49(11), 2006).
        deadline: Positive<Span> = Span::from_ms(100),
        /// Age of the oldest unsent data above which frames are skipped.
        skip: Positive<Span> => "the deadline",
    }
}

keys! {
    /// `count` viewers of live video in the shape of Media over QUIC (draft-ietf-moq-transport): groups of frames at a constant bit
    /// rate, each group on a stream of its own that is reset when a frame of it is too old, or in datagrams. Data is sent by the publisher to
    /// the viewer, over a stack.
    pub struct Objects = "objects" {
        /// Frames per second.
        fps: Count<1, 1000> = 30,
        /// Mean bit rate of the frames.
        bitrate: Positive<Rate> = Rate::from_bps(2_500_000),
        /// Frames of a group, from one key frame to the next.
        group: Count<1, 100_000> => "the frames of a second",
        /// Size of a key frame over the size of each other frame, from 1 to 1000.
        key_frame: f64 = 5.0,
        /// Time after the capture of a frame at which it is late; the rest of it is not sent, and the stream of its group
        /// is reset. At most a minute.
        deadline: Positive<Span> = Span::from_ms(500),
        /// Whether the frames of a group are sent on a stream of the group, of which the newest is sent first, or in datagrams, in order,
        /// which are not sent again if they are lost (RFC 9221).
        delivery: DeliveryWord = DeliveryWord::Streams,
    }
}

/// What carries the frames of objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliveryWord {
    /// A stream for each group.
    Streams,
    /// Datagrams.
    Datagrams,
}

words!(DeliveryWord { Streams = "streams", Datagrams = "datagrams" });

impl Process for Video {
    fn rules(&self) -> Rules {
        APPLICATION
    }

    fn resolve(
        &mut self,
        context: ProcessContext<'_>,
        faults: &mut Vec<Fault>,
    ) -> Result<Transfers, Reported> {
        let at = self.ladder.at.clone();
        let ladder = self.ladder.get_mut()?.get_or_insert_with(|| {
            LADDER.iter().map(|bps| Element { at: at.clone(), value: Rate::from_bps(*bps) }).collect()
        });
        let ladder: Vec<Rate> = ladder.iter().map(|each| each.value).collect();
        if ladder.is_empty() || ladder.windows(2).any(|pair| pair[0] >= pair[1]) {
            let fault = self.ladder.fault("bit rates are not ascending");
            return Err(fault.allowed("at least one bit rate, each above the one before").report(faults));
        }
        let (segment, buffer) = (self.segment.copied()?, self.buffer.copied()?);
        if buffer < segment {
            let fault = self.buffer.fault("no segment fits").given(buffer.to_string());
            return Err(fault.allowed(format!("at least a segment, {segment}")).report(faults));
        }
        let startup = *self.startup.get_mut()?.get_or_insert(segment);
        if startup > buffer {
            let fault = self.startup.fault("more than the buffer holds").given(startup.to_string());
            return Err(fault.allowed(format!("at most {buffer}")).report(faults));
        }
        // What the buffer holds when a segment is requested.
        let usable = if buffer > segment { buffer - segment } else { buffer };
        let table = self.adaptation.at.clone();
        let usual = || {
            AdaptationForms::Throughput(Throughput {
                samples: Field::of(&table, SAMPLES),
                safety: Field::of(&table, SAFETY),
                table: table.clone(),
            })
        };
        let adaptation = self.adaptation.get_mut()?.get_or_insert_with(usual).resolve(usable, faults)?;
        let model = VideoModel { ladder, segment, buffer, startup, adaptation };
        Ok(clients(ApplicationModel::Video(model), context))
    }
}

impl AdaptationForms {
    fn resolve(
        &mut self,
        usable: Span,
        faults: &mut Vec<Fault>,
    ) -> Result<application::Adaptation, Reported> {
        Ok(match self {
            Self::Throughput(form) => application::Adaptation::Throughput {
                samples: form.samples.copied()?,
                safety: form.safety.copied()?,
            },
            Self::Buffer(form) => application::Adaptation::Buffer {
                reservoir: *form.reservoir.get_mut()?.get_or_insert_with(|| usable.scaled(90.0 / 240.0)),
                cushion: *form.cushion.get_mut()?.get_or_insert_with(|| usable.scaled(126.0 / 240.0)),
            },
            Self::Bola(form) => {
                let smoothness = form.smoothness.copied()?;
                if smoothness <= 0.0 {
                    let fault = form.smoothness.fault("out of range").given(smoothness.to_string());
                    return Err(fault.allowed("above 0").report(faults));
                }
                application::Adaptation::Bola { smoothness }
            }
        })
    }
}

impl Process for Web {
    fn rules(&self) -> Rules {
        APPLICATION
    }

    fn resolve(
        &mut self,
        context: ProcessContext<'_>,
        faults: &mut Vec<Fault>,
    ) -> Result<Transfers, Reported> {
        let window = context.window.until(&mut self.until, faults)?;
        let mut levels = Vec::new();
        for level in self.levels.get_mut()? {
            let size = distribution::resolve_drawn(level.size.get_mut()?, context.load, faults)?;
            levels.push(application::Level { count: level.count.copied()?, size: Sizes(size) });
        }
        let think = Spans(distribution::resolve_drawn(self.think.get_mut()?, context.load, faults)?);
        let connections = self.connections.copied()?;
        let usual = if connections == 1 { STREAMS } else { 1 };
        let model = WebModel {
            levels,
            connections,
            streams: *self.streams.get_mut()?.get_or_insert(usual),
            handshakes: self.handshakes.copied()?,
            think,
            until: window.until,
        };
        Ok(clients(ApplicationModel::Web(model), context))
    }
}

impl Process for Responsiveness {
    fn rules(&self) -> Rules {
        APPLICATION
    }

    fn resolve(
        &mut self,
        context: ProcessContext<'_>,
        _faults: &mut Vec<Fault>,
    ) -> Result<Transfers, Reported> {
        let model = ResponsivenessModel {
            connections: self.connections.copied()?,
            interval: self.interval.copied()?,
            tls: self.tls.copied()?,
        };
        Ok(clients(ApplicationModel::Responsiveness(model), context))
    }
}

/// The keys of a source of frames.
struct FrameKeys<'a> {
    fps: &'a Field<u32>,
    minimum: &'a Field<Rate>,
    maximum: &'a Field<Rate>,
    deadline: &'a Field<Span>,
    skip: &'a mut Field<Option<Span>>,
}

impl Process for Call {
    fn rules(&self) -> Rules {
        APPLICATION
    }

    fn resolve(
        &mut self,
        context: ProcessContext<'_>,
        faults: &mut Vec<Fault>,
    ) -> Result<Transfers, Reported> {
        let Self { fps, minimum, maximum, deadline, skip, .. } = self;
        FrameKeys { fps, minimum, maximum, deadline, skip }.resolve(context, faults)
    }
}

impl Process for Game {
    fn rules(&self) -> Rules {
        APPLICATION
    }

    fn resolve(
        &mut self,
        context: ProcessContext<'_>,
        faults: &mut Vec<Fault>,
    ) -> Result<Transfers, Reported> {
        let Self { fps, minimum, maximum, deadline, skip, .. } = self;
        FrameKeys { fps, minimum, maximum, deadline, skip }.resolve(context, faults)
    }
}

impl Process for Objects {
    fn rules(&self) -> Rules {
        APPLICATION
    }

    fn resolve(
        &mut self,
        context: ProcessContext<'_>,
        faults: &mut Vec<Fault>,
    ) -> Result<Transfers, Reported> {
        let (fps, bitrate) = (self.fps.copied()?, self.bitrate.copied()?);
        let (key_frame, deadline) = (self.key_frame.copied()?, self.deadline.copied()?);
        if !(1.0..=1000.0).contains(&key_frame) {
            let fault = self.key_frame.fault("out of range").given(key_frame.to_string());
            return Err(fault.allowed("a number from 1 to 1000").report(faults));
        }
        if deadline > LONGEST_DEADLINE {
            let fault = self.deadline.fault("out of range").given(deadline.to_string());
            return Err(fault.allowed(format!("at most {LONGEST_DEADLINE}")).report(faults));
        }
        let delivery = match self.delivery.copied()? {
            DeliveryWord::Streams => Delivery::Streams,
            DeliveryWord::Datagrams => Delivery::Datagrams,
        };
        let group = *self.group.get_mut()?.get_or_insert(fps);
        let model = ObjectsModel { fps, bitrate, group, key_frame, deadline, delivery };
        Ok(clients(ApplicationModel::Objects(model), context))
    }
}

impl FrameKeys<'_> {
    fn resolve(self, context: ProcessContext<'_>, faults: &mut Vec<Fault>) -> Result<Transfers, Reported> {
        let (minimum, maximum, deadline) =
            (self.minimum.copied()?, self.maximum.copied()?, self.deadline.copied()?);
        if minimum > maximum {
            let fault = self.minimum.fault("above the greatest bit rate").given(minimum.to_string());
            return Err(fault.allowed(format!("at most {maximum}")).report(faults));
        }
        let skip = *self.skip.get_mut()?.get_or_insert(deadline);
        let model = FramesModel { fps: self.fps.copied()?, minimum, maximum, deadline, skip };
        Ok(clients(ApplicationModel::Frames(model), context))
    }
}

fn clients(application: ApplicationModel, context: ProcessContext<'_>) -> Transfers {
    let ProcessContext { count, start, stop, .. } = context;
    let (slots, words) = (count as u32 * application.connections(), describe(&application, count));
    let demand = Demand::Clients { application: Arc::new(application), side: 0, start, stop };
    Transfers { sizes: "objects as requested", ..Transfers::new(demand, slots, words) }
}

/// The rules of applications.
const APPLICATION: Rules = Rules {
    no_size: Some("an application fetches objects of its own sizes"),
    no_count: None,
    of_clients: true,
    spreads: false,
};

/// Description of `count` clients of an application.
fn describe(application: &ApplicationModel, count: u64) -> String {
    let (one, many, what) = match application {
        ApplicationModel::Video(model) => {
            let (least, most) = (model.ladder[0], model.ladder[model.ladder.len() - 1]);
            let segment = model.segment;
            let what =
                format!("{} bit rates from {least} to {most}, segments of {segment}", model.ladder.len());
            ("player of video", "players of video", what)
        }
        ApplicationModel::Web(model) => {
            let objects: u32 = model.levels.iter().map(|level| level.count).sum();
            let think = distribution::describe::<Span>(&model.think.0);
            let connections = match model.connections {
                1 => "one connection".to_owned(),
                many => format!("up to {many} connections"),
            };
            let what = format!("pages of {objects} objects over {connections}, thinking for {think}");
            ("user of the web", "users of the web", what)
        }
        ApplicationModel::Responsiveness(model) => {
            let what = format!(
                "{} connections that carry load, a probe every {}",
                model.connections, model.interval
            );
            ("measurement of responsiveness", "measurements of responsiveness", what)
        }
        ApplicationModel::Frames(model) => {
            let FramesModel { fps, minimum, maximum, deadline, .. } = model;
            let what = format!("{fps} frames per second at {minimum} to {maximum}, late after {deadline}");
            ("viewer of live frames", "viewers of live frames", what)
        }
        ApplicationModel::Objects(model) => {
            let ObjectsModel { fps, bitrate, group, deadline, delivery, .. } = model;
            let carried = match delivery {
                Delivery::Streams => "a stream each",
                Delivery::Datagrams => "datagrams",
            };
            let what = format!(
                "{fps} frames per second at {bitrate}, in groups of {group} and {carried}, late after {deadline}"
            );
            ("viewer of objects", "viewers of objects", what)
        }
    };
    format!("{count} {} ({what})", if count == 1 { one } else { many })
}

/// Bit rates of a player, bits per second.
const LADDER: [u64; 5] = [350_000, 600_000, 1_000_000, 2_000_000, 3_000_000];
/// Longest deadline of objects, which bounds the frames that wait.
const LONGEST_DEADLINE: Span = Span::from_ms(60_000);
const SAMPLES: u32 = 5;
const SAFETY: f64 = 0.9;

/// Requests at a time of a connection that multiplexes them (RFC 9113 §6.5.2 recommends to allow no fewer).
const STREAMS: u32 = 100;
