# SPDX-License-Identifier: Apache-2.0
# One run of a dumbbell in ns-2, and what it measured, one "= name value" in each line (TCP/Linux prints others).
#
#     ns dumbbell.tcl agents "sack sack" rate 10e6 rtts 0.05 limit 62 end 420 warmup 20 seed 1
#
# Every flow has a source of its own, which reaches r1 over a link of access_rate; the bottleneck leads from r1 to r2,
# where all sinks are; nothing but the bottleneck drops. Rates in bps, times in seconds, packets in bytes, limits and
# thresholds in packets. A flow starts at random within its spread after its start. A queue of QuickStart is DropTail
# between nodes that answer what flows ask for in requests, bps, nothing where 0. Of lists, one for each flow, the last
# entry holds for the rest.
#
# An agent, one for each flow:
#     reno, newreno, sack              increase 1, decrease to half
#     KIND:A:B                         W += A a round trip, W = B W at a loss
#     KIND:A:B:K:L                     W += A / W^K a round trip, W -= (1 - B) W^L at a loss
#     KIND:highspeed                   ns-2's own HighSpeed TCP
#     linux:NAME                       TCP/Linux with Linux 2.6.22's module of that name
#     xcp                              Reno with XCP, for a queue of XCP
#     vegas:ALPHA:BETA:GAMMA           Vegas, packets it wants in the queue
#     tfrc:K                           TFRC over K loss intervals
#     rap:A:B                          RAP, A packets a round trip, B times the rate at a loss
# with KIND one of the first three.

source [file join [file dirname [info script]] common.tcl]

array set option {
    agents sack
    rate 10e6
    access_rate 100e6
    rtts 0.05
    packet 1000
    queue DropTail
    limit 62
    min 0
    max 0
    max_p 0.1
    weight 0.002
    gentle 1
    wait 1
    ecn 0
    delayed_ack 1
    loss 0
    ssthresh 0
    requests 0
    threshold 0.85
    share 0.85
    interval 0.2
    starts 0
    spreads 1
    warmup 20
    end 420
    seed 1
}
foreach {name value} $argv {
    if {![info exists option($name)]} {
        puts stderr "dumbbell.tcl knows no option $name"
        exit 2
    }
    set option($name) $value
}

proc entry {list flow} { return [lindex $list [expr min($flow, [llength $list] - 1)]] }

proc sender {agent} {
    global option ns
    set words [split $agent :]
    set kind [lindex $words 0]
    if {$kind == "tfrc"} { return [new Agent/TFRC] }
    if {$kind == "rap"} {
        set rap [new Agent/RAP]
        $rap set alpha_ [lindex $words 1]
        $rap set beta_ [lindex $words 2]
        return $rap
    }
    set classes(reno) Reno
    set classes(newreno) Newreno
    set classes(sack) Sack1
    set classes(linux) Linux
    set classes(xcp) Reno/XCP
    set classes(vegas) Vegas
    if {![info exists classes($kind)]} {
        puts stderr "dumbbell.tcl knows no agent $agent"
        exit 2
    }
    set tcp [new Agent/TCP/$classes($kind)]
    if {$kind == "linux"} {
        $tcp set timestamps_ true
        set module [lindex $words 1]
        $ns at 0 "$tcp select_ca $module"
        # Only these two let their first threshold be set.
        if {$option(ssthresh) > 0 && ($module == "bic" || $module == "cubic")} {
            $ns at 0 "$tcp set_ca_default_param $module initial_ssthresh $option(ssthresh)"
        }
    } elseif {$kind == "vegas"} {
        foreach name {v_alpha_ v_beta_ v_gamma_} value [lrange $words 1 3] { $tcp set $name $value }
    } elseif {[lindex $words 1] == "highspeed"} {
        $tcp set windowOption_ 8
    } elseif {[llength $words] > 1} {
        set_rule $tcp [lrange $words 1 end]
    }
    $tcp set ecn_ $option(ecn)
    return $tcp
}

proc sink {agent} {
    global option
    if {$agent == "xcp"} { return [new Agent/TCPSink/XCPSink] }
    if {[string match rap:* $agent]} { return [new Agent/RAP] }
    if {[string match tfrc:* $agent]} { return [tfrc_sink $agent] }
    set kind ""
    if {[string match sack* $agent] || [string match linux* $agent]} { append kind /Sack1 }
    if {$option(delayed_ack) > 1} { append kind /DelAck }
    set sink [new Agent/TCPSink$kind]
    if {$option(delayed_ack) > 1} { $sink set interval_ 0.1 }
    $sink set ts_echo_rfc1323_ true
    return $sink
}

