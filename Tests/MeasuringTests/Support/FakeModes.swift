// SPDX-License-Identifier: Apache-2.0

import Runs
import TrialKit

/// A mode of which only the description is used.
struct FakeMode: FetchMode {
    let name: String
    var yieldsBody = true
    var schemes: Set<String> = ["http", "https"]
    var abilities: Set<ModeAbility> = []
    var need: AssetNeed?
    var showsItself = false
    let summary = "a description"
    let caveat: String? = nil

    func makeFetcher(_ settings: FetchSettings) throws(FetchFailure) -> any Fetcher {
        throw FetchFailure(.other, "this mode is only a description")
    }

    /// The modes of every plan in these tests.
    static let all: [any FetchMode] = [
        FakeMode(name: "none", yieldsBody: false), FakeMode(name: "data"), FakeMode(name: "download"),
        FakeMode(name: "stream"), FakeMode(name: "raw"),
    ]
}

/// A render model of which only the description is used.
struct FakeModel: RenderModel {
    let name: String
    var needsBody = true
    var takesPieces = false
    var need = AssetNeed.image
    let summary = "a description"

    func makeRenderer(_ settings: RenderSettings) throws(RenderFailure) -> any Renderer {
        throw RenderFailure(.system, "this model is only a description")
    }

    /// The models of every plan in these tests.
    static let all: [any RenderModel] = [
        FakeModel(name: "none", needsBody: false), FakeModel(name: "imageview"), FakeModel(name: "thumbnail"),
    ]
}

extension Plan {
    /// A plan of the fakes.
    static func synthetic(
        assets: [Asset] = [.hero], modes: [any FetchMode] = FakeMode.all, models: [any RenderModel] = FakeModel.all,
        allocators: [AllocatorArm] = [.glibc, .jemalloc], conditions: [FetchConditions] = [.standard],
        unavailable: [AllocatorArm: String] = [:], trials: Int = 3, seed: UInt64 = 42
    ) -> Plan {
        synthetic(
            assets: assets, planned: modes.map { PlannedMode(ModeDeclaration($0)) }, models: models,
            allocators: allocators, conditions: conditions, unavailable: unavailable, trials: trials, seed: seed)
    }

    /// A plan of fakes and commands.
    static func synthetic(
        assets: [Asset] = [.hero], planned: [PlannedMode], models: [any RenderModel] = FakeModel.all,
        allocators: [AllocatorArm] = [.glibc, .jemalloc], conditions: [FetchConditions] = [.standard],
        unavailable: [AllocatorArm: String] = [:], trials: Int = 3, seed: UInt64 = 42
    ) -> Plan {
        Plan(
            of: planned, renderedBy: models.map(RenderModelDeclaration.init), assets: assets, allocators: allocators,
            conditions: conditions, unavailable: unavailable, trials: trials, seed: seed, settings: TrialSettings())
    }
}
