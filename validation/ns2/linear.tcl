# SPDX-License-Identifier: Apache-2.0
# An environment of study 001 in ns-2: ten flows of one algorithm on a link of 100 Mbps, beside a source of constant rate that
# leaves them a rate which changes. It writes what was measured after the warm-up, one "= name value" in each line.
#
#     ns linear.tcl A:B:K:L RECOVERY QUEUE LIMIT OVERHEAD "TIME RATE TIME RATE ..." WARMUP END SEED
#
# The rule is as in dumbbell.tcl, the recovery Reno or Sack1, the queue DropTail or DRR, its limit in packets, and a packet
# waits for up to OVERHEAD, s, before it leaves. From each TIME, s, the flows are left RATE, bps: the source sends the rest of
# the link's rate. Link and round trips are those of `studies/akella-2002/scenarios/dumbbell.toml`. DRR's hash has a bucket for
# each flow under test, and one for the source.

source [file join [file dirname [info script]] common.tcl]
foreach {rule recovery queue limit overhead environment warmup end seed} $argv break
ns-random $seed
set rate 100e6
set packet 1000
set one_way 0.05
set flows 10
configure $packet 1 0.01 0 0 0.002 0.1 1 1 0
Agent/TCP set overhead_ $overhead
Queue/DRR set buckets_ 512
Queue/DRR set quantum_ $packet
Queue/DRR set blimit_ [expr $limit * $packet]

set ns [new Simulator]
set r1 [$ns node]
set r2 [$ns node]
$ns simplex-link $r1 $r2 $rate $one_way $queue
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
    set tcp [new Agent/TCP/$recovery]
    set_rule $tcp [split $rule :]
    $tcp set fid_ 1
    set sink [new Agent/TCPSink[expr {$recovery == "Sack1" ? "/Sack1" : ""}]]
    $ns attach-agent [host] $tcp
    $ns attach-agent $r2 $sink
    $ns connect $tcp $sink
    set source [new Application/FTP]
    $source attach-agent $tcp
    $ns at [$draw value] "$source start"
    lappend senders $tcp
}

set udp [new Agent/UDP]
$udp set packetSize_ $packet
$udp set fid_ 2
set null [new Agent/Null]
$ns attach-agent [host] $udp
$ns attach-agent $r2 $null
$ns connect $udp $null
set cross [new Application/Traffic/CBR]
$cross set packetSize_ $packet
$cross attach-agent $udp
set sends 0

proc leave {left} {
    global cross rate sends
    set bps [expr max($rate - $left, 0)]
    if {$bps > 0} { $cross set rate_ $bps }
    if {$bps > 0 && !$sends} { $cross start } elseif {$bps == 0 && $sends} { $cross stop }
    set sends [expr $bps > 0]
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
