// SPDX-License-Identifier: Apache-2.0

import MemProbe
package import Runs
package import TrialKit

/// The URLs of a trial's asset and warm-up, as a function of the case.
package struct TrialAddress: Sendable {
    /// The URL of the asset; that of the warm-up in the null case.
    package let url: String
    /// The URL of 1 KiB of text (JSON for an asset of JSON), encoded like the asset: every mode can fetch it.
    package let warmupURL: String
    /// The members of a set with their URLs; `nil` for a single asset.
    package let members: [ScenarioAsset]?
    /// The path of the authority to trust; `nil` for the system's.
    package let certificateAuthorityPath: String?

    private static let text = "/text/1KiB?rate=unlimited"
    private static let document = "/json/1KiB?rate=unlimited"

    package init(conditions: FetchConditions, asset: Asset?, inputs: TrialInputs) {
        let secure = conditions.scheme == .https ? inputs.place.secureOrigin : nil
        let offered = conditions.http == .http2 ? secure?.http2URL : secure?.url
        let origin = offered ?? inputs.place.originURL
        let isEncoded = asset?.isEmbedded == true
        let warmup = isEncoded && asset?.mediaType == "application/json" ? Self.document : Self.text
        warmupURL = origin + (isEncoded ? Self.location(warmup, sentIn: conditions.transfer) : warmup)
        certificateAuthorityPath =
            asset?.isEmbedded == false ? inputs.place.authorityPath : secure?.certificateAuthorityPath
        members = asset?.members?.map {
            ScenarioAsset($0, at: origin + Self.location($0.location, sentIn: conditions.transfer))
        }
        guard let asset else {
            url = warmupURL
            return
        }
        url =
            asset.isEmbedded
            ? origin + Self.location(asset.location, sentIn: conditions.transfer)
            : inputs.url ?? warmupURL
    }

    /// Adds the transfer encoding to a path of the embedded origin.
    private static func location(_ path: String, sentIn transfer: TransferEncoding) -> String {
        guard transfer != .length else { return path }
        return path + (path.contains("?") ? "&" : "?") + "encoding=\(transfer.rawValue)"
    }
}

extension ScenarioAsset {
    fileprivate init(_ asset: Asset, at url: String) {
        self.init(
            name: asset.name, url: url, mediaType: asset.mediaType ?? "", byteCount: asset.byteCount?.rawValue ?? 0,
            sha256: asset.sha256 ?? "", width: asset.width, height: asset.height)
    }
}
