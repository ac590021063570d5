// SPDX-License-Identifier: Apache-2.0

import Judging
import Runs

/// The machines that measured the shards of a run, and the changes on each.
struct HostsSection {
    let run: RunRecord
    var findings: [Finding] = []

    var section: DocumentSection {
        let hosts = hosts
        let tables = [
            DocumentTable("The hosts", hosts, subject: "host"),
            DocumentTable("Changes on each host: medians, in MiB", changes, subject: "host", counts: ["n"]),
        ]
        return DocumentSection(
            "hosts", "Hosts", tables: tables.filter { !$0.rows.isEmpty }, legend: hosts.rows.isEmpty ? [] : legend)
    }

    private var legend: [String] {
        let mixed =
            findings.isEmpty
            ? "The figures of a case are those of one host." : "Both sides of a pair were measured on one host."
        return [
            mixed + " Noise: the usual variation of the whole peak between trials of one case and side.",
            "Error bound: by how much the kernel's high-water mark may be low.",
        ]
    }

    private var hosts: TextTable {
        var table = TextTable(
            ["host", "processor", "kernel", "CPUs", "memory", "error bound", "trials", "noise"], words: 3)
        let trials = Dictionary(grouping: run.trials) { $0.host ?? "" }
        table.rows = (run.sharding?.hosts ?? []).map { host in
            let machine = host.environment
            let own = trials[host.identifier] ?? []
            return [
                host.identifier, SafeText.forTerminal(machine.label ?? machine.processor ?? FigureText.absent),
                SafeText.forTerminal(machine.kernel), "\(machine.processorCount)",
                machine.memory.map { ByteText.mebibytes($0) } ?? FigureText.absent,
                "\(machine.peakErrorBound.rawValue / 1024) KiB", "\(own.count)",
                FigureText.percent(Self.noise(of: own)),
            ]
        }
        return table
    }

    /// The median of the variations of all cases and sides; `nil` without two trials of any.
    private static func noise(of trials: [Trial]) -> Double? {
        struct Group: Hashable {
            let cell: Case
            let side: Side?
        }
        let groups = Dictionary(grouping: trials.filter(\.isCompleted)) { Group(cell: $0.cell, side: $0.pairing?.side) }
        let variations = groups.values.compactMap { trials in
            Distribution(trials.compactMap(Metric.peakResident.value))?.coefficientOfVariation
        }
        return Distribution(variations)?.median
    }

    /// The changes of findings that count, or that differ between hosts.
    private var changes: TextTable {
        var table = TextTable(["case", "metric", "host", "base", "head", "change", "n"], words: 3)
        for finding in findings {
            guard let over = finding.overHosts, let scale = finding.scale, let limit = finding.limit,
                finding.hasMoved || over.differ(by: limit / scale)
            else { continue }
            let figures = FindingFigures(of: finding)
            for change in over.changes {
                table.rows.append([
                    finding.cell, JudgementText.metricName(finding.metric), change.host, figures.cell(change.base),
                    figures.cell(change.head),
                    JudgementText.signed(change.effect * scale / figures.divisor, places: 2), "\(change.headTrials)",
                ])
            }
        }
        return table
    }
}
