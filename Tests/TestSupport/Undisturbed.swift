// SPDX-License-Identifier: Apache-2.0

/// Repeats a measurement that a busy machine can disturb, until it was not disturbed.
///
/// The bounds of a test stay as strict as the instrument: the machine gets further chances, not wider bounds.
/// - Returns: The first undisturbed measurement, or the last one of all attempts.
package func undisturbed<Value>(
    attempts: Int = 6, _ measure: (_ attempt: Int) async throws -> Value, if isUndisturbed: (Value) throws -> Bool
) async throws -> Value {
    for attempt in 1..<attempts {
        let value = try await measure(attempt)
        if try isUndisturbed(value) { return value }
    }
    return try await measure(attempts)
}
