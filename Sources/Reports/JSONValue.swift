// SPDX-License-Identifier: Apache-2.0

import Statistics

/// A part of a JSON document; properties that are `nil` are left out.
enum JSONValue: Encodable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByDictionaryLiteral {
    case text(String)
    case whole(Int)
    case number(Double)
    case truth(Bool)
    case list([JSONValue])
    case object([String: JSONValue])
    case coded(any Encodable)

    init(stringLiteral value: String) { self = .text(value) }
    init(integerLiteral value: Int) { self = .whole(value) }
    init(dictionaryLiteral elements: (String, JSONValue?)...) { self = .object(elements) }

    static func object(_ properties: [(String, JSONValue?)]) -> JSONValue {
        .object(Dictionary(properties.compactMap { name, value in value.map { (name, $0) } }) { first, _ in first })
    }

    /// The median and spread of a figure in its unit.
    init(_ unit: some RawRepresentable<String>, _ values: Distribution) {
        self = [
            "unit": .text(unit.rawValue), "median": .number(values.median), "min": .number(values.minimum),
            "max": .number(values.maximum), "mad": .number(values.medianAbsoluteDeviation),
        ]
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let text): try container.encode(text)
        case .whole(let number): try container.encode(number)
        case .number(let number): try container.encode(number)
        case .truth(let truth): try container.encode(truth)
        case .list(let values): try container.encode(values)
        case .object(let properties): try container.encode(properties)
        case .coded(let value): try value.encode(to: encoder)
        }
    }
}
