// SPDX-License-Identifier: Apache-2.0

extension Recording {
    /// In the format of a kernel 6.1.
    static let linux6x1 = Recording(
        kernel: "6.1",
        statm: "2512831 264192 9811 14 0 301442 0\n",
        status: """
            Name:	java
            Umask:	0002
            State:	S (sleeping)
            Tgid:	40122
            Ngid:	40122
            Pid:	40122
            PPid:	1
            TracerPid:	0
            Uid:	998	998	998	998
            Gid:	997	997	997	997
            FDSize:	512
            Groups:	997 
            NStgid:	40122
            NSpid:	40122
            NSpgid:	40122
            NSsid:	40122
            VmPeak:	10116860 kB
            VmSize:	10051324 kB
            VmLck:	       0 kB
            VmPin:	       0 kB
            VmHWM:	 1310720 kB
            VmRSS:	 1056768 kB
            RssAnon:	 1017524 kB
            RssFile:	   39116 kB
            RssShmem:	     128 kB
            VmData:	 1205636 kB
            VmStk:	     132 kB
            VmExe:	       4 kB
            VmLib:	   22476 kB
            VmPTE:	    3128 kB
            VmSwap:	   51200 kB
            HugetlbPages:	       0 kB
            CoreDumping:	0
            THP_enabled:	1
            Threads:	87
            SigQ:	1/127431
            NoNewPrivs:	1
            Seccomp:	2
            Seccomp_filters:	1
            SpeculationIndirectBranch:	conditional enabled
            Cpus_allowed_list:	0-15
            voluntary_ctxt_switches:	31
            nonvoluntary_ctxt_switches:	4

            """,
        stat: """
            40122 (java) S 1 40122 40122 0 -1 1077936128 812345 1203 412 3 183211 20412 0 1 20 0 87 0 190021 \
            10292555776 264192 18446744073709551615 94853611479040 94853611479949 140728021236832 0 0 0 0 0 \
            16800973 0 0 0 17 9 0 0 0 0 0 94853613579680 94853613580304 94853636321280 140728021238430 \
            140728021239790 140728021239790 140728021241826 0

            """,
        smapsRollup: """
            564500000000-7ffdbb5d3000 ---p 00000000 00:00 0                          [rollup]
            Rss:             1057024 kB
            Pss:             1024511 kB
            Pss_Dirty:       1017600 kB
            Pss_Anon:        1017560 kB
            Pss_File:           6887 kB
            Pss_Shmem:            64 kB
            Shared_Clean:      34812 kB
            Shared_Dirty:          0 kB
            Private_Clean:      4612 kB
            Private_Dirty:   1017600 kB
            Referenced:       998112 kB
            Anonymous:       1017560 kB
            LazyFree:              0 kB
            AnonHugePages:    409600 kB
            ShmemPmdMapped:        0 kB
            FilePmdMapped:         0 kB
            Shared_Hugetlb:        0 kB
            Private_Hugetlb:       0 kB
            Swap:              51200 kB
            SwapPss:           51200 kB
            Locked:                0 kB

            """)
}
