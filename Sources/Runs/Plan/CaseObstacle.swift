// SPDX-License-Identifier: Apache-2.0

/// The reason why a case cannot be measured: a limit of its mode, or a property of its asset.
struct CaseObstacle {
    let cell: Case
    let planned: PlannedMode
    let model: RenderModelDeclaration
    let asset: Asset
    /// The maximum number of connections to one host, or `nil` for the mode's default.
    let maximumConnections: Int?
    /// The details of requests for a foreign URL, or `nil` if there are none.
    var request: RequestOutline?

    var reason: String? {
        allocatorReason ?? setReason ?? renderingReason ?? assetReason ?? schemeReason ?? requestReason
            ?? conditionsReason
    }

    var mode: ModeDeclaration { planned.declaration }

    private var name: String { mode.name }

    private var allocatorReason: String? {
        guard name != Case.nullMode, planned.bringsAllocator != (cell.allocator == .own) else { return nil }
        return planned.bringsAllocator
            ? "mode \(name) brings an allocator of its own (\(planned.allocatorName ?? "")): use --allocator own"
            : "\(planned.command == nil ? "mode" : "command") \(name) brings no allocator of its own: use --allocator glibc"
    }

    private var setReason: String? {
        // ScenarioObstacle decides about sets in scenarios.
        guard let members = asset.members, name != Case.nullMode, cell.conditions.scenario == .none else { return nil }
        let (some, count) = (members.first.map { ", such as \($0.name)" } ?? "", cell.conditions.concurrency)
        if count > 1, count <= members.count, mode.need == nil || mode.need == .image { return nil }
        return
            "asset \(asset.name) is a set of \(members.count) assets; give one of them\(some), a --scenario, or --concurrency 2 to "
            + "\(members.count) (for modes that fetch any asset)"
    }

    private var renderingReason: String? {
        guard model.needsBody else { return nil }
        if mode.showsItself { return "mode \(name) decodes pictures itself: use --render none" }
        guard mode.yieldsBody else {
            let lack = name == Case.nullMode ? "does not fetch" : "keeps nothing in memory"
            return "mode \(name) \(lack), so \(model.name) cannot render anything"
        }
        if let models = planned.models, !models.contains(model.name) {
            return
                "the program of mode \(name) has no render model \(model.name); it has \(models.joined(separator: ", "))"
        }
        if let reason = renderedReason { return reason }
        if model.takesPieces, mode.abilities.isDisjoint(with: [.pieces, .file]) {
            return
                "mode \(name) holds the body in memory as a whole; \(model.name) decodes pieces as they arrive or from a file"
        }
        return nil
    }

    private var renderedReason: String? {
        if model.need == .json {
            if mode.need == .json { return "mode \(name) decodes records itself: use --render none" }
            return recordsReason("render model \(model.name)")
        }
        guard let mediaType = asset.mediaType, !mediaType.hasPrefix("image/") else { return nil }
        return "asset \(asset.name) is \(mediaType), and \(model.name) renders only images"
    }

    private func recordsReason(_ decoder: String) -> String? {
        guard !asset.isEmbedded || asset.mediaType != "application/json" else { return nil }
        return "\(decoder) decodes only JSON assets such as json-1MiB, and asset \(asset.name) is not one"
    }

    private var assetReason: String? {
        switch mode.need {
        case nil: return nil
        case .text:
            // The media type of a foreign URL is unknown until it is fetched.
            guard let mediaType = asset.mediaType, !mediaType.hasPrefix("text/") else { return nil }
            return "asset \(asset.name) is \(mediaType), and mode \(name) needs text"
        case .image:
            guard let mediaType = asset.mediaType, !mediaType.hasPrefix("image/") else { return nil }
            return "asset \(asset.name) is \(mediaType), and mode \(name) needs an image"
        case .sink:
            return asset.isEmbedded ? nil : "mode \(name) uploads, which needs the embedded origin"
        case .json: return recordsReason("mode \(name)")
        case .faults:
            return asset.isEmbedded
                ? nil : "mode \(name) requests a URL that fails first, which needs the embedded origin"
        }
    }

    private var schemeReason: String? {
        let scheme = asset.isEmbedded ? cell.conditions.scheme.rawValue : asset.scheme
        guard let scheme, !mode.schemes.contains(scheme), mode.name != Case.nullMode else { return nil }
        return "mode \(name) does not support \(scheme)"
    }

    private var requestReason: String? {
        guard let request, !asset.isEmbedded, name != Case.nullMode else { return nil }
        if planned.command != nil {
            return "command \(name) makes its own request: put headers into the command (their values are not stored)"
        }
        guard mode.abilities.contains(.requestDetails) else {
            return "mode \(name) accepts only a URL: no headers, method or body"
        }
        let scenario = cell.conditions.scenario
        guard scenario != .none, request.method != "GET" else { return nil }
        return "scenario \(scenario.name) accepts headers, but no method and no body"
    }

    private var conditionsReason: String? {
        Dimension.all.lazy.filter { $0.isUnusual(in: cell.conditions) }.compactMap { $0.obstacle(self) }.first
    }
}

/// The reason why a mode cannot run a scenario with an asset and a render model.
struct ScenarioObstacle {
    private let cell: CaseObstacle
    private let choice: ScenarioChoice

    init(_ cell: CaseObstacle) {
        self.cell = cell
        choice = cell.cell.conditions.scenario
    }

    private var mode: String { cell.mode.name }

