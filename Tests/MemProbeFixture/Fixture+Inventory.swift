// SPDX-License-Identifier: Apache-2.0

import Glibc
import MemProbe

extension Fixture {
    /// What a reading says of pages, descriptors and threads of known numbers; then it keeps still until the test is done.
    static func inventory(_ size: Int, descriptors: Int, threads: Int) throws(MemProbeError) {
        // Once for nothing: what is made lazily exists afterwards.
        _ = try ProcessInventory.read()
        let before = try ProcessInventory.read()
        let anonymous = try mapAndTouch(size)
        let file = try mapFile(size)
        for _ in 0..<descriptors { _ = dup(STDIN_FILENO) }
        for _ in 0..<threads { startThread() }
        let after = try ProcessInventory.read()
        answer("file", file.descriptor)
        answer("resident", (after.resident - before.resident).rawValue)
        answer("anonymous", (after.anonymous - before.anonymous).rawValue)
        if let private1 = before.privateFile, let private2 = after.privateFile {
            answer("private-file", (private2 - private1).rawValue)
        }
        answer("threads", after.threads - before.threads)
        answer("all-threads", after.threads)
        answer("descriptors", (after.descriptors ?? -1) - (before.descriptors ?? -1))
        answer("all-descriptors", after.descriptors ?? -1)
        waitForTest()
        munmap(anonymous, size)
        munmap(file.start, size)
    }

    /// Maps a file that has no name any more, and reads every page of it.
    private static func mapFile(
        _ size: Int
    ) throws(MemProbeError) -> (start: UnsafeMutableRawPointer, descriptor: CInt) {
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(folder)/memprobe-fixture-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        unlink(template)
        guard descriptor >= 0, ftruncate(descriptor, off_t(size)) == 0,
            let start = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0), start != MAP_FAILED
        else { throw MemProbeError(.exhausted, source: "a file", errno: errno) }
        for offset in stride(from: 0, to: size, by: 4096) {
            start.storeBytes(of: 1, toByteOffset: offset, as: UInt8.self)
        }
        return (start, descriptor)
    }

    /// Starts a thread that only waits.
    private static func startThread() {
        var thread = pthread_t()
        pthread_create(
            &thread, nil,
            { _ in
                while true { pause() }
            }, nil)
    }
}
