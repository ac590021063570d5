// SPDX-License-Identifier: Apache-2.0

extension Recording {
    /// In the format of a kernel 6.18.
    static let linux6x18 = Recording(
        kernel: "6.18",
        statm: "765 435 406 5 0 123 0\n",
        status: """
            Name:	cat
            Umask:	0022
            State:	R (running)
            Tgid:	5646
            Ngid:	0
            Pid:	5646
            PPid:	5642
            TracerPid:	0
            Uid:	0	0	0	0
            Gid:	0	0	0	0
            FDSize:	256
            Groups:	 
            NStgid:	5646
            NSpid:	5646
            NSpgid:	5642
            NSsid:	4540
            Kthread:	0
            VmPeak:	    3060 kB
            VmSize:	    3060 kB
            VmLck:	       0 kB
            VmPin:	       0 kB
            VmHWM:	    1716 kB
            VmRSS:	    1716 kB
            RssAnon:	     116 kB
            RssFile:	    1600 kB
            RssShmem:	       0 kB
            VmData:	     360 kB
            VmStk:	     132 kB
            VmExe:	      20 kB
            VmLib:	    1528 kB
            VmPTE:	      48 kB
            VmSwap:	       0 kB
            HugetlbPages:	       0 kB
            CoreDumping:	0
            THP_enabled:	1
            untag_mask:	0xffffffffffffffff
            Threads:	1
            SigQ:	0/96365
            NoNewPrivs:	0
            Seccomp:	0
            Seccomp_filters:	0
            Speculation_Store_Bypass:	vulnerable
            Cpus_allowed_list:	0-1
            voluntary_ctxt_switches:	0
            nonvoluntary_ctxt_switches:	0

            """,
        stat: """
            5647 (cat) R 5642 5642 4540 0 -1 4194304 99 0 0 0 0 0 0 0 20 0 1 0 86535 3133440 406 \
            18446744073709551615 94922890047488 94922890067369 140737224141280 0 0 0 0 0 0 0 0 0 17 1 0 0 0 \
            0 0 94922890083376 94922890084992 94923222061056 140737224149711 140737224149731 140737224149731 \
            140737224151019 0

            """,
        smapsRollup: """
            5589afa15000-7ffec1621000 ---p 00000000 00:00 0                          [rollup]
            Rss:                1684 kB
            Pss:                 485 kB
            Pss_Dirty:           112 kB
            Pss_Anon:            112 kB
            Pss_File:            373 kB
            Pss_Shmem:             0 kB
            Shared_Clean:       1456 kB
            Shared_Dirty:          0 kB
            Private_Clean:       116 kB
            Private_Dirty:       112 kB
            Referenced:         1684 kB
            Anonymous:           112 kB
            KSM:                   0 kB
            LazyFree:              0 kB
            AnonHugePages:         0 kB
            ShmemPmdMapped:        0 kB
            FilePmdMapped:         0 kB
            Shared_Hugetlb:        0 kB
            Private_Hugetlb:       0 kB
            Swap:                  0 kB
            SwapPss:               0 kB
            Locked:                0 kB

            """)
}