    var reason: String? {
        if cell.planned.command != nil { return "command \(mode) fetches once, so --scenario does not apply" }
        guard let scenario = cell.planned.scenarios.first(where: { $0.name == choice.name }) else {
            return "the program of mode \(mode) does not support scenario \(choice.name): \(choice.remedy)"
        }
        if cell.cell.conditions.start == .cold { return "scenarios always warm up: --start cold does not apply" }
        return modeReason(scenario) ?? assetReason(scenario) ?? renderReason(scenario) ?? conditionReason(scenario)
    }

    private func conditionReason(_ scenario: ScenarioDeclaration) -> String? {
        let conditions = cell.cell.conditions
        let isSingle = !scenario.needs.concurrency || scenario.variant(of: choice)?.fetchesSingly == true
        if conditions.concurrency > 1, isSingle {
            return "\(choice.text) sets its own concurrency: use --concurrency 1"
        }
        guard scenario.needs.length, conditions.transfer != .length else { return nil }
        return
            "scenario \(choice.name) needs a Content-Length; transfer \(conditions.transfer.rawValue) has none"
    }

    private func modeReason(_ scenario: ScenarioDeclaration) -> String? {
        if scenario.needs.body, !cell.mode.yieldsBody {
            return
                "mode \(mode) yields no body, which scenario \(choice.name) needs; a custom mode declares it with yieldsBody"
        }
        if scenario.needs.loader, cell.mode.showsItself {
            return "mode \(mode) decodes pictures itself, which the loader of \(choice.name) has to do"
        }
        if cell.mode.onCancel == .hangs, scenario.cancels(choice) {
            return
                "mode \(mode) can hang or trap when a fetch is cancelled, and \(choice.text) cancels (see `fetchbench "
                + "behaviours --only cancel-async-fast,cancel-download-async`)"
        }
        let needed = scenario.needs.abilities.union(scenario.variant(of: choice)?.abilities ?? [])
        let missing = needed.subtracting(cell.mode.abilities).sorted { $0.lack < $1.lack }
        guard !missing.isEmpty else { return nil }
        func joined(_ words: [String]) -> String { words.joined(separator: " and ") }
        return
            "mode \(mode) \(joined(missing.map(\.lack))), which \(choice.text) needs; a custom mode declares its abilities "
            + "(\(joined(missing.map(\.rawValue))))"
    }

    private func assetReason(_ scenario: ScenarioDeclaration) -> String? {
        if scenario.needs.set, cell.asset.members == nil {
            return
                "scenario \(choice.name) needs a set of pictures, such as --asset gallery; \(cell.asset.name) is a single asset"
        }
        if !scenario.needs.set, !scenario.needs.loader, let members = cell.asset.members {
            return "scenario \(choice.name) needs a single asset; \(cell.asset.name) is a set of \(members.count)"
        }
        let needsOrigin = scenario.needs.origin || scenario.variant(of: choice)?.needsOrigin == true
        guard needsOrigin, !cell.asset.isEmbedded else { return nil }
        return "\(choice.text) configures the embedded origin and cannot be combined with --url"
    }

    private func renderReason(_ scenario: ScenarioDeclaration) -> String? {
        guard scenario.needs.rendering == .none, cell.model.needsBody else { return nil }
        return "scenario \(choice.name) does its own rendering: use --render none"
    }
}

extension ModeAbility {
    /// The limitation of a mode without this ability, as a part of a sentence.
    var lack: String {
        switch self {
        case .concurrency: "fetches one body at a time"
        case .slowConsumer: "does not stream the body"
        case .sessionConfiguration: "does not use URLSession"
        case .gzip: "does not decode gzip"
        case .cancellation: "runs on when it is cancelled"
        case .resuming:
            "cannot resume an interrupted body (URLSession has no resume data on Linux; mode stream requests the rest "
                + "itself)"
        case .connectionLimit: "has no limit of connections"
        case .pieces: "does not deliver the body while it arrives"
        case .revalidation: "cannot revalidate a stored body"
        case .file: "does not store the body in a file"
        case .http2: "does not support HTTP/2"
        case .http1Only: "speaks HTTP/2 wherever the server does"
        case .requestDetails: "cannot send custom headers, methods or bodies"
        }
    }
}

extension ScenarioChoice {
    /// The way to get a program that runs the scenario, as a part of a sentence.
    fileprivate var remedy: String {
        CommonScenarios.all.contains { $0.name == name }
            ? "rebuild it with this version of TrialKit"
            : "a custom program supports it if a scenario of that name is passed to TrialProgram.run(modes:scenarios:)"
    }
}

extension ScenarioChoice {
    package func check(among scenarios: [ScenarioDeclaration]) throws {
        guard name != ScenarioChoice.none.name else {
            guard self == .none else {
                throw FetchBenchError(usage: "invalid --scenario: 'none' has no variant or count; use --scenario none")
            }
            return
        }
        if CommonScenarios.all.contains(where: { $0.name == name }),
            !scenarios.contains(where: { $0.name == name })
        {
            throw FetchBenchError(usage: "no program here supports scenario \(name): \(remedy)")
        }
        let scenario = try WordList.resolve(
            name, kind: "scenario", among: scenarios, name: \.name, listedBy: "list scenarios")
        if let variant = variant {
            _ = try WordList.resolve(
                variant, kind: "variant of \(scenario.name)", among: scenario.variants, name: \.name,
                listedBy: "list scenarios")
        }
        guard count == nil || scenario.usualCount != nil else {
            throw FetchBenchError(usage: "invalid --scenario: \(scenario.name) takes no count")
        }
    }
}
