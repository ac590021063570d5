// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A line from a probe to the harness: `{"fact":"error","value":"-999"}` or `{"mark":"after","settles":true}`.
package enum ProbeLine: Hashable {
    case fact(Fact)
    /// A point at which the child waits for one byte while kernel and origin are read.
    case mark(String, settles: Bool)

    private struct Form: Codable {
        var fact: String?
        var value: String?
        var mark: String?
        var settles: Bool?
    }

    /// Parses a line; returns `nil` for any other, because the API under test may print, too.
    package init?(parsing text: String) {
        guard let form = try? JSONDecoder().decode(Form.self, from: Data(text.utf8)) else { return nil }
        if let name = form.fact, let value = form.value {
            self = .fact(Fact(name, value))
        } else if let name = form.mark {
            self = .mark(name, settles: form.settles ?? false)
        } else {
            return nil
        }
    }

    package var text: String {
        let form =
            switch self {
            case .fact(let fact): Form(fact: fact.name, value: fact.value)
            case .mark(let name, let settles): Form(mark: name, settles: settles)
            }
        let json = (try? JSONEncoder().encode(form)).map { String(decoding: $0, as: UTF8.self) }
        return (json ?? "{}") + "\n"
    }
}
