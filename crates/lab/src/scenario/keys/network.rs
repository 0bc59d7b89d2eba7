//! Keys of `[network]`: routers, the links between them, and what happens to those.

use super::path::{LOSS_KIND, RATE_KIND};
use super::queue::QUEUE_KIND;
use super::{Key, Kind, RATE, SIZE, TIME, Variant};

/// `[network]`.
pub(super) const NETWORK: &[Key] = &[
    Key::required(
        "rtt",
        Kind::Quantity(TIME),
        "The round trip that 1bdp of a buffer counts, at the mean rate of its link.",
    ),
    Key::new("packet", Kind::Quantity(SIZE), "1500B", "A full data packet on the wire."),
    Key::new(
        "access_rate",
        Kind::Quantity(RATE),
        "ten times the greatest rate of any link",
        "Rate of each flow's own access links.",
    ),
    Key::new(
        "convergence",
        Kind::Quantity(TIME.or_zero()),
        "0s",
        "From an event to the time at which hosts send along other ways for it.",
    ),
    Key::new(
        "note",
        Kind::Text,
        "what a generator or file was taken to say",
        "Where the links come from and what was assumed of them.",
    ),
    Key::new("links", Kind::Tables(&[LINK]), "those of generator or graph", "The links between routers."),
    Key::new(
        "generator",
        Kind::Variants { plain: None, variants: GENERATORS },
        "none",
        "A shape of which all links are alike, instead of links.",
    ),
    Key::new("graph", Kind::Table(GRAPH), "none", "A GraphML file, instead of links."),
    Key::new(
        "edges",
        Kind::Tables(&[EDGE]),
        "those of generator tiered",
        "Routers with hosts behind them; flows that say between = \"edges\" go from each to every other.",
    ),
    Key::new("hosts", Kind::Table(HOSTS), "see its keys", "The hosts behind edges."),
    Key::new(
        "events",
        Kind::List(&EVENT_KIND),
        "none",
        "What happens to links at set times. Ways are shortest by delay again after each; a packet under way keeps its own.",
    ),
];

/// `[[network.links]]`.
const LINK: &[Key] = &[
    Key::required("from", Kind::Text, "The router at one end."),
    Key::required("to", Kind::Text, "The router at the other end."),
    Key::new(
        "name",
        Kind::Text,
        "FROM-TO, and TO-FROM the other way; a name of its own with \" reverse\" the other way",
        "What the link is called in events and records.",
    ),
    Key::new("one_way", Kind::Flag, "false", "There is no other way."),
    RATE_KEY,
    DELAY,
    QUEUE,
    LOSS,
    REVERSE,
];

const RATE_KEY: Key = Key::required("rate", RATE_KIND, "Its rate.");

const DELAY: Key = Key::required("delay", Kind::Quantity(TIME), "One-way propagation delay.");

const QUEUE: Key = Key::new("queue", QUEUE_KIND, "droptail, 1bdp", "What waits for it.");

const LOSS: Key = Key::new("loss", LOSS_KIND, "none", "Random loss on it, behind its queue.");

const REVERSE: Key = Key::new(
    "reverse",
    Kind::Table(&[
        Key::new("rate", RATE_KIND, "the same", "Rate in the other direction."),
        Key::new("queue", QUEUE_KIND, "the same", "What waits for the other direction."),
        Key::new("loss", LOSS_KIND, "the same", "Random loss in the other direction."),
    ]),
    "the same",
    "What is different in the other direction.",
);

