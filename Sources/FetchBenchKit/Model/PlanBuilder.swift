// SPDX-License-Identifier: Apache-2.0

/// Makes a plan of what was asked for: every cell of the matrix, measurable or not, and the null case.
public struct PlanBuilder: Sendable {
    private let modes: [any FetchMode]
    private let models: [any RenderModel]

    /// Creates a builder for modes and models that were found in the catalogues.
    public init(modes: [any FetchMode], models: [any RenderModel]) {
        self.modes = modes
        self.models = models
    }

    /// Makes the plan.
    ///
    /// The null case stands first for each allocator, whether it was asked for or not: it shows the floor.
    /// - Parameter unavailable: the allocators that this machine does not have, with the reason.
    public func plan(
        assets: [Asset], allocators: [AllocatorArm], unavailable: [AllocatorArm: String] = [:], trials: Int,
        seed: UInt64, settings: TrialSettings
    ) -> Plan {
        var cases: [Case] = []
        var inapplicable: [InapplicableCase] = []
        for cell in matrix(assets: assets, allocators: allocators) {
            if let reason = unavailable[cell.allocator] ?? obstacle(to: cell, assets: assets) {
                inapplicable.append(InapplicableCase(cell: cell, reason: reason))
            } else {
                cases.append(cell)
            }
        }
        return Plan(
            assets: assets, modes: modes.map(\.name), commands: modes.compactMap { ($0 as? CommandMode)?.command },
            renders: models.map(\.name), allocators: allocators,
            trials: trials, seed: seed, settings: settings, cases: cases, inapplicable: inapplicable)
    }

    private func matrix(assets: [Asset], allocators: [AllocatorArm]) -> [Case] {
        var cells = allocators.map { Case.null(on: $0) }
        for asset in assets {
            for mode in modes {
                for model in models where mode.name != Case.nullMode || model.needsBody {
                    for allocator in allocators {
                        cells.append(
                            Case(asset: asset.name, mode: mode.name, render: model.name, allocator: allocator))
                    }
                }
            }
        }
        return cells
    }

    private func obstacle(to cell: Case, assets: [Asset]) -> String? {
        guard let mode = modes.first(where: { $0.name == cell.mode }),
            let model = models.first(where: { $0.name == cell.render }),
            let asset = assets.first(where: { $0.name == cell.asset })
        else { return nil }
        if model.needsBody, !mode.yieldsBody {
            let lack = mode.name == Case.nullMode ? "fetches nothing" : "leaves nothing in its process"
            return "mode \(mode.name) \(lack) that \(model.name) could render"
        }
        if model.needsBody, let mediaType = asset.mediaType, !mediaType.hasPrefix("image/") {
            return "asset \(asset.name) is \(mediaType), no image that \(model.name) could render"
        }
        return nil
    }
}
