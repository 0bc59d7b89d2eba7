// SPDX-License-Identifier: Apache-2.0
//! Round-trip times (RFC 9002 §5).

use narrows_cc::RttView;
use narrows_units::Span;

/// Returns the estimate after the sample `latest`, which followed `before`.
pub(crate) fn after(before: Option<RttView>, latest: Span) -> RttView {
    let Some(RttView { min, smoothed, variation, .. }) = before else {
        return RttView::new(latest);
    };
    let deviation = smoothed.as_ps().abs_diff(latest.as_ps());
    RttView::new(latest)
        .min(min.min(latest))
        .smoothed(Span::from_ps(smoothed.as_ps() - smoothed.as_ps() / 8 + latest.as_ps() / 8))
        .variation(Span::from_ps(variation.as_ps() - variation.as_ps() / 4 + deviation / 4))
}

#[cfg(test)]
mod tests {
    use super::after;
    use narrows_units::Span;

    #[test]
    fn the_averages_are_those_of_the_rfc() {
        let first = after(None, Span::from_ms(80));
        assert_eq!((first.smoothed, first.variation), (Span::from_ms(80), Span::from_ms(40)));
        let second = after(Some(first), Span::from_ms(40));
        assert_eq!((second.smoothed, second.variation), (Span::from_ms(75), Span::from_ms(40)));
        assert_eq!((second.min, second.latest), (Span::from_ms(40), Span::from_ms(40)));
    }
}
