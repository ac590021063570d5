// SPDX-License-Identifier: Apache-2.0

package import TrialKit

/// Takes the secrets of a request out of texts that may quote it.
package enum RedactedRequest {
    /// The text without the values of header fields, whole or a long word of them, and without the path of the body.
    package static func text(_ text: String, without details: RequestDetails) -> String {
        let values = details.fields.map(\.value)
        // `Bearer TOKEN` may be quoted as the token alone; a short word may be anything.
        let words = values.flatMap { $0.split { " ,;=".contains($0) }.map(String.init) }.filter { $0.count > 7 }
        let secrets = values.filter { $0.count > 2 } + words + [details.body?.path].compactMap(\.self)
        return SecretText.text(text, without: secrets, withinWordsFrom: 8)
    }
}
