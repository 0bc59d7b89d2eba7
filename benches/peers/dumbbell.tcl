# SPDX-License-Identifier: Apache-2.0
# One run of a speed point in ns-2; prints what it cost and that the work was the same, one "= name value" in each line.
#
#     ns dumbbell.tcl KIND FLOWS MBPS RTT_MS SECONDS
#
# KIND is sack or cubic. N senders, access links of ten times the bottleneck's rate and a twentieth of the round trip,
# the bottleneck with four tenths, N receivers; DropTail of one BDP; flows start within the first second; CUBIC ends slow
# start at its share of the BDP, for this one has no HyStart. Only the
# headers that are needed are in a packet, routes are written by hand: both favour ns-2.

foreach {kind flows mbps rtt_ms seconds} $argv break
set rate [expr $mbps * 1e6]
set rtt [expr $rtt_ms / 1e3]
set bdp [expr int($rate * $rtt / 8 / 1500)]
set unlimited 1000000

proc cpu_s {} {
    set file [open /proc/self/stat]
    set line [read $file]
    close $file
    return [expr ([lindex $line 13] + [lindex $line 14]) / 100.0]
}

proc memory_kib {name} {
    set file [open /proc/self/status]
    foreach line [split [read $file] "\n"] {
        if {[lindex $line 0] == "$name:"} { set value [lindex $line 1] }
    }
    close $file
    return $value
}

set memory_before [memory_kib VmRSS]

remove-all-packet-headers
add-packet-header IP TCP Flags
ns-random 1
Agent/TCP set useHeaders_ false
Agent/TCP set packetSize_ 1500
Agent/TCP set window_ $unlimited
Agent/TCP set windowInit_ 2
Agent/TCP set minrto_ 0.2
Agent/TCP set tcpTick_ 0.01
Agent/TCP set overhead_ 0
Queue/DropTail set limit_ $unlimited

set ns [new Simulator]
$ns rtproto Manual
set r1 [$ns node]
set r2 [$ns node]
$ns simplex-link $r1 $r2 $rate [expr 0.4 * $rtt] DropTail
$ns simplex-link $r2 $r1 $rate [expr 0.4 * $rtt] DropTail
$ns queue-limit $r1 $r2 $bdp
set monitor [$ns monitor-queue $r1 $r2 ""]

set starting [new RandomVariable/Uniform]
$starting set min_ 0
$starting set max_ 1
set senders {}
for {set flow 0} {$flow < $flows} {incr flow} {
    set from [$ns node]
    set to [$ns node]
    $ns duplex-link $from $r1 [expr 10 * $rate] [expr $rtt / 20] DropTail
    $ns duplex-link $r2 $to [expr 10 * $rate] [expr $rtt / 20] DropTail
    [$from get-module Manual] add-route-to-adj-node -default $r1
    [$to get-module Manual] add-route-to-adj-node -default $r2
    [$r1 get-module Manual] add-route-to-adj-node $from
    [$r2 get-module Manual] add-route-to-adj-node $to
    if {$kind == "cubic"} {
        set tcp [new Agent/TCP/Linux]
        $tcp set timestamps_ true
        $ns at 0 "$tcp select_ca cubic"
        $ns at 0 "$tcp set_ca_default_param cubic initial_ssthresh [expr $bdp / $flows]"
    } else {
        set tcp [new Agent/TCP/Sack1]
    }
    $tcp set fid_ $flow
    set sink [new Agent/TCPSink/Sack1]
    $sink set ts_echo_rfc1323_ true
    $ns attach-agent $from $tcp
    $ns attach-agent $to $sink
    $ns connect $tcp $sink
    set source [new Application/FTP]
    $source attach-agent $tcp
    $ns at [$starting value] "$source start"
    lappend senders $tcp
}
[$r1 get-module Manual] add-route-to-adj-node -default $r2
[$r2 get-module Manual] add-route-to-adj-node -default $r1

# Every packet sent crosses its access link; what passed the bottleneck crosses it and one link more, and is acknowledged
# over three links. What is on its way at the end is counted as if it had arrived.
proc report {} {
    global seconds rate flows monitor senders before memory_before
    set cpu [expr [cpu_s] - $before]
    set sent 0
    foreach tcp $senders { incr sent [$tcp set ndatapack_] }
    set passed [$monitor set pdepartures_]
    # The agents of Linux's algorithms print as well, and what they have printed so far may end within a line.
    puts "\n= cpu_s $cpu"
    puts "= packet_hops [expr $sent + 5 * $passed]"
    puts "= bottleneck_packets $passed"
    puts "= utilization [expr $passed * 12000.0 / ($rate * $seconds)]"
    puts "= loss_rate [expr double([$monitor set pdrops_]) / max(1, [$monitor set parrivals_])]"
    puts "= memory_kib [expr [memory_kib VmHWM] - $memory_before]"
    exit 0
}
$ns at $seconds report
set before [cpu_s]
$ns run
