# SPDX-License-Identifier: Apache-2.0
# Study 004's first experiment in ns-2: twenty flows of one algorithm, and a constant-rate source that takes half of the
# link, is silent from 150 s to 180 s, and returns. Every 25 ms a line "= arrived dropped" of the bottleneck, in packets.
#
#     ns restart.tcl AGENT SEED END
#
# AGENT is sack:A:B, sack:A:B:K:L (see dumbbell.tcl), tfrc:K or tfrc:K:C, the latter with self-clocking, whose factor is
# C. Rates, round trips, RED and the reverse flows are those of `studies/bansal-2001/scenarios/restart.toml`.

source [file join [file dirname [info script]] common.tcl]
foreach {agent seed end} $argv break
ns-random $seed
set rate 30e6
set bdp [expr $rate * 0.05 / 8000]
configure 1000 1 0.01 [expr 0.25 * $bdp] [expr 1.25 * $bdp] 0.002 0.1 1 1 0

set ns [new Simulator]
set r1 [$ns node]
set r2 [$ns node]
$ns duplex-link $r1 $r2 $rate 0.01 RED
$ns queue-limit $r1 $r2 [expr int(2.5 * $bdp)]
$ns queue-limit $r2 $r1 [expr int(2.5 * $bdp)]
set monitor [$ns monitor-queue $r1 $r2 ""]

proc sender {agent} {
    set words [split $agent :]
    if {[lindex $words 0] == "tfrc"} {
        set tfrc [new Agent/TFRC]
        if {[llength $words] > 2} {
            $tfrc set conservative_ 1
            $tfrc set scmult_ [lindex $words 2]
        }
        return $tfrc
    }
    set tcp [new Agent/TCP/Sack1]
    set_rule $tcp [lrange $words 1 end]
    return $tcp
}

proc sink {agent} {
    if {[string match tfrc:* $agent]} { return [tfrc_sink $agent] }
    return [new Agent/TCPSink/Sack1]
}

# A host beside one of the routers; its delay makes the round trip 45 to 55 ms.
proc host {router trip} {
    global ns
    set node [$ns node]
    $ns duplex-link $node $router 1e9 [expr $trip / 2.0 - 0.01] DropTail
    return $node
}

set draw [uniform]
proc flow {agent from to} {
    global ns draw
    set trip [expr 0.045 + 0.01 * [$draw value]]
    set tcp [sender $agent]
    set end [sink $agent]
    $ns attach-agent [host $from $trip] $tcp
    $ns attach-agent $to $end
    $ns connect $tcp $end
    set source [new Application/FTP]
    $source attach-agent $tcp
    $ns at [expr 5 * [$draw value]] "$source start"
}
for {set each 0} {$each < 20} {incr each} { flow $agent $r1 $r2 }
for {set each 0} {$each < 10} {incr each} { flow sack:1:0.5 $r2 $r1 }

set udp [new Agent/UDP]
$udp set packetSize_ 1000
set null [new Agent/Null]
$ns attach-agent [host $r1 0.05] $udp
$ns attach-agent $r2 $null
$ns connect $udp $null
set constant [new Application/Traffic/CBR]
$constant set packetSize_ 1000
$constant set rate_ 15e6
$constant attach-agent $udp
foreach {time what} {0 start 150 stop 180 start} { $ns at $time "$constant $what" }

proc tick {} {
    global ns monitor
    puts "= [$monitor set parrivals_] [$monitor set pdrops_]"
    $ns at [expr [$ns now] + 0.025] tick
}
$ns at 0.025 tick
$ns at $end { exit 0 }
$ns run
