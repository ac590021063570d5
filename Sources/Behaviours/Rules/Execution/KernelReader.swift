// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbe
import Origin
package import ProbeProtocol

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
            mark, time: MonotonicClock.now(), processorNanoseconds: snapshot.cpuNanoseconds,
            queuedNanoseconds: queuedNanoseconds, residentBytes: snapshot.resident.rawValue,
            peakResidentBytes: snapshot.peakResident?.rawValue, anonymousBytes: snapshot.anonymous.rawValue,
            descriptors: descriptors.count,
            threads: snapshot.threads, files: Self.files(in: directory), requests: statistics.requests,
            bytesSent: statistics.bytesSent.rawValue)
    }

    /// How long its threads have been ready without a processor: the second number of `schedstat`, of those that live.
    private var queuedNanoseconds: Int? {
        let tasks = "/proc/\(process)/task"
        guard let threads = try? FileManager.default.contentsOfDirectory(atPath: tasks) else { return nil }
        let times = threads.compactMap { thread in
            (try? String(contentsOfFile: "\(tasks)/\(thread)/schedstat", encoding: .utf8))
                .flatMap { $0.split(separator: " ").dropFirst().first.flatMap { Int($0) } }
        }
        return times.isEmpty ? nil : times.reduce(0, +)
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

    static func files(in directory: String) -> [SeenFile] {
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: directory)) ?? []
        return names.sorted().compactMap { name in
            let path = directory + "/" + name
            guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
                attributes[.type] as? FileAttributeType == .typeRegular, let size = attributes[.size] as? Int
            else { return nil }
            let content = try? FileBytes(path: path)
            return SeenFile(name: name, bytes: size, sha256: content.flatMap { try? $0.sha256() })
        }
    }
}

extension BugReport {
    /// The name of this machine's system, or `nil` if it does not tell one.
    package static var systemName: String? {
        (try? String(contentsOfFile: "/etc/os-release", encoding: .utf8)).flatMap(systemName)
    }

    package static func systemName(_ text: String) -> String? {
        text.split(separator: "\n").first { $0.hasPrefix("PRETTY_NAME=") }
            .map { $0.dropFirst("PRETTY_NAME=".count).filter { !"\"'".contains($0) } }
    }
}

extension ProbeLine.LibraryFacts {
    /// Returns the libraries that the probes' program loads, or `nil` if it does not answer.
    package static func reported(by program: String, environment: [String: String]) async -> ProbeLine.LibraryFacts? {
        let launch = ChildLaunch(
            executable: program, arguments: ["--libraries"], environment: environment, limit: .seconds(30),
            outputLimit: 1 << 16)
        let output = try? await launch.run().output
        return output.flatMap { try? JSONDecoder().decode(ProbeLine.LibraryFacts.self, from: Data($0)) }
    }
}
