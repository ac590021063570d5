// SPDX-License-Identifier: Apache-2.0

extension Recording {
    /// In the format of a kernel 4.18.
    static let linux4x18 = Recording(
        kernel: "4.18",
        statm: "60117 11264 4511 1 0 40233 0\n",
        status: """
            Name:	python3 (deleted)
            Umask:	0022
            State:	R (running)
            Tgid:	18231
            Ngid:	0
            Pid:	18231
            PPid:	18102
            TracerPid:	0
            Uid:	0	0	0	0
            Gid:	0	0	0	0
            FDSize:	64
            Groups:	0 
            NStgid:	18231	7
            NSpid:	18231	7
            NSpgid:	18231	7
            NSsid:	18231	7
            VmPeak:	  251444 kB
            VmSize:	  240468 kB
            VmLck:	       0 kB
            VmPin:	       0 kB
            VmHWM:	   46080 kB
            VmRSS:	   45056 kB
            RssAnon:	   27012 kB
            RssFile:	   17980 kB
            RssShmem:	      64 kB
            VmData:	  160800 kB
            VmStk:	     132 kB
            VmExe:	       4 kB
            VmLib:	   15160 kB
            VmPTE:	     260 kB
            VmSwap:	       0 kB
            HugetlbPages:	       0 kB
            CoreDumping:	0
            THP_enabled:	1
            Threads:	9
            SigQ:	0/30996
            NoNewPrivs:	0
            Seccomp:	2
            Speculation_Store_Bypass:	thread force mitigated
            Cpus_allowed_list:	0-7
            voluntary_ctxt_switches:	2207
            nonvoluntary_ctxt_switches:	914

            """,
        stat: """
            18231 (python3 (deleted)) R 18102 18231 18231 0 -1 4194560 15034 880 31 0 412 88 0 0 20 0 9 0 \
            8830112 246239232 11264 18446744073709551615 94117211049984 94117211053832 140721309310496 0 0 0 \
            0 16781312 134217730 0 0 0 17 5 0 0 3 0 0 94117213150576 94117213151272 94117235159040 \
            140721309318894 140721309318937 140721309318937 140721309319144 0

            """,
        smapsRollup: """
            557d9a1b0000-7ffc31f5f000 ---p 00000000 00:00 0                          [rollup]
            Rss:               45188 kB
            Pss:               31240 kB
            Shared_Clean:      16012 kB
            Shared_Dirty:         64 kB
            Private_Clean:      2044 kB
            Private_Dirty:     27068 kB
            Referenced:        45120 kB
            Anonymous:         27040 kB
            LazyFree:              0 kB
            AnonHugePages:      2048 kB
            ShmemPmdMapped:        0 kB
            Shared_Hugetlb:        0 kB
            Private_Hugetlb:       0 kB
            Swap:                  0 kB
            SwapPss:               0 kB
            Locked:                0 kB

            """)
}
