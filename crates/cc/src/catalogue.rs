// SPDX-License-Identifier: Apache-2.0
//! The list of all algorithms.

use crate::window::delay;
use crate::{Entry, explicit, media, model, rate, utility, window};

/// Returns the entries of all algorithms, grouped by family.
pub fn entries() -> &'static [Entry] {
    ENTRIES
}

/// Returns the entry of the algorithm `name`; `None` if there is no such algorithm.
pub fn find(name: &str) -> Option<&'static Entry> {
    ENTRIES.iter().find(|entry| entry.card.name == name)
}

static ENTRIES: &[Entry] = &[
    window::reno::RENO,
    window::reno::NEWRENO,
    window::reno_linux::RENO_LINUX,
    window::linear::AIMD,
    window::linear::AIAD,
    window::linear::MIMD,
    window::linear::MIAD,
    window::linear::AIMAD,
    window::linear::MAIMD,
    window::aild::AILD,
    window::binomial::TCP,
    window::binomial::BINOMIAL,
    window::binomial::SQRT,
    window::binomial::IIAD,
    window::westwood::WESTWOOD,
    window::westwood_linux::WESTWOOD_LINUX,
    window::scalable::SCALABLE,
    window::scalable_linux::SCALABLE_LINUX,
    window::hstcp::HSTCP,
    window::highspeed_linux::HIGHSPEED_LINUX,
    window::htcp::HTCP,
    window::htcp_linux::HTCP_LINUX,
    window::ltcp::LTCP,
    window::africa::AFRICA,
    window::bic::BIC,
    window::bic_linux::BIC_LINUX,
    window::cubic_2008::CUBIC_2005,
    window::cubic_2008::CUBIC_2008,
    window::cubic::CUBIC,
    window::cubic_linux::CUBIC_LINUX,
    delay::ctcp::CTCP,
    window::hybla::HYBLA,
    window::illinois::ILLINOIS,
    window::veno::VENO,
    delay::yeah::YEAH,
    delay::vegas::VEGAS,
    delay::vegas_linux::VEGAS_LINUX,
    delay::fast::FAST,
    delay::fast_at::FAST_AT,
    delay::ledbat::LEDBAT,
    delay::ledbat_pp::LEDBAT_PLUS_PLUS,
    delay::cdg::CDG,
    delay::nv::NV,
    delay::copa::COPA,
    delay::lp::LP,
    delay::lp::HSTCP_LP,
    window::dctcp::DCTCP,
    window::prague::PRAGUE,
    model::bbr1::BBR1,
    model::bbr3::BBR3,
    model::c4::C4,
    utility::vivace::VIVACE,
    utility::allegro::ALLEGRO,
    media::scream::SCREAM,
    media::gcc::GCC,
    media::nada::NADA,
    explicit::xcp::XCP,
    explicit::rcp::RCP,
    explicit::vcp::VCP,
    explicit::bmcc::BMCC,
    explicit::maxnet::MAXNET,
    explicit::decbit::DECBIT,
    explicit::source_quench::SOURCE_QUENCH,
    rate::rap::RAP,
    rate::tfrc::TFRC,
    rate::constant::CONSTANT,
];
