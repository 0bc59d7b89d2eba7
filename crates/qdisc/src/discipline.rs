//! Every discipline with its settings: what a resolved scenario holds of a queue.

use crate::{
    Limit, QueueDiscipline, codel, droptail, drr, dualpi2, fq_codel, pie, priority, quick_start, rcp, red,
    rio, step, xcp,
};

/// A queue as it was chosen, ready to be built any number of times.
#[derive(Clone, Debug, PartialEq)]
pub enum Discipline {
    /// [`codel`].
    Codel(codel::Config),
    /// [`droptail`].
    DropTail(droptail::Config),
    /// [`drr`].
    Drr(drr::Config),
    /// [`dualpi2`].
    DualPi2(dualpi2::Config),
    /// [`fq_codel`].
    FqCodel(fq_codel::Config),
    /// [`pie`].
    Pie(pie::Config),
    /// [`priority`].
    Priority(priority::Config),
    /// [`quick_start`].
    QuickStart(quick_start::Config),
    /// [`rcp`].
    Rcp(rcp::Config),
    /// [`red`].
    Red(red::Config),
    /// [`rio`].
    Rio(rio::Config),
    /// [`step`].
    Step(step::Config),
    /// [`xcp`].
    Xcp(xcp::Config),
}

impl Discipline {
    /// An empty queue with these settings.
    pub fn build(&self) -> Box<dyn QueueDiscipline> {
        match self {
            Self::Codel(config) => Box::new(codel::Codel::new(config)),
            Self::DropTail(config) => Box::new(droptail::DropTail::new(config)),
            Self::Drr(config) => Box::new(drr::Drr::new(config)),
            Self::DualPi2(config) => Box::new(dualpi2::DualPi2::new(config)),
            Self::FqCodel(config) => Box::new(fq_codel::FqCodel::new(config)),
            Self::Pie(config) => Box::new(pie::Pie::new(config)),
            Self::Priority(config) => Box::new(priority::Priority::new(config)),
            Self::QuickStart(config) => Box::new(quick_start::QuickStart::new(config)),
            Self::Rcp(config) => Box::new(rcp::Rcp::new(config)),
            Self::Red(config) => Box::new(red::Red::new(config)),
            Self::Rio(config) => Box::new(rio::Rio::new(config)),
            Self::Step(config) => Box::new(step::Step::new(config)),
            Self::Xcp(config) => Box::new(xcp::Xcp::new(config)),
        }
    }

    /// Its name in the [`catalogue`](crate::catalogue).
    pub fn name(&self) -> &'static str {
        match self {
            Self::Codel(_) => "codel",
            Self::DropTail(_) => "droptail",
            Self::Drr(_) => "drr",
            Self::DualPi2(_) => "dualpi2",
            Self::FqCodel(_) => "fq-codel",
            Self::Pie(_) => "pie",
            Self::Priority(_) => "priority",
            Self::QuickStart(_) => "quick-start",
            Self::Rcp(_) => "rcp",
            Self::Red(_) => "red",
            Self::Rio(_) => "rio",
            Self::Step(_) => "step",
            Self::Xcp(_) => "xcp",
        }
    }

    /// The most that may wait in it.
    pub fn limit(&self) -> Limit {
        match self {
            Self::Codel(config) => config.limit,
            Self::DropTail(config) => config.limit,
            Self::Drr(config) => config.limit,
            Self::DualPi2(config) => config.limit,
            Self::FqCodel(config) => config.limit,
            Self::Pie(config) => config.limit,
            Self::Priority(config) => config.limit,
            Self::QuickStart(config) => config.discipline.limit(),
            Self::Rcp(config) => config.discipline.limit(),
            Self::Red(config) => config.limit,
            Self::Rio(config) => config.limit,
            Self::Step(config) => config.limit,
            Self::Xcp(config) => config.discipline.limit(),
        }
    }
}
