// SPDX-License-Identifier: Apache-2.0

package import Runs

package struct EnvironmentMatch: Hashable, Sendable {
    /// The differences that change the figures without a change of the code, so that a comparison is impossible.
    package var hard: [String]
    package var soft: [String]

    package init(_ base: MachineEnvironment, _ head: MachineEnvironment) {
        hard = Self.differences([
            ("architecture", base.architecture, head.architecture),
            ("processors", "\(base.processorCount)", "\(head.processorCount)"),
            ("page size", "\(base.pageSize.rawValue)", "\(head.pageSize.rawValue)"),
            ("transparent huge pages", base.transparentHugePages ?? "", head.transparentHugePages ?? ""),
            ("C library", base.libc, head.libc),
            ("Swift", base.swift, head.swift),
            ("build configuration", base.buildConfiguration, head.buildConfiguration),
            ("exactness of readings", base.exactnessKind, head.exactnessKind),
            ("peak reset", "\(base.canResetPeak)", "\(head.canResetPeak)"),
            ("program pages", Self.readability(base), Self.readability(head)),
        ])
        if let first = base.conditions, let second = head.conditions {
            let names = Set(first.keys).union(second.keys).sorted()
            hard += Self.differences(names.map { ($0, first[$0] ?? "not set", second[$0] ?? "not set") })
        }
        for (arm, identity) in base.allocators.sorted(by: { $0.key < $1.key }) {
            guard let other = head.allocators[arm], other != identity else { continue }
            hard.append(
                "allocator \(arm): \(identity.name) \(identity.shortVersion) configured differently from "
                    + "\(other.name) \(other.shortVersion)")
        }
        soft = Self.differences([
            ("kernel", base.kernel, head.kernel),
            ("processor", base.processor ?? "", head.processor ?? ""),
            ("file system", base.temporaryFileSystem, head.temporaryFileSystem),
            ("machine", base.label ?? "", head.label ?? ""),
        ])
    }

    private static func method(of plan: Plan) -> String {
        (plan.settings.commands?.method ?? .automatic).rawValue
    }

    package static func differences(_ base: Plan, _ head: Plan) -> [String] {
        let (baseValues, headValues) = (SettingValues(base), SettingValues(head))
        let settings = Setting.all.compactMap(\.compared).map { ($0.name, $0.text(baseValues), $0.text(headValues)) }
        return differences(
            settings + [
                ("request", base.settings.request?.text ?? "GET", head.settings.request?.text ?? "GET"),
                ("method of reading processes", method(of: base), method(of: head)),
            ])
    }

    package static func differences(of cell: Case, _ base: Plan, _ head: Plan) -> [String] {
        var differences: [String] = []
        if let first = base.command(of: cell), let second = head.command(of: cell), first != second {
            differences.append("command \(cell.mode): another text")
        }
        if let first = base.asset(of: cell), let second = head.asset(of: cell),
            first.sha256 != second.sha256 || first.byteCount != second.byteCount
        {
            differences.append("asset \(cell.asset): other bytes")
        }
        return differences
    }

    /// Returns "readable" unless a run found the pages hidden: net figures need program pages on both sides.
    private static func readability(_ environment: MachineEnvironment) -> String {
        environment.canReadProgramPages == false ? "hidden" : "readable"
    }

    private static func differences(_ fields: [(name: String, base: String, head: String)]) -> [String] {
        fields.filter { $0.base != $0.head }.map { "\($0.name): \($0.base) and \($0.head)" }
    }
}
