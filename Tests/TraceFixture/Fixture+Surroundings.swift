// SPDX-License-Identifier: Apache-2.0

import CTestSupport
import Glibc

extension Fixture {
    /// Runs this program again in other surroundings: `docker` refuses what Docker's and Podman's default profiles do,
    /// `untraceable` what `ptrace_scope` 3 does, and 2 to ordinary users, in such a container.
    static func confine(_ kind: String, _ words: [String]) {
        let refusals =
            switch kind {
            case "docker": CTESTSUPPORT_REFUSE_KCMP.rawValue
            case "strict": CTESTSUPPORT_REFUSE_KCMP.rawValue | CTESTSUPPORT_REFUSE_VM.rawValue
            case "untraceable":
                CTESTSUPPORT_REFUSE_KCMP.rawValue | CTESTSUPPORT_REFUSE_VM.rawValue
                    | CTESTSUPPORT_REFUSE_PTRACE.rawValue
            default: UInt32(0)
            }
        guard ctestsupport_refuse(refusals) == 0 else { exit(80) }
        execute([path] + words)
    }

    /// Runs this program again as a user without any right.
    static func asNobody(_ words: [String]) {
        guard ctestsupport_become_user(65534) == 0 else { exit(81) }
        execute([path] + words)
    }

    /// Runs this program again with a terminal of its own.
    static func inTerminal(_ words: [String]) {
        var program = ([path] + words).map { strdup($0) } + [nil]
        let status = ctestsupport_run_in_terminal(&program)
        exit(status >= 0 && status & 0x7f == 0 ? status >> 8 : 82)
    }

    /// Holds memory and begins a child in some way, which lives for a while and then becomes a program or ends.
    static func begin(_ way: Int, mebibytes: Int, milliseconds: Int, _ program: [String]) {
        touch(mebibytes: mebibytes)
        var words = program.map { strdup($0) } + [nil]
        let child = words.withUnsafeMutableBufferPointer { words in
            ctestsupport_begin(
                ctestsupport_way(rawValue: UInt32(way)), Int32(milliseconds), program.isEmpty ? nil : words.baseAddress)
        }
        guard child > 0 else { exit(83) }
        guard ctestsupport_wait(child) == 0 else { exit(84) }
        answerPeak()
    }
}
