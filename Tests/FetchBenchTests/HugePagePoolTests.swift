// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension Conduct {
    /// Memory of a pool of huge pages, which is in no counter of resident pages.
    ///
    /// Where this user may not set pages aside, and none are, there is nothing to measure.
    @Suite(.enabled("only root may set huge pages aside") { HugePages.canBeHad })
    struct HugePagePools {
        /// Touches 40 MiB of the pool and holds them for a while, and then 10 MiB of the rest.
        private static let holding = """
            import mmap, time
            pages = mmap.mmap(-1, 40 << 20, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x40000)
            for place in range(0, 40 << 20, 4096): pages[place] = 1
            time.sleep(0.1)
            pages.close()
            rest = bytearray(b"x") * (10 << 20)
            time.sleep(0.05)
            """

        @Test func theyCountAndAreLimited() async throws {
            let sandbox = try Sandbox("huge")
            let path = try sandbox.write(Self.holding, to: "huge.py")
            try await HugePages.with(64 << 20) {
                let ended = try await sandbox.fetchbench(
                    "exec", "\(BuiltBinary.systemPython()) \(path)", "--trials", "2", "--limit", "40MiB", "--format",
                    "commands", within: 60)
                #expect(ended.status == 1, "\(ended.complaint)")
                let answer = try ExecAnswer(ended.output)
                #expect(answer.overLimit.count == 1)
                for trial in answer.trials {
                    let net = trial.figures["net_peak_bytes"].map { Int($0) } ?? 0
                    #expect((40 << 20...60 << 20).contains(net), "\(net)")
                    #expect((net...70 << 20).contains(trial.peak), "\(trial.peak)")
                    #expect(
                        trial.figures["peak_error_bound_bytes"].map { $0 > Double(5 << 20) } == true, "\(trial.figures)"
                    )
                }
                #expect(answer.warnings.contains { $0.contains("huge page pool") }, "\(answer.warnings)")
            }
        }
    }
}

/// The pool of this machine.
private enum HugePages {
    private static let file = "/proc/sys/vm/nr_hugepages"

    private static var count: Int {
        let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
        return Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
    }

    private static func set(_ count: Int) {
        guard let stream = fopen(file, "w") else { return }
        fputs("\(count)", stream)
        fclose(stream)
    }

    /// The size of a page of the pool, in bytes.
    private static var size: Int {
        let text = (try? String(contentsOfFile: "/proc/meminfo", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("Hugepagesize:") }
        return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) << 10
    }

    static var canBeHad: Bool { size > 0 && size <= 4 << 20 && access(file, W_OK) == 0 }

    /// Sets pages aside while `body` runs.
    static func with(_ bytes: Int, _ body: () async throws -> Void) async throws {
        let before = count
        set(before + bytes / size)
        defer { set(before) }
        try #require(count >= before + bytes / size, "so much memory is not free in one piece")
        try await body()
    }
}
