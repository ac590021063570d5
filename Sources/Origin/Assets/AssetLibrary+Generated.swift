// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MemProbe
import Runs

extension AssetLibrary {
    private struct HashRecord: Codable {
        var byteCount: Int
        var seed: UInt64
        var generatorVersion: Int
        var sha256: String
    }

    /// Returns the description of a generated body, whose hash is computed once and stored.
    func generated<Body: GeneratedBody>(_ body: Body) throws(AssetError) -> Asset {
        let size = ByteCount(body.byteCount)
        var asset = Asset(
            name: AssetName.computed(Body.kind, size).text, location: body.path, isEmbedded: true, byteCount: size,
            sha256: try hash(of: body), mediaType: Body.mediaType)
        asset.recordCount = (body as? GeneratedJSON)?.recordCount
        return asset
    }

    private func hash<Body: GeneratedBody>(of body: Body) throws(AssetError) -> String {
        let name = "\(Body.kind.segment)-\(body.byteCount)-\(body.seed).json"
        return try store.locked(name) { () throws(AssetError) in
            if let bytes = try store.contents(name),
                let record = try? JSONDecoder().decode(HashRecord.self, from: Data(bytes)),
                record.generatorVersion == Body.version, record.byteCount == body.byteCount,
                record.seed == body.seed
            {
                return record.sha256
            }
            let record = HashRecord(
                byteCount: body.byteCount, seed: body.seed, generatorVersion: Body.version,
                sha256: try Digest.sha256(of: body))
            try store.replace(name, withJSONOf: record)
            return record.sha256
        }
    }
}

extension AssetFiles {
    /// Replaces a file atomically by a value as JSON.
    func replace(_ name: String, withJSONOf value: some Encodable) throws(AssetError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        let bytes: [UInt8]
        do {
            bytes = Array(try encoder.encode(value)) + [UInt8(ascii: "\n")]
        } catch {
            throw AssetError(.file, "cannot encode \(name): \(error)")
        }
        try replace(name, with: bytes)
    }
}
