// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbe
import Testing

@Suite(.serialized, .ownThreads) struct ProcessInventoryTests {
    private static let size = 8 << 20

    /// A fixture that has 8 MiB without a file, 8 MiB of a file, 7 descriptors and 3 threads more than at first.
    private func fixture(
        filesIn folder: String = FileManager.default.temporaryDirectory.path
    ) throws -> (FixtureProcess, Fixture.Answers) {
        let child = try FixtureProcess(["inventory", "\(Self.size)", "7", "3"], environment: ["TMPDIR=\(folder)"])
        let answers = child.readAnswers(through: "all-descriptors")
        #expect(answers["error"] == nil)
        return (child, answers)
    }

    @Test func addedHoldersAreFound() throws {
        let (child, answers) = try fixture()
        // Stacks of the threads and the reading itself, in pages.
        let slack = 512 << 10
        #expect(try answers.number("anonymous") >= Self.size)
        #expect(try answers.number("anonymous") < Self.size + slack)
        #expect(try answers.number("resident") >= 2 * Self.size)
        #expect(try answers.number("resident") < 2 * Self.size + 2 * slack)
        // Pages of libraries become shared or private as other processes come and go.
        #expect(abs(try answers.number("private-file") - Self.size) < 4 << 20)
        #expect(try answers.number("threads") == 3)
        #expect(try answers.number("descriptors") == 8, "seven and the file")
        #expect(child.identifier > 0)
    }

    @Test func theFileIsMadeWhereTemporaryFilesGo() throws {
        let folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appending(path: "memprobe-tests-\(UUID())").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (child, answers) = try fixture(filesIn: folder)
        let file = try FileManager.default.destinationOfSymbolicLink(
            atPath: "/proc/\(child.identifier)/fd/\(try answers.number("file"))")
        #expect(file.hasPrefix(folder + "/"), "\(file)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty, "it has no name any more")
    }

    @Test func otherFilesSayTheSame() throws {
        let (child, answers) = try fixture()
        let (inventory, status) = try quietReading(of: child.identifier)
        let bound = PeakErrorBound.current
        let file = try #require(inventory.privateFile) + #require(inventory.sharedFile)
        #expect(distance(inventory.resident, try #require(status.resident)) <= bound)
        #expect(distance(inventory.anonymous, try #require(status.anonymous)) <= bound)
        #expect(distance(file, try #require(status.file) + #require(status.shmem)) <= bound)
        #expect(inventory.resident == inventory.anonymous + file)
        #expect(inventory.threads == status.threads)
        #expect(inventory.threads == (try answers.number("all-threads")))
        let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(child.identifier)/fd").count
        #expect(inventory.descriptors == open)
        #expect(open == (try answers.number("all-descriptors")), "its own reading leaves its own descriptors out")
    }

    @Test func aPageIsPrivateUntilSomebodyElseMapsIt() throws {
        let (child, answers) = try fixture()
        let before = try ProcessInventory.read(.pid(child.identifier))
        let path = "/proc/\(child.identifier)/fd/\(try answers.number("file"))"
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let mapping = mmap(nil, Self.size, PROT_READ, MAP_SHARED | MAP_POPULATE, descriptor, 0)
        try #require(mapping != MAP_FAILED)
        defer { munmap(mapping, Self.size) }
        let after = try ProcessInventory.read(.pid(child.identifier))
        let fallen = try #require(before.privateFile) - #require(after.privateFile)
        let risen = try #require(after.sharedFile) - #require(before.sharedFile)
        #expect(distance(fallen, ByteCount(Self.size)) < .mebibytes(4))
        #expect(distance(risen, ByteCount(Self.size)) < .mebibytes(4))
    }

