// SPDX-License-Identifier: Apache-2.0

package import TrialKit

/// The redaction of a request's secrets in texts that may quote it.
package enum RedactedRequest {
    /// Returns the text without header values, whole or by long words, and without the path of the body.
    package static func text(_ text: String, without details: RequestDetails) -> String {
        let values = details.fields.map(\.value)
        // `Bearer TOKEN` may be quoted as the token alone; short words may occur by chance.
        let words = values.flatMap { $0.split { " ,;=".contains($0) }.map(String.init) }.filter { $0.count > 7 }
        let secrets = values.filter { $0.count > 2 } + words + [details.body?.path].compactMap(\.self)
        return SecretText.text(text, without: secrets, withinWordsFrom: 8)
    }
}
