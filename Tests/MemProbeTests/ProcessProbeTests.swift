// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
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

    @Test func aRefusedResetTakesAPeakThatRose() throws {
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

/// Program pages of a live process, read by itself, from outside, and by a script that shares no code.
@Suite(.serialized, .ownThreads) struct ProgramPagesTests {
    @Test func allWaysToReadAgreeToThePage() async throws {
        // The kernel may take pages back, or map further ones, between two readings.
        let (child, answers, found) = try await undisturbed { (_) -> (FixtureProcess, Fixture.Answers, Int) in
            let child = try FixtureProcess(["program-pages"])
            var answers: Fixture.Answers = [:]
            repeat { answers = child.readAnswers(through: "round") } while answers["round"] != "3"
            var probe = try ProcessProbe(.pid(child.identifier))
            return (child, answers, try #require(try probe.programPages()).rawValue)
        } if: { _, answers, found in
            try answers.number("program-pages") == found
        }
        #expect(found == (try answers.number("program-pages")))
        #expect(found == (try answers.number("snapshot")))
        #expect(found > 1 << 20 && found.isMultiple(of: 4096))
        // Anonymous pages do not count, and files have no more resident pages than they have.
        let snapshot = try await undisturbed { (_) -> Snapshot in
            var probe = try ProcessProbe(.pid(child.identifier))
            return try probe.snapshot()
        } if: {
            $0.programPages.map(\.rawValue) ?? .max <= ($0.resident - $0.anonymous).rawValue
        }
        #expect(try #require(snapshot.programPages) <= snapshot.resident - snapshot.anonymous)
        let (before, sum, after) = try await undisturbed { (_) -> (Int?, Int, Int?) in
            var probe = try ProcessProbe(.pid(child.identifier))
            let before = try probe.programPages()?.rawValue
            let sum = try Self.sumOfSmaps(child.identifier)
            return (before, sum, try probe.programPages()?.rawValue)
        } if: {
            $0.0 == $0.2
        }
        #expect(before == sum && after == sum)
    }

    @Test func itsEndIsSaid() throws {
        let child = try FixtureProcess(["hold", "4096"])
        _ = child.readAnswers(through: "anonymous")
        var probe = try ProcessProbe(.pid(child.identifier))
        child.kill()
        let error = #expect(throws: MemProbeError.self) { _ = try probe.programPages() }
        #expect(error?.code == .noSuchProcess)
    }

    @Test func aHiddenFileIsNil() throws {
        let proc = try FakeProc(files: Recording.linux6x18.files)
        var probe = try ProcessProbe(.current, procRoot: proc.root)
        #expect(try probe.programPages() == nil)
        #expect(try probe.snapshot().programPages == nil)
    }

    /// Longer than the buffer: the file is read piece by piece, and no line is lost between two of them.
    @Test func aFileOfAnyLengthIsRead() throws {
        let pages = 2000
        var files = Recording.linux6x18.files
        files["maps"] = (0..<pages).map { page in
            let (start, end) = (String(page << 12, radix: 16), String((page + 1) << 12, radix: 16))
            return "\(start)-\(end) r-xp 00000000 fe:00 1 /usr/lib/a library with a name\n"
        }.joined()
        // Eight bytes a page, the highest one first set in bits 63 and 61.
        files["pagemap"] = String(repeating: "\0\0\0\0\0\0\u{a0}", count: pages)
        let proc = try FakeProc(files: files)
        var probe = try ProcessProbe(.current, procRoot: proc.root)
        #expect(try probe.programPages() == .kibibytes(4 * pages))
        #expect(try probe.programPages() == .kibibytes(4 * pages), "a second reading begins anew")
    }

    private static func sumOfSmaps(_ process: pid_t) throws -> Int {
        let script = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("scripts/program-pages.py")
        let text = try TestProcess.run("/usr/bin/python3", [script.path, "\(process)"]).text
        return try #require(text.split(separator: " ").last.flatMap { Int($0.trimmingCharacters(in: .newlines)) })
    }
}

struct PageCacheTests {
    /// Makes a file of this many bytes and gives it to the test.
    private func withFile(of size: Int, _ body: (_ path: String, _ descriptor: CInt) throws -> Void) throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("memprobe-\(UUID().uuidString)").path
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        try #require(descriptor >= 0)
        defer {
            close(descriptor)
            unlink(path)
        }
        let bytes = [UInt8](repeating: 7, count: size)
        try #require(write(descriptor, bytes, size) == size)
        try body(path, descriptor)
    }

    /// Both ways to ask, which have to agree.
    private func check(_ path: String, _ isRight: (ByteCount) -> Bool) throws {
        #expect(isRight(try PageCache.residentBytes(ofFile: path)))
        #expect(isRight(try PageCache.residentBytesByMapping(ofFile: path)))
    }

    @Test(arguments: [8 << 20, (80 << 20) + 1, 1])
    func aFileJustWrittenIsAllThere(size: Int) throws {
        try withFile(of: size) { path, _ in
            let pages = (size + 4095) / 4096
            try check(path) { $0 == ByteCount(pages * 4096) }
        }
    }

    @Test func aFileGivenUpIsNotThere() throws {
        try withFile(of: 8 << 20) { path, descriptor in
            fsync(descriptor)
            posix_fadvise(descriptor, 0, 0, CInt(POSIX_FADV_DONTNEED))
            try check(path) { $0 < .kibibytes(512) }
        }
    }

    @Test func anEmptyFileHasNothing() throws {
        try withFile(of: 0) { path, _ in try check(path) { $0 == .zero } }
    }

    @Test func aFileThatDoesNotExistIsUnreadable() {
        let error = #expect(throws: MemProbeError.self) { try PageCache.residentBytes(ofFile: "/nonexistent") }
        #expect(error == MemProbeError(.unreadable, source: "/nonexistent", errno: ENOENT))
    }
}
