// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbe
import Testing

/// The probe on recorded files, where every answer is known.
struct ProcessProbeTests {
    @Test(arguments: [Recording.linux3x10, .linux4x4, .linux4x18, .linux5x10, .linux6x1, .linux6x18])
    func aSnapshotIsMadeOfTheFiles(recording: Recording) throws {
        let proc = try FakeProc(process: "77", files: recording.files)
        var probe = try ProcessProbe(.pid(77), procRoot: proc.root)
        let snapshot = try probe.snapshot()
        let status = try StatusFile(parsing: recording.status)
        let statm = try StatmFile(parsing: recording.statm)
        #expect(snapshot.resident == status.resident)
        #expect(snapshot.anonymous == status.anonymous ?? ByteCount((statm.resident - statm.shared) * 4096))
        #expect(snapshot.file == status.file)
        #expect(snapshot.shmem == status.shmem)
        #expect(snapshot.swapped == status.swapped)
        #expect(snapshot.peakResident == status.peakResident)
        #expect((snapshot.proportional == nil) == (recording.smapsRollup == nil))
        #expect((snapshot.unique == nil) == (recording.smapsRollup == nil))
        #expect(snapshot.threads == (try StatFile(parsing: recording.stat)).threads)
        #expect(snapshot.cpuNanoseconds == (try StatFile(parsing: recording.stat)).cpuTicks * 10_000_000)
    }

    @Test func whereTheResetIsRefusedAPeakThatRoseIsTaken() throws {
        let proc = try FakeProc(files: Recording.linux6x1.files)
        var probe = try ProcessProbe(.current, procRoot: proc.root)
        #expect(try probe.resetPeak() == false)
        #expect(try probe.peakSinceReset().source == .exactReadings)
        #expect(try probe.peakSinceReset().resident == .kibibytes(1_056_768))
        let risen = Recording.linux6x1.status.replacingOccurrences(of: "1310720 kB", with: "1310724 kB")
        try proc.write(risen, to: "status")
        let peak = try probe.peakSinceReset()
        #expect(peak.source == .highWaterMarkWithoutReset)
        #expect(peak.resident == .kibibytes(1_310_724))
    }

    @Test func readingsTakenElsewhereCount() throws {
        let proc = try FakeProc(files: Recording.linux6x1.files)
        var probe = try ProcessProbe(.current, procRoot: proc.root)
        _ = try probe.resetPeak()
        probe.note(ResidentReading(resident: .mebibytes(1200), shared: .zero))
        #expect(try probe.peakSinceReset().resident == .mebibytes(1200))
        _ = try probe.resetPeak()
        #expect(try probe.peakSinceReset().resident == .kibibytes(1_056_768))
    }

    @Test func aResetWritesFive() throws {
        var files = Recording.linux6x18.files
        files["clear_refs"] = ""
        let proc = try FakeProc(files: files)
        var probe = try ProcessProbe(.current, procRoot: proc.root)
        #expect(try probe.resetPeak())
        #expect(try proc.read("clear_refs") == "5")
        #expect(try probe.peakSinceReset().source == .highWaterMark)
    }

    @Test func aZombieHasNoMemoryToRead() throws {
        var files = Recording.linux6x18.files
        files["statm"] = "0 0 0 0 0 0 0\n"
        let proc = try FakeProc(files: files)
        var probe = try ProcessProbe(.current, procRoot: proc.root)
        let expected = MemProbeError(.noSuchProcess, source: "\(proc.root)/self/statm")
        let error = #expect(throws: MemProbeError.self) { _ = try probe.resident() }
        #expect(error == expected)
    }

    @Test func pagesThatOverflowAsBytesThrow() throws {
        var files = Recording.linux6x18.files
        files["statm"] = "9223372036854775807 9223372036854775807 0 0 0 0 0\n"
        let proc = try FakeProc(files: files)
        var probe = try ProcessProbe(.current, procRoot: proc.root)
        let error = #expect(throws: MemProbeError.self) { _ = try probe.resident() }
        #expect(error?.code == .malformed)
    }

    @Test func aUserOfThousandsOfGroupsHidesNoLine() throws {
        let groups = (0..<4000).map { "\(1_000_000 + $0)" }.joined(separator: " ")
        var files = Recording.linux6x18.files
        files["status"] = Recording.linux6x18.status.replacingOccurrences(of: "Groups:\t", with: "Groups:\t\(groups)")
        let proc = try FakeProc(files: files)
        var probe = try ProcessProbe(.current, procRoot: proc.root)
        #expect(try probe.snapshot().peakResident == .kibibytes(1716))
    }

    @Test func aFileTooLongForTheBufferIsRefusedNotCut() throws {
        var files = Recording.linux6x18.files
        files["status"] = Recording.linux6x18.status + String(repeating: "x", count: 70000)
        let proc = try FakeProc(files: files)
        var probe = try ProcessProbe(.current, procRoot: proc.root)
        let error = #expect(throws: MemProbeError.self) { _ = try probe.snapshot() }
        #expect(error == MemProbeError(.malformed, source: "\(proc.root)/self/status"))
    }

    @Test func aProcessThatDoesNotExistIsSaidSo() {
        let error = #expect(throws: MemProbeError.self) { _ = try ProcessProbe(.pid(Int32.max)) }
        #expect(error?.code == .noSuchProcess)
        #expect(error?.source == "/proc/2147483647")
        #expect(error?.description == "no live process behind /proc/2147483647: No such file or directory")
    }

    @Test func snapshotsAndPeaksKeepTheirColumnsInJSON() throws {
        let proc = try FakeProc(files: Recording.linux6x1.files)
        var probe = try ProcessProbe(.current, procRoot: proc.root)
        let snapshot = try probe.snapshot()
        let data = try JSONEncoder().encode(snapshot)
        #expect(try JSONDecoder().decode(Snapshot.self, from: data) == snapshot)
        let object = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(object["peak_resident_bytes"] as? Int == 1_310_720 * 1024)
        #expect(
            Set(object.keys) == [
                "time_ns", "resident_bytes", "anonymous_bytes", "file_bytes", "shmem_bytes", "swapped_bytes",
                "peak_resident_bytes", "proportional_bytes", "unique_bytes", "minor_faults", "major_faults", "threads",
                "cpu_ns",
            ])
        let peak = PeakReading(resident: ByteCount(1), source: .highWaterMark, errorBound: ByteCount(2))
        let text = String(decoding: try JSONEncoder().encode(peak), as: UTF8.self)
        #expect(text.contains("\"kernel_high_water_mark\"") && text.contains("\"error_bound_bytes\":2"))
    }
}
