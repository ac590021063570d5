// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbe
import Origin

/// Reads the kernel's and the origin's figures of a child.
struct KernelReader: Sendable {
    let process: Int32
    let directory: String
    let origin: OriginServer

    /// Returns all figures at a mark, or `nil` if any cannot be read, as when the child is gone.
    func reading(at mark: String, settles: Bool) async throws -> Reading? {
        if settles { try await settle() }
        guard var probe = try? ProcessProbe(.pid(process)), let snapshot = try? probe.snapshot(),
            let descriptors = try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd")
        else { return nil }
        let statistics = origin.statistics()
        return Reading(
            mark, time: MonotonicClock.now(), residentBytes: snapshot.resident.rawValue,
            anonymousBytes: snapshot.anonymous.rawValue, descriptors: descriptors.count,
            threads: snapshot.threads, files: Self.files(in: directory), requests: statistics.requests,
            bytesSent: statistics.bytesSent.rawValue)
    }

    /// Waits until the origin has sent nothing for 600 ms, at most 10 s.
    private func settle() async throws {
        var last = -1
        var quiet = 0
        for _ in 0..<100 where quiet < 6 {
            try await Task.sleep(for: .milliseconds(100))
            let sent = origin.statistics().bytesSent.rawValue
            quiet = sent == last ? quiet + 1 : 0
            last = sent
        }
    }

    /// Returns the files below a folder, by name.
    static func files(in directory: String) -> [SeenFile] {
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: directory)) ?? []
        return names.sorted().compactMap { name in
            let path = directory + "/" + name
            guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
                attributes[.type] as? FileAttributeType == .typeRegular, let size = attributes[.size] as? Int
            else { return nil }
            let content = try? FileBytes(path: path)
            return SeenFile(name: name, bytes: size, sha256: content.flatMap { try? Digest.sha256(of: $0) })
        }
    }
}
