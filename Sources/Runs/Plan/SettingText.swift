// SPDX-License-Identifier: Apache-2.0

package enum TransferRate: Hashable, Sendable {
    case unlimited
    /// An evenly paced rate of each answer, more than 0.
    case each(ByteCount)
    /// The rate of a line that all answers share, more than 0.
    case shared(ByteCount)

    /// The default rate: 60 MiB a second.
    ///
    /// Pacing gives every trial the same rhythm, independent of the machine's speed.
    package static let standard = TransferRate.each(.mebibytes(60))

    /// Parses `unlimited` or bytes per second, such as `60MiB`, `60MiB/s` or `shared:200KiB`; a rate of 0 is invalid.
    package init?(parsing text: String) {
        if text == "unlimited" {
            self = .unlimited
            return
        }
        let isShared = text.hasPrefix(Self.sharedPrefix)
        var size = isShared ? text.dropFirst(Self.sharedPrefix.count) : text[...]
        if size.hasSuffix("/s") { size.removeLast(2) }
        guard let bytes = ByteCount(parsing: String(size)), bytes > .zero else { return nil }
        self = isShared ? .shared(bytes) : .each(bytes)
    }

    private static let sharedPrefix = "shared:"

    package var bytesPerSecond: ByteCount? {
        switch self {
        case .unlimited: nil
        case .each(let bytes), .shared(let bytes): bytes
        }
    }

    /// The rate in a form that can be parsed again: `unlimited`, `60MiB`, `shared:200000B`.
    package var text: String {
        switch self {
        case .unlimited: "unlimited"
        case .each(let bytes): bytes.exactText
        case .shared(let bytes): Self.sharedPrefix + bytes.exactText
        }
    }
}

extension TrialSettings {
    package var bodyOfK: String { request?.bodyByteCount == nil ? "the file" : "the larger of request and answer" }

    package var paceText: String {
        let after = latencyNanoseconds.map { ", each \(DurationText.text(ofNanoseconds: $0)) after its request" } ?? ""
        let pace = TransferRate(parsing: rate)
        guard let bytes = pace?.bytesPerSecond else { return "The embedded origin sends at full speed\(after)." }
        let (text, isShared) = (bytes.exactText, pace == .shared(bytes))
        let number = text.prefix(while: \.isNumber)
        let size = "\(number) \(text.dropFirst(number.count))/s"
        if pace == .standard, after.isEmpty {
            return "The embedded origin sends \(size); use --rate unlimited for throughput."
        }
        return "The embedded origin sends \(size) in \(isShared ? "all answers together" : "each answer")\(after)."
    }
}

/// A named line to the embedded origin: the rate of all answers together, and a round trip for each request.
///
/// It simulates nothing else of a network: no handshake delays, no packet loss.
package struct NetworkProfile: Hashable, Sendable {
    /// The value of `--profile`.
    package let name: String
    package let rate: String
    /// The delay before each answer, in nanoseconds.
    package let latencyNanoseconds: Int
    package let source: String

    /// Every profile, from slow to fast.
    package static let all = [
        NetworkProfile(
            name: "3g", rate: "shared:200000", latencyNanoseconds: 300_000_000,
            source: "WebPageTest's 3G: 1.6 Mbit/s, 300 ms round trip"),
        NetworkProfile(
            name: "lte", rate: "shared:1500000", latencyNanoseconds: 70_000_000,
            source: "WebPageTest's LTE: 12 Mbit/s, 70 ms round trip"),
        NetworkProfile(
            name: "wifi", rate: "shared:3750000", latencyNanoseconds: 40_000_000,
            source: "WIFI (good) of the tool Comcast: 30 Mbit/s, 40 ms"),
    ]
}

/// The size of the view, as it is typed: points and a scale, or pixels.
package enum ViewText {
    private static let longestSide = 65_535
    private static let mostPixels = 100_000_000

    /// Parses a view such as `390x844@3` (points and scale) or `1170x2532` (pixels).
    package static func settings(parsing text: String) throws -> RenderSettings {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false).map(String.init)
        let sides = parts[0].split(separator: "x", omittingEmptySubsequences: false).map { side(String($0)) }
        let scale = parts.count == 2 ? Double(parts[1]) : 1
        guard parts.count <= 2, sides.count == 2, let width = sides[0], let height = sides[1], let scale,
            (0.1...16).contains(scale)
        else {
            throw FetchBenchError(
                usage:
                    "invalid --view '\(SafeText.forTerminal(text))': expected points and scale such as 390x844@3, or pixels such "
                    + "as 1170x2532")
        }
        let pixels = [width, height].map { Int((Double($0) * scale).rounded()) }
        guard pixels.allSatisfy({ (1...longestSide).contains($0) }), pixels[0] * pixels[1] <= mostPixels else {
            throw FetchBenchError(
                usage:
                    "invalid --view '\(SafeText.forTerminal(text))' (\(pixels[0])×\(pixels[1]) pixels): expected sides of 1 to "
                    + "\(longestSide) and at most \(mostPixels) pixels")
        }
        return RenderSettings(viewWidth: pixels[0], viewHeight: pixels[1])
    }

    package static func text(of settings: RenderSettings) -> String {
        "\(settings.viewWidth)x\(settings.viewHeight)"
    }

    /// The view as it is typed, or `nil` if it is the default.
    package static func unusual(_ settings: RenderSettings) -> String? {
        text(of: settings) == text(of: RenderSettings()) ? nil : text(of: settings)
    }

    /// Parses a side: only digits, and few enough that the product cannot overflow.
    private static func side(_ text: String) -> Int? {
        guard (1...6).contains(text.count), text.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
        return Int(text)
    }
}
