// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// A web server in another language that serves one file of a known size.
final class FileServer {
    let folder: URL
    private let process: TestProcess
    private let port: Int

    /// Makes the file and waits until the server has said on which port it listens.
    init(mebibytes: Int) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("tracing-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let made = FileManager.default.createFile(
            atPath: folder.appendingPathComponent("asset").path, contents: Data(count: mebibytes << 20))
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        process = try TestProcess(
            "/usr/bin/env",
            ["python3", "-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", folder.path],
            environment: ["PATH": path])
        // "Serving HTTP on 127.0.0.1 port 40123 (http://127.0.0.1:40123/) ..."
        let line = Self.firstLine(of: process)
        let words = line.split(separator: " ").map(String.init)
        let place = words.firstIndex(of: "port") ?? words.endIndex
        port = place + 1 < words.count ? Int(words[place + 1]) ?? 0 : 0
        try #require(made && port > 0, "the server did not say where it listens: \(line)")
    }

    private static func firstLine(of process: TestProcess) -> String {
        let last = ContinuousClock.now + .seconds(60)
        while process.isRunning, !process.output.contains(10), ContinuousClock.now < last { usleep(1000) }
        return String(decoding: process.output.prefix { $0 != 10 }, as: UTF8.self)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    /// The address of the file.
    var address: String {
        "http://127.0.0.1:\(port)/asset"
    }

    /// Where a client may put what it got.
    var target: String {
        folder.appendingPathComponent("fetched").path
    }

    /// How many bytes a client put there.
    var targetCount: Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: target)
        return (attributes?[.size] as? NSNumber)?.intValue ?? -1
    }
}
