// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Runs
import Texts

/// The section of the report about the machine and the plan of a run.
struct EnvironmentSection: Sendable {
    private let run: RunRecord

    init(_ run: RunRecord) {
        self.run = run
    }

    var text: String {
        var table = TextTable(["", ""], words: 2)
        table.rows = rows.map { [$0, SafeText.forMarkdown($1)] }
        return "## Environment\n\n" + table.markdown
    }

    var rows: [(String, String)] {
        let machine = run.environment
        let memory = machine.memory.map { ", " + ByteText.mebibytes($0) } ?? ""
        let place = machine.label.map { [("machine", $0)] } ?? []
        let rows = [
            (
                "processor",
                "\(machine.processor ?? "unknown") (\(machine.architecture), \(machine.processorCount) CPUs\(memory))"
            ),
            ("kernel", "Linux \(machine.kernel), pages of \(machine.pageSize.rawValue) bytes"),
            ("built with", "Swift \(machine.swift), \(machine.buildConfiguration), \(machine.libc)"),
            ("allocators", allocators),
            ("huge pages", "\(machine.transparentHugePages ?? "unknown") in the system, off in trials"),
            (
                "readings",
                "\(machine.exactness); the high-water mark may be low by at most \(machine.peakErrorWords)"
            ),
            (
                "files fetched to",
                machine.temporaryFileSystem + (machine.destinationFileSystem.map { ", other destination: \($0)" } ?? "")
            ),
            ("plan", planText),
            ("assets", run.plan.assets.map(text(of:)).joined(separator: "; ")),
            ("measured", "\(run.startedAt) to \(run.finishedAt ?? "interrupted")"),
        ]
        return (place + rows).filter { run.plan.fetches || !Self.ofFetches.contains($0.0) }
    }

    /// The rows that are left out if nothing is fetched.
    private static let ofFetches = ["allocators", "files fetched to", "assets"]

    private var planText: String {
        let plan = run.plan
        let settings = Setting.inReports.filter { plan.fetches || !$0.isOfFetch }
        let parts =
            ["\(plan.cases.count) cases × \(plan.trials) trials"]
            + settings.compactMap { $0.told(SettingValues(plan)) }
            + (plan.settings.request.map { ["requested with \($0.text)"] } ?? [])
        return parts.joined(separator: ", ")
    }

    private var allocators: String {
        let named = run.environment.allocators.sorted { $0.key < $1.key }.map { arm, identity in
            "\(arm): \(identity.name) \(identity.shortVersion)"
        }
        return named.isEmpty ? "none verified" : named.joined(separator: "; ")
    }

    private func text(of asset: Asset) -> String {
        let size = asset.byteCount.map { " \($0.rawValue) bytes" } ?? ""
        let hash = asset.sha256.map { ", SHA-256 \($0.prefix(16))…" } ?? ""
        let place = asset.isEmbedded ? "" : " from \(asset.location)"
        return "\(asset.name)\(size)\(hash)\(place)"
    }
}
