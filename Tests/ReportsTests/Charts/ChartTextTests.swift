// SPDX-License-Identifier: Apache-2.0

import Charts
import Testing

struct ChartTextTests {
    @Test(arguments: [
        (0.0, 2, "0.00"), (-0.001, 2, "0.00"), (1.005, 0, "1"), (25.03, 1, "25.0"), (-3.25, 1, "-3.3"),
        (0.05, 2, "0.05"), (1234.5, 0, "1235"), (.nan, 2, "–"), (.infinity, 0, "–"),
    ])
    func numbersHaveAFixedNumberOfPlaces(value: Double, places: Int, text: String) {
        #expect(ChartText.fixed(value, places: places) == text)
    }

    @Test func nothingInATextIsMarkup() {
        #expect(ChartText.escaped("<script a=\"b\" c='d'>&") == "&lt;script a=&quot;b&quot; c=&#39;d&#39;&gt;&amp;")
        // A mark that combines with a quotation mark makes one character of both.
        #expect(ChartText.escaped("\"\u{301}").unicodeScalars.contains("\"") == false)
        #expect(ChartText.escaped("\u{1B}[0m\u{0}") == "\u{FFFD}[0m\u{FFFD}")
    }
}