    @Test func librariesAreThoseOfTheMappings() throws {
        let (child, _) = try fixture()
        // Foundation reads a file by its length, which is 0 here: the whole of it comes through a handle alone.
        let handle = try #require(FileHandle(forReadingAtPath: "/proc/\(child.identifier)/maps"))
        let maps = String(decoding: try handle.readToEnd() ?? Data(), as: UTF8.self)
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(child.identifier)/exe")
        let expected = Set(
            maps.split(separator: "\n").filter { $0.contains(" r-xp ") }.compactMap { line in
                line.firstIndex(of: "/").map { String(line[$0...]) }
            }
        ).subtracting([program])
        let libraries = try #require(try ProcessInventory.read(.pid(child.identifier)).libraries)
        #expect(Set(libraries.map(\.path)) == expected && libraries.count == expected.count)
        #expect(expected.contains { $0.contains("libswiftCore.so") } && expected.contains { $0.contains("ld-") })
        for library in libraries {
            let attributes = try FileManager.default.attributesOfItem(atPath: library.path)
            #expect(library.fileSize?.rawValue == (attributes[.size] as? NSNumber)?.intValue)
        }
    }

    @Test func itsEndIsSaid() throws {
        let (child, _) = try fixture()
        child.kill()
        let error = #expect(throws: MemProbeError.self) { _ = try ProcessInventory.read(.pid(child.identifier)) }
        #expect(error?.code == .noSuchProcess)
    }

    /// Read while nothing moves: the file that both are compared with says the same before and after.
    private func quietReading(of process: pid_t) throws -> (ProcessInventory, StatusFile) {
        func status() throws -> StatusFile {
            try StatusFile(parsing: try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8))
        }
        for _ in 0..<100 {
            let before = try status()
            let inventory = try ProcessInventory.read(.pid(process))
            if try status() == before { return (inventory, before) }
            usleep(10_000)
        }
        throw FixtureFailure(words: ["inventory"], status: 0, answers: ["error": "it never keeps still"])
    }

    private func distance(_ left: ByteCount, _ right: ByteCount) -> ByteCount {
        max(left - right, right - left)
    }
}

struct RecordedInventoryTests {
    @Test func hiddenFilesAreNil() throws {
        var files = Recording.linux6x18.files
        files["smaps_rollup"] = nil
        let proc = try FakeProc(files: files)
        let inventory = try ProcessInventory.read(procRoot: proc.root)
        #expect(inventory.resident == .kibibytes(435 * 4) && inventory.anonymous == .kibibytes(29 * 4))
        #expect(inventory.privateFile == nil && inventory.sharedFile == nil)
        #expect(inventory.threads == 1 && inventory.descriptors == nil && inventory.libraries == nil)
    }

    @Test func aLongListOfMappingsIsReadWhole() throws {
        var files = Recording.linux6x18.files
        files["maps"] = (0..<3000).map { number in
            "\(String((number + 1) << 12, radix: 16))-\(String((number + 2) << 12, radix: 16)) r-xp 00000000 fe:00 "
                + "\(number + 1) /nowhere/lib\(number).so\n"
        }.joined()
        let proc = try FakeProc(files: files)
        let libraries = try #require(try ProcessInventory.read(procRoot: proc.root).libraries)
        #expect(libraries.count == 3000)
        #expect(libraries.last == LoadedLibrary(path: "/nowhere/lib2999.so", fileSize: nil))
    }

    @Test func itsColumnsInJSONStay() throws {
        let inventory = ProcessInventory(
            resident: ByteCount(6), anonymous: ByteCount(1), privateFile: ByteCount(2), sharedFile: ByteCount(3),
            threads: 4, descriptors: 5, libraries: [LoadedLibrary(path: "/a", fileSize: ByteCount(7))])
        let data = try JSONEncoder().encode(inventory)
        #expect(try JSONDecoder().decode(ProcessInventory.self, from: data) == inventory)
        let object = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(
            Set(object.keys) == [
                "resident_bytes", "anonymous_bytes", "private_file_bytes", "shared_file_bytes", "threads",
                "descriptors", "libraries",
            ])
    }
}
