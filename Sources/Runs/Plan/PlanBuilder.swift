// SPDX-License-Identifier: Apache-2.0

package import TrialKit

/// The construction of a plan: every case of the matrix, measurable or not, and the null case.
package struct PlanBuilder: Sendable {
    private let modes: [PlannedMode]
    private let models: [RenderModelDeclaration]
    private let parameters: [CommandParameter]
    private let closestModes: [String: String]

    /// - Parameters:
    ///   - parameters: The parameters of the plain commands among the modes.
    ///   - closestModes: The only mode of each loader, by the loader's name; empty if every mode is measured.
    package init(
        modes: [PlannedMode], models: [RenderModelDeclaration], parameters: [CommandParameter] = [],
        closestModes: [String: String] = [:]
    ) {
        self.closestModes = closestModes
        self.modes = modes
        self.models = models
        self.parameters = parameters
    }

    /// Returns the plan.
    ///
    /// The null case always comes first for each allocator, as the floor.
    /// - Parameter unavailable: The allocators that this machine does not have, with the reason.
    package func plan(
        assets: [Asset], allocators: [AllocatorArm], conditions: [FetchConditions] = [.standard],
        unavailable: [AllocatorArm: String] = [:], trials: Int, seed: UInt64, settings: TrialSettings
    ) -> Plan {
        var cases: [Case] = []
        var inapplicable: [InapplicableCase] = []
        for cell in matrix(assets: assets, allocators: allocators, conditions: conditions) {
            let obstacle = obstacle(to: cell, assets: assets, settings)
            if let reason = unavailable[cell.allocator] ?? obstacle {
                inapplicable.append(InapplicableCase(cell: cell, reason: reason))
            } else {
                cases.append(cell)
            }
        }
        return Plan(
            assets: assets, modes: modes.map(\.name), commands: modes.compactMap(\.command),
            renders: models.map(\.name), allocators: allocators,
            trials: trials, seed: seed, settings: settings, cases: cases, inapplicable: inapplicable)
    }

    private func matrix(assets: [Asset], allocators: [AllocatorArm], conditions: [FetchConditions]) -> [Case] {
        // A plain command has no asset, no rendering and no conditions of a fetch.
        let plain = modes.compactMap(\.command).filter { !$0.fetches }.flatMap { command in
            CommandParameter.choices(of: parameters.filter(command.mentions)).flatMap { values in
                allocators.map { Case.plain(command.name, with: values, on: $0) }
            }
        }
        let modes = modes.filter(\.fetches)
        guard !modes.isEmpty else { return plain }
        let floors = Self.floors(of: conditions)
        var cells = floors.flatMap { floor in
            allocators.map { allocator in
                var cell = Case.null(on: allocator)
                cell.conditions = floor
                return cell
            }
        }
        for asset in assets {
            for mode in modes {
                for model in models where mode.name != Case.nullMode || model.needsBody {
                    for conditions in mode.name == Case.nullMode ? floors : conditions
                    where closestModes[conditions.loader, default: mode.name] == mode.name {
                        cells += allocators.map { allocator in
                            Case(
                                asset: asset.name, mode: mode.name, render: model.name, allocator: allocator,
                                conditions: conditions)
                        }
                    }
                }
            }
        }
        return cells + plain
    }

    /// Returns the conditions of null cases: standard but for the start, which decides from which mark growth counts.
    private static func floors(of conditions: [FetchConditions]) -> [FetchConditions] {
        conditions.reduce(into: []) { floors, conditions in
            var floor = FetchConditions.standard
            floor.start = conditions.start
            if !floors.contains(floor) { floors.append(floor) }
        }
    }

    private func obstacle(to cell: Case, assets: [Asset], _ settings: TrialSettings) -> String? {
        guard let mode = modes.first(where: { $0.name == cell.mode }),
            let model = models.first(where: { $0.name == cell.render }),
            let asset = assets.first(where: { $0.name == cell.asset })
        else { return nil }
        return CaseObstacle(
            cell: cell, planned: mode, model: model, asset: asset, maximumConnections: settings.maximumConnections,
            request: settings.request
        ).reason
    }
}
