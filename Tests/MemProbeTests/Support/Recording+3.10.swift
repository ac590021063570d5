// SPDX-License-Identifier: Apache-2.0

extension Recording {
    /// In the format of a kernel 3.10.
    static let linux3x10 = Recording(
        kernel: "3.10",
        statm: "27021 1353 283 224 0 25043 0\n",
        status: """
            Name:	sleep
            State:	S (sleeping)
            Tgid:	2214
            Ngid:	0
            Pid:	2214
            PPid:	2170
            TracerPid:	0
            Uid:	1000	1000	1000	1000
            Gid:	1000	1000	1000	1000
            FDSize:	256
            Groups:	10 1000 
            VmPeak:	  108084 kB
            VmSize:	  108084 kB
            VmLck:	       0 kB
            VmPin:	       0 kB
            VmHWM:	    5412 kB
            VmRSS:	    5412 kB
            VmData:	     316 kB
            VmStk:	     132 kB
            VmExe:	      28 kB
            VmLib:	    2248 kB
            VmPTE:	      44 kB
            VmSwap:	      12 kB
            Threads:	1
            SigQ:	0/31208
            SigPnd:	0000000000000000
            Cpus_allowed_list:	0-3
            Mems_allowed_list:	0
            voluntary_ctxt_switches:	1
            nonvoluntary_ctxt_switches:	1

            """,
        stat: """
            2214 (sleep) S 2170 2214 2170 34817 2214 4202496 231 0 1 0 0 3 0 0 20 0 1 0 1268837 110678016 \
            1353 18446744073709551615 4194304 4220972 140733853241488 140733853240920 139929343117584 0 0 0 \
            0 18446744071579755534 0 0 17 2 0 0 1 0 0 6319664 6320820 27779072 140733853246255 \
            140733853246264 140733853246264 140733853249517 0

            """)
}