const GENERATORS: &[Variant] = &[
    Variant {
        name: "dumbbell",
        keys: &[RATE_KEY, DELAY, QUEUE, LOSS, REVERSE],
        meaning: "The link bottleneck between the routers left and right.",
    },
    Variant {
        name: "parking-lot",
        keys: &[
            Key::required("hops", Kind::Integer { minimum: 1, maximum: 1000 }, "How many links in a row."),
            RATE_KEY,
            DELAY,
            QUEUE,
            LOSS,
            REVERSE,
        ],
        meaning: "Routers R0, R1, R2 … in a row.",
    },
    Variant {
        name: "ring",
        keys: &[
            Key::required(
                "links",
                Kind::Integer { minimum: 3, maximum: 1000 },
                "How many links in the circle.",
            ),
            RATE_KEY,
            DELAY,
            QUEUE,
            LOSS,
            REVERSE,
        ],
        meaning: "Routers R0, R1, R2 … in a circle; name routers in via to say which way round.",
    },
    Variant {
        name: "two-routers",
        keys: &[
            RATE_KEY,
            DELAY,
            Key::required("r0", ROUTER_KIND, "What waits at R0 for the link to R1."),
            Key::required("r1", ROUTER_KIND, "What waits at R1 for the link to R2."),
        ],
        meaning: "Routers R0, R1 and R2 in a row with a queue each, and unlimited queues the other way \
                  (Akella et al., CMU-CS-02-139, figure 3).",
    },
    Variant {
        name: "tiered",
        keys: &[
            Key::new(
                "backbone",
                Kind::Choice(&["abilene", "west"]),
                "abilene",
                "Abilene's eleven routers, or its four western ones.",
            ),
            Key::new(
                "points",
                Kind::Integer { minimum: 1, maximum: 100 },
                "2",
                "Points of presence on each backbone router.",
            ),
            Key::new(
                "direct",
                Kind::Integer { minimum: 0, maximum: 1000 },
                "6; west: 2",
                "Access routers of class D, on the backbone itself.",
            ),
            Key::new(
                "fast",
                Kind::Integer { minimum: 0, maximum: 1000 },
                "28; west: 8",
                "Access routers of class F, on points of presence.",
            ),
            Key::new(
                "normal",
                Kind::Integer { minimum: 0, maximum: 1000 },
                "105; west: 30",
                "Access routers of class N, on points of presence.",
            ),
            Key::required(
                "rate",
                Kind::Quantity(RATE),
                "The network speed r1: a backbone link has twice that, a point of presence's a quarter, those of access routers a tenth of that for N, and 2 and 10 times N's for F and D.",
            ),
            Key::new("delay_factor", Kind::Number, "1", "What the backbone's delays are multiplied by."),
            Key::new(
                "point_delay",
                Kind::Quantity(TIME),
                "1ms",
                "One-way delay of a point of presence's link.",
            ),
            Key::new(
                "access_delay",
                Kind::Quantity(TIME),
                "0.5ms",
                "One-way delay of an access router's link.",
            ),
            Key::new(
                "buffers",
                Kind::Choice(&["rtt", "rtt/sqrt(n)"]),
                "rtt",
                "A port's buffer: its rate times network.rtt, or that over the square root of the transfers expected to cross it.",
            ),
            Key::new(
                "transfers",
                Kind::Integer { minimum: 1, maximum: 100_000_000 },
                "100 for each access router",
                "How many are under way in the whole network, for buffers = \"rtt/sqrt(n)\".",
            ),
            Key::new(
                "sources",
                Kind::List(&Kind::Number),
                "[1, 1, 1]",
                "Part of all sources that an access router of class D, F and N has, relative to each other.",
            ),
            Key::new("receivers", Kind::List(&Kind::Number), "[1, 1, 1]", "The same of receivers."),
        ],
        meaning: "An Internet of three tiers: backbone, points of presence, access routers (Mills et al., NIST SP 500-282, §3).",
    },
];

/// `[[network.edges]]`.
const EDGE: &[Key] = &[
    Key::required("router", Kind::Text, "The router."),
    Key::new(
        "class",
        Kind::Text,
        "edge",
        "What edges like it are called; a way has the classes of both its ends.",
    ),
    Key::new("sources", Kind::Number, "1", "Its part of all sources, relative to the others'."),
    Key::new("receivers", Kind::Number, "1", "Its part of all receivers, relative to the others'."),
];

/// `[network.hosts]`.
const HOSTS: &[Key] = &[
    Key::new(
        "rate",
        Kind::Quantity(RATE),
        "access_rate; tiered: 96Mbps",
        "Rate of a host's link to its router.",
    ),
    Key::new("fast_rate", Kind::Quantity(RATE), "ten times rate", "Rate of a fast host's link."),
    Key::new("fast", Kind::Fraction { zero: true }, "0", "Share of fast hosts."),
    Key::new("delay", Kind::Quantity(TIME.or_zero()), "0s", "One-way propagation delay of a host's link."),
];

/// A router of the shape `two-routers`.
const ROUTER_KIND: Kind = Kind::Table(&[Key::required("queue", QUEUE_KIND, "Its queue.")]);

/// `[network.graph]`.
const GRAPH: &[Key] = &[
    Key::required("file", Kind::File, "A GraphML file, relative to the scenario file."),
    Key::new("rate", Kind::Quantity(RATE), "every edge must say its own", "Rate of edges that say none."),
    Key::new(
        "delay",
        Kind::Quantity(TIME),
        "every edge or its nodes' coordinates must say it",
        "One-way propagation delay of edges of which it cannot be known.",
    ),
    Key::new(
        "drawing_unit",
        Kind::Quantity(TIME),
        "drawings say nothing of delays",
        "The delay that a unit of length of the drawing stands for, where nodes have no longitude and latitude.",
    ),
    Key::new("delay_factor", Kind::Number, "1", "What delays from coordinates are multiplied by."),
    QUEUE,
    LOSS,
];

const EVENT_KIND: Kind = Kind::Variants {
    plain: None,
    variants: &[
        Variant {
            name: "fail",
            keys: &[AT, Key::required("fail", Kind::Text, "Name of the link, by either of its directions.")],
            meaning: "Both directions lose what waits and whatever comes, until the link is restored.",
        },
        Variant {
            name: "restore",
            keys: &[AT, Key::required("restore", Kind::Text, "Name of the link that has failed.")],
            meaning: "The link works again.",
        },
        Variant {
            name: "set",
            keys: &[
                AT,
                Key::required("set", Kind::Text, "Name of the link."),
                Key::required("delay", Kind::Quantity(TIME), "Its one-way propagation delay from then on."),
            ],
            meaning: "The link gets another delay, and with it perhaps other ways.",
        },
    ],
};

const AT: Key = Key::required("at", Kind::Quantity(TIME.or_zero()), "When.");
