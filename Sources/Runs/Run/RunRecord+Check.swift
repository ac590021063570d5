// SPDX-License-Identifier: Apache-2.0

import MemProbe
import TrialKit

extension RunRecord {
    /// Checks the stored head and throws its first mistake; trials are checked separately.
    func check() throws(DocumentMistake) {
        var fields = FieldChecks()
        fields.check(plan, "plan")
        fields.check(environment, "environment")
        for (cell, floors) in noise?.values ?? [:] {
            for (metric, floor) in floors {
                fields.figure(floor, "noise.\(DocumentMistake.shown(cell)).\(DocumentMistake.shown(metric))")
            }
        }
        let mistakes = fields.mistakes + FigureCheck.mistakes(in: scenarios ?? [], besides: [])
        if let mistake = mistakes.first { throw mistake }
    }
}

extension FieldChecks {
    /// The largest number of trials of each case.
    private static let mostTrials = 10_000

    /// Checks that a stored plan can be calculated with and resumed.
    package mutating func check(_ plan: Plan, _ name: String) {
        let place = { name }
        number(plan.trials, "trials", place, to: Bound(Self.mostTrials))
        for setting in Setting.all { setting.check(plan.settings, &self, place) }
        size(plan.settings.request?.bodyByteCount, "settings.request.body_bytes", place, to: Bound(Limits.body))
        for index in plan.assets.indices where !isFull { check(plan.assets[index], { name + ".assets[\(index)]" }) }
        var cases: Set<String> = []
        for index in plan.cases.indices where !isFull {
            check(plan.cases[index].conditions, { name + ".cases[\(index)].conditions" })
            if !cases.insert(plan.cases[index].identifier).inserted {
                add("cases[\(index)]", "is there twice", in: place)
            }
        }
    }

    private mutating func check(_ asset: Asset, _ place: Place) {
        size(asset.byteCount, "bytes", place, to: Bound(Limits.body))
        number(asset.width, "width", place, to: Bound(1 << 31))
        number(asset.height, "height", place, to: Bound(1 << 31))
        for member in asset.members ?? [] where !isFull {
            size(member.byteCount, "members.bytes", place, to: Bound(Limits.body))
            number(member.width, "members.width", place, to: Bound(1 << 31))
            number(member.height, "members.height", place, to: Bound(1 << 31))
        }
    }

    /// Checks the properties of a stored machine.
    package mutating func check(_ environment: MachineEnvironment, _ name: String) {
        let place = { name }
        number(environment.processorCount, "processors", place, from: 1, to: Bound(Limits.threads))
        size(environment.pageSize, "page_size_bytes", place, from: 1, to: Bound(1 << 30))
        size(environment.memory, "memory", place, to: Bound(Limits.memory))
        size(environment.peakErrorBound, "peak_error_bound_bytes", place, to: Bound(Limits.memory))
    }
}
