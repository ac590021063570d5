// SPDX-License-Identifier: Apache-2.0

import Measuring
import MemProbe
import Testing

/// What `doctor` says of a kernel by its version.
@Suite struct DiagnosisTests {
    @Test(arguments: [
        ("5.15.0-91-generic", Diagnosis.State.limited, Diagnosis.State.limited),
        ("6.1.0", .limited, .limited),
        ("6.2.16", .available, .limited), ("6.6.8", .available, .limited), ("6.7.0", .available, .available),
        ("6.18.44", .available, .available), ("unknown", .limited, .limited),
    ])
    func theKernelDecides(release: String, peak: Diagnosis.State, zeros: Diagnosis.State) {
        let kernel = KernelVersion(release: release)
        let bound = PeakErrorBound.Machine(kernel: kernel, cpus: 2, pageSize: 4096)
        let findings = [Diagnosis.peakError(bound, of: kernel), .zeroPages(of: kernel)]
        #expect(findings.map(\.state) == [peak, zeros])
        #expect(findings.allSatisfy { ($0.remedy == nil) == ($0.state == .available) })
        #expect(findings[0].detail.contains(peak == .limited ? "4224 KiB" : "744 KiB"))
    }
}
