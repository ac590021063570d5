// SPDX-License-Identifier: Apache-2.0

extension Recording {
    /// In the format of a kernel 4.4.
    static let linux4x4 = Recording(
        kernel: "4.4",
        statm: "11085 1789 1034 25 0 672 0\n",
        status: """
            Name:	nginx: worker
            State:	S (sleeping)
            Tgid:	905
            Ngid:	0
            Pid:	905
            PPid:	904
            TracerPid:	0
            Uid:	33	33	33	33
            Gid:	33	33	33	33
            FDSize:	128
            Groups:	33 
            NStgid:	905
            NSpid:	905
            NSpgid:	904
            NSsid:	904
            VmPeak:	   44988 kB
            VmSize:	   44340 kB
            VmLck:	       0 kB
            VmPin:	       0 kB
            VmHWM:	    7572 kB
            VmRSS:	    7156 kB
            VmData:	    2552 kB
            VmStk:	     136 kB
            VmExe:	     100 kB
            VmLib:	    5868 kB
            VmPTE:	     108 kB
            VmPMD:	      12 kB
            VmSwap:	       0 kB
            HugetlbPages:	       0 kB
            Threads:	1
            SigQ:	0/15700
            Seccomp:	0
            Cpus_allowed_list:	0-1
            voluntary_ctxt_switches:	412
            nonvoluntary_ctxt_switches:	8

            """,
        stat: """
            905 (nginx: worker) S 904 904 904 0 -1 4194624 645 0 2 0 31 17 0 0 20 0 1 0 1822 45404160 1789 \
            18446744073709551615 94300418142208 94300418242844 140730480337840 140730480337216 \
            139753573826899 0 0 1073746048 402745863 1 0 0 17 1 0 0 5 0 0 94300420340608 94300420343808 \
            94300430610432 140730480340854 140730480340875 140730480340875 140730480340963 0

            """)
}
