// SPDX-License-Identifier: Apache-2.0

import Runs
import Testing
import TrialKit

/// The size of the view, as it is typed and as it is told.
struct ViewTextTests {
    @Test(arguments: [
        ("390x844@3", 1170, 2532), ("1170x2532", 1170, 2532), ("390x260", 390, 260), ("1x1@1", 1, 1),
        ("411x731@2.625", 1079, 1919), ("65535x1", 65_535, 1),
    ])
    func pointsBecomePixels(text: String, width: Int, height: Int) throws {
        let settings = try ViewText.settings(parsing: text)
        #expect([settings.viewWidth, settings.viewHeight] == [width, height])
        #expect(settings.maximumPixels == RenderSettings().maximumPixels, "nothing else changes")
        #expect(try ViewText.settings(parsing: ViewText.text(of: settings)) == settings)
    }

    @Test(arguments: [
        "", "390", "390x", "x844", "390x844@", "390x844@x", "390x844@3@3", "390X844", "3.5x4", "-1x4", "390x844x3",
        "390x844@nan", "390x844@0", "390x844@17", "1234567x1",
    ])
    func whatIsNoViewIsRefused(text: String) {
        let words =
            "invalid --view '\(text)': expected points and scale such as 390x844@3, or pixels such as 1170x2532"
        #expect(throws: PlanMistake(words)) { try ViewText.settings(parsing: text) }
    }

    @Test(arguments: ["0x4", "65536x1", "390x844@0.001", "20000x20000"])
    func aViewThatNobodyHasIsRefusedWithItsPixels(text: String) {
        #expect(throws: PlanMistake.self) { try ViewText.settings(parsing: text) }
    }
}
