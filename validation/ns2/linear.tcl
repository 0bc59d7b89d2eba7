# SPDX-License-Identifier: Apache-2.0
# An environment of study 001 in ns-2: ten flows of one algorithm with SACK on a link of 100 Mbps with DRR, beside sources that
# leave them a rate which changes. It writes what was measured after the warm-up, one "= name value" in each line.
#
#     ns linear.tcl A:B:K:L "TIME RATE TIME RATE ..." WARMUP END SEED
#
# The rule is as in dumbbell.tcl. From each TIME, s, the flows are left RATE, bps: so many of 200 sources send, each 5 % more
# than its share, as leave ten flows that rate. Link, buffer and round trips are those of
# `studies/akella-2002/scenarios/dumbbell.toml`.

source [file join [file dirname [info script]] common.tcl]
foreach {rule environment warmup end seed} $argv break
ns-random $seed
set rate 100e6
set packet 1000
set limit 1500
set one_way 0.05
set flows 10
set most 200
configure $packet 1 0.01 0 0 0.002 0.1 1 1 0
# Up to the time of a packet.
Agent/TCP set overhead_ [expr 8.0 * $packet / $rate]
Queue/DRR set buckets_ 512
Queue/DRR set quantum_ $packet
Queue/DRR set blimit_ [expr $limit * $packet]

set ns [new Simulator]
set r1 [$ns node]
set r2 [$ns node]
$ns simplex-link $r1 $r2 $rate $one_way DRR
$ns simplex-link $r2 $r1 $rate $one_way DropTail
$ns queue-limit $r1 $r2 $limit
set monitor [$ns monitor-queue $r1 $r2 ""]
set by_group [$ns makeflowmon Fid]
$ns attach-fmon [$ns link $r1 $r2] $by_group

# A host whose round trip is within 5 % of 120 ms, with a bucket of its own: DRR's hash has nodes 16 k - 1 and 16 k share one.
set draw [uniform]
proc host {} {
    global ns r1 rate one_way draw
    set node [$ns node]
    if {[$node id] % 16 == 0} { set node [$ns node] }
    $ns duplex-link $node $r1 [expr 10 * $rate] [expr 0.057 + 0.006 * [$draw value] - $one_way] DropTail
    return $node
}

set senders {}
for {set each 0} {$each < $flows} {incr each} {
    set tcp [new Agent/TCP/Sack1]
    set_rule $tcp [split $rule :]
    $tcp set fid_ 1
    set sink [new Agent/TCPSink/Sack1]
    $ns attach-agent [host] $tcp
    $ns attach-agent $r2 $sink
    $ns connect $tcp $sink
    set source [new Application/FTP]
    $source attach-agent $tcp
    $ns at [$draw value] "$source start"
    lappend senders $tcp
}

set sources {}
for {set each 0} {$each < $most} {incr each} {
    set udp [new Agent/UDP]
    $udp set packetSize_ $packet
    $udp set fid_ 2
    set null [new Agent/Null]
    $ns attach-agent [host] $udp
    $ns attach-agent $r2 $null
    $ns connect $udp $null
    set source [new Application/Traffic/CBR]
    $source set packetSize_ $packet
    $source attach-agent $udp
    lappend sources $source
    set sends($source) 0
}

proc set_rate {source bps} {
    global ns sends draw packet
    if {$bps > 0} { $source set rate_ $bps }
    if {$bps > 0 && !$sends($source)} {
        # Sources that begin together do not send together.
        $ns at [expr [$ns now] + [$draw value] * 8 * $packet / $bps] "if {\$sends($source)} {$source start}"
    } elseif {$bps == 0 && $sends($source)} {
        $source stop
    }
    set sends($source) [expr $bps > 0]
}

proc leave {left} {
    global sources rate flows most
    set wanted [expr {$left > 0 ? round($flows * max($rate - $left, 0) / double($left)) : $most}]
    set sending [expr min($wanted, $most)]
    set place 0
    foreach source $sources {
        set_rate $source [expr {$place < $sending ? 1.05 * $rate / ($flows + $sending) : 0}]
        incr place
    }
}
foreach {time left} $environment { $ns at $time "leave $left" }

proc counters {} {
    global monitor by_group senders
    set now [list [$monitor set pdepartures_]]
    foreach group {1 2} {
        set flow [[$by_group classifier] lookup auto 0 0 $group]
        if {$flow == ""} {
            lappend now 0 0
        } else {
            lappend now [$flow set parrivals_] [$flow set pdrops_]
        }
    }
    foreach tcp $senders { lappend now [$tcp set ack_] }
    return $now
}

proc report {} {
    global before warmup end packet rate
    set seconds [expr double($end - $warmup)]
    set gained {}
    foreach then $before now [counters] { lappend gained [expr double($now - $then)] }
    foreach {departed arrived dropped cross cross_dropped} $gained break
    set bits [expr 8.0 * $packet]
    puts "= link.bottleneck.utilization [expr $departed * $bits / ($rate * $seconds)]"
    puts "= link.bottleneck.capacity_bps $rate"
    puts "= loss_rate [expr $dropped / max($arrived, 1)]"
    puts "= group.cross.goodput_bps [expr ($cross - $cross_dropped) * $bits / $seconds]"
    foreach acked [lrange $gained 5 end] { puts "= flow [expr $acked * $bits / $seconds]" }
    exit 0
}
$ns at $warmup { set before [counters] }
$ns at $end report
$ns run
