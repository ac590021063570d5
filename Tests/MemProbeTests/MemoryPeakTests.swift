// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Testing

/// By how much a process's memory rises while something is done; its accuracy is tested by exit tests of
/// `MemProbeTests/Testing`, in processes of their own.
struct MemoryPeakTests {
    private static func growth(_ start: Int, _ peak: Int, _ pages: Int?) -> ByteCount {
        let reading = PeakReading(resident: ByteCount(peak), source: .highWaterMark, errorBound: .zero)
        return PeakGrowth(start: ByteCount(start), peak: reading, programPages: pages.map { ByteCount($0) }).growth
    }

    @Test func growthIsThePeakOverTheStartWithoutProgramPages() {
        #expect(Self.growth(100, 350, nil) == ByteCount(250))
        #expect(Self.growth(100, 350, 50) == ByteCount(200))
        #expect(Self.growth(100, 120, 50) == .zero, "never negative")
    }

    @Test func whatIsDoneIsHandedThrough() async throws {
        struct Refused: Error {}
        #expect(try MemoryPeak.measure { 7 }.value == 7)
        #expect(
            try await MemoryPeak.measure {
                await Task.yield()
                return 8
            }.value == 8)
        #expect(throws: Refused.self) { try MemoryPeak.measure { throw Refused() } }
    }

    @Test func aKernelThatDoesNotResetItsMarkIsAnError() throws {
        let proc = try FakeProc(files: Recording.linux6x1.files)
        let error = #expect(throws: MemProbeError.self) { _ = try PeakMeasurement(procRoot: proc.root) }
        #expect(error?.code == .unavailable)
        #expect(error?.source.contains("clear_refs") == true)
    }

    @Test func aMachineWithoutProcIsAnError() {
        let error = #expect(throws: MemProbeError.self) { _ = try PeakMeasurement(procRoot: "/nowhere") }
        #expect(error?.code == .noSuchProcess)
    }
}
