// SPDX-License-Identifier: Apache-2.0

import Foundation
import SupportText

/// The profile itself as JSON: what all other formats can be made of again.
package enum ProfileDocument {
    /// The document, with sorted keys.
    package static func text(of profile: HolderProfile) -> String {
        JSONText.pretty(profile)
    }

    /// Reads a document.
    /// - Throws: ``HolderProfileError`` where it is no profile, was cut off, or is of another version.
    package static func profile(parsing bytes: [UInt8]) throws(HolderProfileError) -> HolderProfile {
        let data = Data(bytes)
        let decoder = JSONDecoder()
        guard let version = try? decoder.decode(Version.self, from: data).version else {
            throw .malformed(reason: "there is no version in it")
        }
        guard version == HolderProfile.currentVersion else { throw .unknownVersion(version) }
        let profile: HolderProfile
        do {
            profile = try decoder.decode(HolderProfile.self, from: data)
        } catch let error as DecodingError {
            throw .malformed(reason: words(of: error))
        } catch {
            throw .malformed(reason: "it is no JSON")
        }
        if let flaw = profile.flaw { throw .malformed(reason: flaw) }
        return profile
    }

    private struct Version: Decodable {
        let version: Int
    }

    private static func words(of error: DecodingError) -> String {
        let path =
            switch error {
            case .keyNotFound(let key, let context): context.codingPath + [key]
            case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
                context.codingPath
            @unknown default: [any CodingKey]()
            }
        let name = path.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: "/")
        return name.isEmpty ? "it is no JSON" : "\(name) is missing or of another kind"
    }
}
