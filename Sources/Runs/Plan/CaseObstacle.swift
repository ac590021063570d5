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
        let some = members.first.map { ", such as \($0.name)" } ?? ""
        return "asset \(asset.name) is a set of \(members.count) assets; give one of them\(some), or a --scenario"
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

    /// The reason that the model cannot decode the asset.
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