# Counters of the bottleneck and the packets that every flow delivered, at this moment. Agents of a rate do not count
# them: all that leaves the bottleneck is of the one that is alone.
proc counters {} {
    global ns monitor waiting senders
    $waiting newpoint [$ns now] [$monitor set pkts_]
    set now [list [$monitor set parrivals_] [$monitor set pdepartures_] [$monitor set pdrops_] \
        [$monitor set pmarks_] [$waiting set sum_]]
    foreach tcp $senders {
        if {![string match Agent/TCP* [$tcp info class]]} {
            lappend now [expr {[llength $senders] == 1 ? [$monitor set pdepartures_] : 0}]
        } else {
            lappend now [$tcp set ack_]
        }
    }
    return $now
}

proc report {} {
    global option before
    set seconds [expr double($option(end) - $option(warmup))]
    set gained {}
    foreach then $before now [counters] { lappend gained [expr double($now - $then)] }
    foreach {arrived departed dropped marked queued} [lrange $gained 0 4] break
    set bits [expr 8.0 * $option(packet)]
    puts "= loss_rate [expr $dropped / max($arrived, 1)]"
    puts "= dropped_packets $dropped"
    puts "= mark_rate [expr $marked / max($arrived, 1)]"
    puts "= utilization [expr $departed * $bits / ($option(rate) * $seconds)]"
    puts "= queue_mean_packets [expr $queued / $seconds]"
    foreach acked [lrange $gained 5 end] { puts "= goodput_bps [expr $acked * $bits / $seconds]" }
    exit 0
}

ns-random $option(seed)
set tick [expr {$option(queue) == "XCP" ? 0.0001 : 0.01}]
configure $option(packet) 0.2 $tick $option(min) $option(max) $option(weight) $option(max_p) $option(gentle) \
    $option(wait) $option(ecn)
# DRR counts its limit in bytes and keeps a bucket for each node that sends.
Queue/DRR set buckets_ 64
Queue/DRR set quantum_ $option(packet)
Queue/DRR set blimit_ [expr $option(limit) * $option(packet)]

set ns [new Simulator]
set kind $option(queue)
if {$kind == "QuickStart"} {
    set kind DropTail
    Agent/QSAgent set state_delay_ $option(interval)
    Agent/QSAgent set alloc_rate_ $option(share)
    Agent/QSAgent set threshold_ $option(threshold)
    # Powers of two, as in RFC 4782.
    Agent/QSAgent set rate_function_ 2
    $ns node-config -QS ON
}
set r1 [$ns node]
set r2 [$ns node]
# Half of the shortest way belongs to the bottleneck.
set shortest [lindex [lsort -real $option(rtts)] 0]
set one_way [expr $shortest / 4.0]
$ns simplex-link $r1 $r2 $option(rate) $one_way $kind
# XCP's routers talk in both directions.
$ns simplex-link $r2 $r1 $option(rate) $one_way [expr {$option(queue) == "XCP" ? "XCP" : "DropTail"}]
$ns queue-limit $r1 $r2 $option(limit)
$ns queue-limit $r2 $r1 $unlimited
if {$option(loss) > 0} {
    set errors [new ErrorModel]
    $errors unit pkt
    $errors set rate_ $option(loss)
    $errors ranvar [new RandomVariable/Uniform]
    $errors drop-target [new Agent/Null]
    $ns lossmodel $errors $r1 $r2
}
if {$option(queue) == "XCP"} {
    foreach link [list [$ns link $r1 $r2] [$ns link $r2 $r1]] {
        [$link queue] set-link-capacity $option(rate)
    }
}
set monitor [$ns monitor-queue $r1 $r2 ""]
set waiting [$monitor get-pkts-integrator]

set starting [uniform]
set senders {}
set flow 0
foreach agent $option(agents) {
    set node [$ns node]
    set access [expr [entry $option(rtts) $flow] / 2.0 - $one_way]
    $ns duplex-link $node $r1 $option(access_rate) $access DropTail
    $ns queue-limit $node $r1 $unlimited
    $ns queue-limit $r1 $node $unlimited
    set tcp [sender $agent]
    set end [sink $agent]
    $tcp set fid_ $flow
    set request [entry $option(requests) $flow]
    if {$request > 0} {
        # Mode 0 asks for rate_request_, kB/s; the default mode computes a negative rate for an endless transfer.
        $tcp set qs_enabled_ true
        $tcp set qs_request_mode_ 0
        $tcp set rate_request_ [expr $request / 8000.0]
        $end set qs_enabled_ true
    }
    $ns attach-agent $node $tcp
    $ns attach-agent $r2 $end
    $ns connect $tcp $end
    set source [expr {[string match rap:* $agent] ? $tcp : [new Application/FTP]}]
    if {$source != $tcp} { $source attach-agent $tcp }
    set start [expr [entry $option(starts) $flow] + [entry $option(spreads) $flow] * [$starting value]]
    $ns at $start "$source start"
    if {$option(ssthresh) > 0} { $ns at $start "$tcp set ssthresh_ $option(ssthresh)" }
    lappend senders $tcp
    incr flow
}
$ns at $option(warmup) { set before [counters] }
$ns at $option(end) report
$ns run
