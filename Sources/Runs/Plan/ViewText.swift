// SPDX-License-Identifier: Apache-2.0

import Texts
package import TrialKit

/// The size of the view, as it is typed: points and a scale, or pixels.
package enum ViewText {
    private static let longestSide = 65_535
    private static let mostPixels = 100_000_000

    /// Parses a view such as `390x844@3` (points and scale) or `1170x2532` (pixels).
    package static func settings(parsing text: String) throws(PlanMistake) -> RenderSettings {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false).map(String.init)
        let sides = parts[0].split(separator: "x", omittingEmptySubsequences: false).map { side(String($0)) }
        let scale = parts.count == 2 ? Double(parts[1]) : 1
        guard parts.count <= 2, sides.count == 2, let width = sides[0], let height = sides[1], let scale,
            (0.1...16).contains(scale)
        else {
            throw PlanMistake(
                "invalid --view '\(SafeText.forTerminal(text))': expected points and scale such as 390x844@3, or pixels such "
                    + "as 1170x2532")
        }
        let pixels = [width, height].map { Int((Double($0) * scale).rounded()) }
        guard pixels.allSatisfy({ (1...longestSide).contains($0) }), pixels[0] * pixels[1] <= mostPixels else {
            throw PlanMistake(
                "invalid --view '\(SafeText.forTerminal(text))' (\(pixels[0])×\(pixels[1]) pixels): expected sides of 1 to "
                    + "\(longestSide) and at most \(mostPixels) pixels")
        }
        return RenderSettings(viewWidth: pixels[0], viewHeight: pixels[1])
    }

    /// The view in pixels, as it is typed.
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
