// SPDX-License-Identifier: Apache-2.0

import TrialKit

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
        setReason ?? renderingReason ?? assetReason ?? schemeReason ?? requestReason ?? conditionsReason
    }

    var mode: ModeDeclaration { planned.declaration }

    private var name: String { mode.name }

    private var setReason: String? {
        // ScenarioObstacle decides about sets in scenarios.
        guard let members = asset.members, name != Case.nullMode, cell.conditions.scenario == .none else { return nil }
        let some = members.first.map { ", such as \($0.name)" } ?? ""
        return "asset \(asset.name) is a set of \(members.count) assets, and one fetch is of one of them\(some)"
    }

    private var renderingReason: String? {
        guard model.needsBody else { return nil }
        if mode.showsItself { return "mode \(name) decodes and shows pictures itself: ask for --render none" }
        guard mode.yieldsBody else {
            let lack = name == Case.nullMode ? "fetches nothing" : "leaves nothing in its process"
            return "mode \(name) \(lack) that \(model.name) could render"
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

    /// The reason that the model cannot decode the asset.
    private var renderedReason: String? {
        if model.need == .json {
            if mode.need == .json { return "mode \(name) decodes the records itself: ask for --render none" }
            return recordsReason("render model \(model.name)")
        }
        guard let mediaType = asset.mediaType, !mediaType.hasPrefix("image/") else { return nil }
        return "asset \(asset.name) is \(mediaType), no image that \(model.name) could render"
    }

    private func recordsReason(_ decoder: String) -> String? {
        guard !asset.isEmbedded || asset.mediaType != "application/json" else { return nil }
        return "asset \(asset.name) is none of the JSON documents whose records \(decoder) decodes, such as json-1MiB"
    }

    private var assetReason: String? {
        switch mode.need {
        case nil: return nil
        case .text:
            // The media type of a foreign URL is unknown until it is fetched.
            guard let mediaType = asset.mediaType, !mediaType.hasPrefix("text/") else { return nil }
            return "asset \(asset.name) is \(mediaType), no text that mode \(name) could make a string of"
        case .image:
            guard let mediaType = asset.mediaType, !mediaType.hasPrefix("image/") else { return nil }
            return "asset \(asset.name) is \(mediaType), no picture that mode \(name) could show"
        case .sink:
            return asset.isEmbedded ? nil : "mode \(name) uploads, and only the embedded origin has a sink for that"
        case .json: return recordsReason("mode \(name)")
        case .faults:
            return asset.isEmbedded
                ? nil : "mode \(name) asks for a URL that fails first, and only the embedded origin has one"
        }
    }

    private var schemeReason: String? {
        let scheme = asset.isEmbedded ? cell.conditions.scheme.rawValue : asset.scheme
        guard let scheme, !mode.schemes.contains(scheme), mode.name != Case.nullMode else { return nil }
        return "mode \(name) does not speak \(scheme)"
    }

    private var requestReason: String? {
        guard let request, !asset.isEmbedded, name != Case.nullMode else { return nil }
        if planned.command != nil {
            return "command \(name) makes its own request: write headers into it; their values are not stored"
        }
        guard mode.abilities.contains(.requestDetails) else {
            return "mode \(name) takes a URL and nothing else: it can send no header, no method and no body"
        }
        let scenario = cell.conditions.scenario
        guard scenario != .none, request.method != "GET" else { return nil }
        return "scenario \(scenario.name) asks in its own way: it can be given headers, no method and no body"
    }

    private var conditionsReason: String? {
        Dimension.all.lazy.filter { $0.isUnusual(in: cell.conditions) }.compactMap { $0.obstacle(self) }.first
    }
}
