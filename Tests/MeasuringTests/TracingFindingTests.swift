// SPDX-License-Identifier: Apache-2.0

import Glibc
import Measuring
import MemProbe
import Testing

/// What `doctor` says of how the peaks of commands are found.
struct TracingFindingTests {
    private static let refusal = MemProbeError(.unavailable, source: "ptrace", errno: EPERM)

    private static func finding(
        refusal: MemProbeError? = nil, tellsSharedMemory: Bool = true, isFiltered: Bool = false, scope: Int? = nil
    ) -> Diagnosis {
        MachineCheck.finding(
            of: TracingAbility(
                refusal: refusal, tellsSharedMemory: tellsSharedMemory, isFiltered: isFiltered, scope: scope))
    }

    @Test func aContainersProfileLosesNothing() {
        let finding = Self.finding(tellsSharedMemory: false, isFiltered: true)
        #expect(finding.state == .available)
        #expect(finding.remedy == nil)
        #expect(finding.detail.contains("kcmp"))
    }

    @Test(arguments: [2, 3])
    func theScopeIsNamedWhereItRefuses(scope: Int) {
        let finding = Self.finding(refusal: Self.refusal, isFiltered: true, scope: scope)
        #expect(finding.state == .limited)
        #expect(finding.detail.contains("ptrace_scope is \(scope)"))
        #expect(finding.remedy?.contains("ptrace_scope") == true)
    }

    @Test(arguments: [nil, 0, 1])
    func elseTheFilterIs(scope: Int?) {
        let finding = Self.finding(refusal: Self.refusal, isFiltered: true, scope: scope)
        #expect(finding.state == .limited)
        #expect(finding.detail.contains("seccomp"))
        #expect(finding.remedy?.contains("SYS_PTRACE") == true)
    }

    @Test func aChildOfThisProcessIsTriedAndLeavesNothing() {
        let ability = TracingAbility.probe()
        #expect(ability.refusal == nil || ability.refusal?.source == "ptrace")
    }
}
