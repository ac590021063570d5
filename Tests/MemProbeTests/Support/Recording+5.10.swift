// SPDX-License-Identifier: Apache-2.0

extension Recording {
    /// In the format of a kernel 5.10.
    static let linux5x10 = Recording(
        kernel: "5.10",
        statm: "560 189 172 5 0 88 0\n",
        status: """
            Name:	cat
            Umask:	0022
            State:	R (running)
            Tgid:	3391
            Ngid:	0
            Pid:	3391
            PPid:	3301
            TracerPid:	0
            Uid:	1000	1000	1000	1000
            Gid:	1000	1000	1000	1000
            FDSize:	256
            Groups:	24 25 27 29 30 44 46 109 1000 
            NStgid:	3391
            NSpid:	3391
            NSpgid:	3391
            NSsid:	3301
            VmPeak:	    2240 kB
            VmSize:	    2240 kB
            VmLck:	       0 kB
            VmPin:	       0 kB
            VmHWM:	     756 kB
            VmRSS:	     756 kB
            RssAnon:	      68 kB
            RssFile:	     688 kB
            RssShmem:	       0 kB
            VmData:	     352 kB
            VmStk:	     132 kB
            VmExe:	      20 kB
            VmLib:	    1440 kB
            VmPTE:	      44 kB
            VmSwap:	       0 kB
            HugetlbPages:	       0 kB
            CoreDumping:	0
            THP_enabled:	1
            Threads:	1
            SigQ:	0/31440
            NoNewPrivs:	0
            Seccomp:	0
            Seccomp_filters:	0
            Speculation_Store_Bypass:	thread vulnerable
            Cpus_allowed_list:	0-3
            voluntary_ctxt_switches:	0
            nonvoluntary_ctxt_switches:	0

            """,
        stat: """
            3391 (cat) R 3301 3391 3301 34816 3391 4194304 92 0 0 0 0 0 0 0 20 0 1 0 540021 2293760 189 \
            18446744073709551615 94659402493952 94659402511689 140734862137664 0 0 0 0 0 0 0 0 0 17 0 0 0 0 \
            0 0 94659402523984 94659402525568 94659430100992 140734862142263 140734862142283 140734862142283 \
            140734862147563 0

            """,
        smapsRollup: """
            5617b5a00000-7fff9d5f9000 ---p 00000000 00:00 0                          [rollup]
            Rss:                 844 kB
            Pss:                 141 kB
            Pss_Anon:             84 kB
            Pss_File:             57 kB
            Pss_Shmem:             0 kB
            Shared_Clean:        740 kB
            Shared_Dirty:          0 kB
            Private_Clean:        16 kB
            Private_Dirty:        88 kB
            Referenced:          844 kB
            Anonymous:            88 kB
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
