// SPDX-License-Identifier: Apache-2.0
//! MaxNet's sender (Wydrowski, Andrew and Mareels, IEEE Communications Letters 7, 2003): its rate falls with the largest price of the
//! path, and is paced. Flows with the same bottleneck see the same price and send at the same rate, whatever their round trips.

use super::bounded;
use crate::{Ack, Cause, CongestionControl, Dash, Entry, Hue, Limits, Loss, Needs, Path, Setup, Style};
use alloc::boxed::Box;
use narrows_card::{Card, Parameter, Values, Variable};
use narrows_units::{Bytes, Rate};
use narrows_wire::{Feedback, Request};

/// The state of a MaxNet sender (Wydrowski et al. 2003).
#[derive(Clone, Debug)]
pub struct MaxNet {
    /// Rate at a price of zero, bits of payload per second.
    peak: f64,
    /// The largest price of the path; `None` before the first answer.
    price: Option<f64>,
    /// Window before the first answer, packets.
    window: f64,
    mss: Bytes,
}

impl CongestionControl for MaxNet {
    fn limits(&self) -> Limits {
        let rate = self.price.map(|price| Rate::from_bps_f64(self.peak * libm::exp(-price)).max(RATE_MIN));
        Limits { window: self.window().map(|window| window as u64), pacing: rate, burst: self.mss }
    }

    fn window(&self) -> Option<f64> {
        if self.price.is_none() { Some(self.window) } else { None }
    }

    fn ssthresh(&self) -> Option<f64> {
        None
    }

    fn on_ack(&mut self, ack: &Ack<'_>, path: &Path) {
        if let Some(feedback) = ack.feedback {
            self.on_answer(feedback, path);
        }
    }

    fn on_answer(&mut self, feedback: Feedback, _path: &Path) {
        if let Feedback::Price(price) = feedback
            && price >= 0.0
        {
            self.price = Some(f64::from(price));
        }
    }

    fn on_loss(&mut self, loss: &Loss<'_>, _path: &Path) {
        if loss.cause == Cause::Timeout {
            self.window = 1.0;
        }
    }

    fn request(&mut self, _path: &Path) -> Option<Request> {
        Some(Request::Price(-1.0))
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        if let Some(price) = self.price {
            record("price", price);
        }
    }

    fn boxed_clone(&self) -> Box<dyn CongestionControl> {
        Box::new(self.clone())
    }
}

/// The card of `maxnet`.
pub(crate) const MAXNET: Entry = Entry {
    card: Card {
        name: "maxnet",
        family: "explicit",
        summary: "MaxNet's sender: its rate falls with the largest price that routers with a maxnet queue write into packets",
        source: "Wydrowski, Andrew and Mareels, IEEE Communications Letters 7(10), 2003",
        equations: &["acknowledgement: pacing rate = peak exp(-price)"],
        parameters: &[Parameter::number("peak", "rate of payload at a price of zero", 1e9, 1e3..=1e15)
            .unit("bps")
            .source("ours")],
        variables: &[Variable { name: "price", unit: "", meaning: "the largest price of the path" }],
        deviations: &[
            "a reconstruction: the source asks for a rate that falls with the price; that it falls exponentially is our choice",
            "a link without traffic has a price of zero, so that the first flow sends at its peak rate until the price has risen",
            "on a path without a maxnet queue the window is the initial window, and one packet after a timeout",
        ],
    },
    style: Some(Style(Hue::Blue, Dash::Sparse)),
    needs: |_| Needs::routers("maxnet"),
    build,
};

fn build(values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    Box::new(MaxNet {
        peak: values.number("peak"),
        price: None,
        window: bounded(setup.initial_window),
        mss: setup.mss,
    })
}

/// The lowest rate.
const RATE_MIN: Rate = Rate::from_bps(1_000);
