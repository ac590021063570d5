// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Runs
import Texts

extension RunRecord {
    /// The facts about the machine and the plan.
    var machineItems: [DocumentSection.Item] {
        let machine = environment
        let memory = machine.memory.map { ", " + ByteText.mebibytes($0) } ?? ""
        let place = machine.label.map { [DocumentSection.Item("machine", $0)] } ?? []
        let rows: [DocumentSection.Item] = [
            .init(
                "processor",
                "\(machine.processor ?? "unknown") (\(machine.architecture), \(machine.processorCount) CPUs\(memory))"
            ),
            .init("kernel", "Linux \(machine.kernel), pages of \(machine.pageSize.rawValue) bytes"),
            .init("built with", "Swift \(machine.swift), \(machine.buildConfiguration), \(machine.libc)"),
            .init("allocators", allocators),
            .init("huge pages", "\(machine.transparentHugePages ?? "unknown") in the system, off in trials"),
            .init(
                "readings",
                "\(machine.exactness); the high-water mark may be low by at most \(machine.peakErrorWords)"
            ),
            .init(
                "files fetched to",
                machine.temporaryFileSystem + (machine.destinationFileSystem.map { ", other destination: \($0)" } ?? "")
            ),
            .init("plan", planText),
            .init("assets", plan.assets.map(text(of:)).joined(separator: "; ")),
            .init("measured", "\(startedAt) to \(finishedAt ?? "interrupted")"),
        ]
        return (place + rows).filter { plan.fetches || !Self.ofFetches.contains($0.term) }
    }

    /// The rows that are left out if nothing is fetched.
    private static let ofFetches = ["allocators", "files fetched to", "assets"]

    private var planText: String {
        let settings = Setting.inReports.filter { plan.fetches || !$0.isOfFetch }
        let parts =
            ["\(plan.cases.count) cases × \(plan.trials) trials"]
            + settings.compactMap { $0.told(SettingValues(plan)) }
            + (plan.settings.request.map { ["requested with \($0.text)"] } ?? [])
        return parts.joined(separator: ", ")
    }

    private var allocators: String {
        let named = environment.allocators.sorted { $0.key < $1.key }.map { arm, identity in
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
