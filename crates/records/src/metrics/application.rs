// SPDX-License-Identifier: Apache-2.0
//! The metrics of the clients of applications: what their users perceive.

use super::group::{GroupMetric, GroupView, metric, most_bitrate_bps};
use crate::{ApplicationCounts, Histogram, VideoCounts};
use narrows_card::Better::{Higher, Lower};
use narrows_card::MetricUnit::{BitsPerSecond, Bytes, Count, RoundTripsPerMinute, Seconds, Share};

/// A value of the clients of the group's application; not a number without any.
fn of(group: &GroupView, value: impl Fn(&ApplicationCounts) -> f64) -> f64 {
    group.record.application.as_ref().map_or(f64::NAN, |counts| value(counts))
}

/// A value of the group's players of video; not a number without any.
fn of_video(group: &GroupView, value: impl Fn(&VideoCounts) -> f64) -> f64 {
    of(group, |counts| if counts.video.is_any() { value(&counts.video) } else { f64::NAN })
}

/// The frames whose outcome is known.
fn frames(group: &GroupView) -> f64 {
    of(group, |counts| counts.frames.known() as f64)
}

/// Final calculation of the draft, with TLS where connections used it.
fn responsiveness_rpm(application: &ApplicationCounts) -> f64 {
    let trimmed = |histogram: &Histogram| histogram.trimmed_mean_s(TRIMMED);
    let probes = &application.probes;
    let (tcp, tls, http) = (trimmed(&probes.tcp), trimmed(&probes.tls), trimmed(&probes.http));
    let foreign = if tls.is_nan() { f64::midpoint(tcp, http) } else { (tcp + tls + http) / 3.0 };
    f64::midpoint(60.0 / foreign, 60.0 / trimmed(&probes.loaded))
}

/// Share of the shortest times that a trimmed mean covers.
const TRIMMED: f64 = 0.95;

const YIN: &str = "Yin, Jindal, Sekar, Sinopoli, SIGCOMM 2015, §3.1";
const WPROF: &str = "Wang, Balasubramanian, Krishnamurthy, Wetherall, NSDI 2013, §2";
const NADA: &str = "RFC 8698, §5.2.2";
const RMCAT: &str = "RFC 8868, §3";
const MOQT: &str = "draft-ietf-moq-transport-16, §9.2.2.2";
const RPM: &str = "draft-ietf-ippm-responsiveness-09, §5.3.1";

/// All metrics of applications, in the order in which they are shown.
#[rustfmt::skip]
pub(super) const METRICS: &[GroupMetric] = &[
    metric("video_bitrate_bps", BitsPerSecond, Higher, "video bit rate, mean", YIN,
        "bit rate of the segments that players of video received, weighted by their durations",
        |group| of_video(group, |video| video.rate_ps as f64 / video.segment_ps as f64)).at_most(most_bitrate_bps),
    metric("bitrate_switches", Count, Lower, "changes of the video bit rate", YIN,
        "segments whose bit rate differs from that of the segment before, of all players",
        |group| of_video(group, |video| video.switches as f64)),
    metric("stalls", Count, Lower, "stalls of video", YIN,
        "times that playback stopped because the buffer was empty, of all players",
        |group| of_video(group, |video| video.stalls as f64)),
    metric("stall_share", Share, Lower, "share of time stalled", YIN,
        "time during which playback had stopped because the buffer was empty, over that and the time during which it went on, of all players",
        |group| of_video(group, |video| video.stalled_ps as f64 / (video.stalled_ps + video.played_ps) as f64)),
    metric("startup_delay_s", Seconds, Lower, "start-up delay of video, mean", YIN,
        "time from the start of a player to the start of playback, mean over players that began to play",
        |group| of(group, |all| all.video.startups.mean_s())),
    metric("loaded_pages", Count, Higher, "pages loaded", WPROF,
        "pages whose last object was received",
        |group| of(group, |all| if all.pages.total() > 0 { all.pages.total() as f64 } else { f64::NAN })),
    metric("page_load_time_s", Seconds, Lower, "page load time, mean", WPROF,
        "time from the start of a page to the receipt of its last object, handshakes included, mean over loaded pages",
        |group| of(group, |all| all.pages.mean_s())),
    metric("page_load_time_p50_s", Seconds, Lower, "page load time, median", WPROF,
        "median time from the start of a page to the receipt of its last object, within 0.8 %",
        |group| of(group, |all| all.pages.quantile_s(0.50))),
    metric("page_load_time_p95_s", Seconds, Lower, "page load time, 95th percentile", WPROF,
        "95th percentile of the time from the start of a page to the receipt of its last object, within 0.8 %",
        |group| of(group, |all| all.pages.quantile_s(0.95))),
    metric("responsiveness_rpm", RoundTripsPerMinute, Higher, "responsiveness under load", RPM,
        "round trips per minute: the mean of those on separate connections (60 s over the mean of the trimmed means of handshakes and fetches) and on load-generating ones (60 s over the trimmed mean of fetches); a trimmed mean leaves out the longest 5 %, and is within 0.4 %",
        |group| of(group, responsiveness_rpm)),
    metric("frame_bitrate_bps", BitsPerSecond, Higher, "bit rate of frames, mean", NADA,
        "rate at which the frames of calls, games and objects were encoded, mean over frames that were not skipped",
        |group| of(group, |all| all.frames.rates_bps as f64 / all.frames.captured as f64)).at_most(most_bitrate_bps),
    metric("frame_delay_s", Seconds, Lower, "delay of frames, mean", RMCAT,
        "time from the capture of a frame to the receipt of its last byte, waiting at the sender included, mean over received frames",
        |group| of(group, |all| all.frames.delays.mean_s())),
    metric("frame_delay_p95_s", Seconds, Lower, "delay of frames, 95th percentile", RMCAT,
        "95th percentile of the time from the capture of a frame to the receipt of its last byte, within 0.8 %",
        |group| of(group, |all| all.frames.delays.quantile_s(0.95))),
    metric("missed_frame_share", Share, Lower, "frames not shown in time", "RFC 8868, §3; RFC 8698, §5.2.2",
        "frames that were skipped, or not received within the deadline of their source after their capture, over frames received, late or skipped",
        |group| of(group, |all| (all.frames.late + all.frames.skipped) as f64 / all.frames.known() as f64)).of(frames),
    metric("late_frame_share", Share, Lower, "late frames", RMCAT,
        "frames not received within the deadline of their source after their capture, over frames received, late or skipped; frames of a reset stream and lost frames of objects are late",
        |group| of(group, |all| all.frames.late as f64 / all.frames.known() as f64)).of(frames),
    metric("skipped_frame_share", Share, Lower, "skipped frames", NADA,
        "frames that were not encoded because data before them waited to be sent, over frames received, late or skipped",
        |group| of(group, |all| all.frames.skipped as f64 / all.frames.known() as f64)).of(frames),
    metric("reset_stream_bytes", Bytes, Lower, "bytes of reset streams", MOQT,
        "payload that had been sent, each byte once, of streams of objects when they were reset, since a frame of their group had not been sent within the deadline",
        |group| of(group, |all| if all.frames.streams > 0 { all.frames.reset_bytes as f64 } else { f64::NAN })),
];
