// SPDX-License-Identifier: Apache-2.0

import Measuring
import Runs
import Testing

/// The names of the embedded origin's assets, as plans ask for them.
@Suite struct AssetNameTests {
    @Test func everyNameIsWhatItSays() {
        for name in AssetName.named { #expect(AssetName(parsing: name)?.text == name) }
        #expect(AssetName.named.count == 39 && AssetName.pictures.last == "gallery-36")
        for kind in ComputedKind.allCases {
            #expect(AssetName(parsing: kind.example)?.text == kind.example)
            #expect(AssetName(parsing: kind.prefix + "0")?.isEmpty == true)
        }
        #expect(AssetName(parsing: "1B")?.isEmpty == false && AssetName.gallery.isEmpty == false)
    }

    @Test func whatIsLargerThanTheLargestIsNone() {
        #expect(AssetName(parsing: "1TiB")?.text == "1TiB" && AssetName(parsing: "1025GiB") == nil)
        #expect(AssetName(parsing: "text-1025GiB") == nil && AssetName(parsing: "text-text-1") == nil)
    }

    @Test func aComplaintNamesEveryForm() {
        let choices =
            "hero, hero-progressive, gallery, gallery-01 … gallery-36, a size up to 1TiB such as 64MiB, "
            + "text-64MiB, json-1MiB"
        #expect(AssetName.choices.joined(separator: ", ") == choices)
        #expect(AssetName.sizes == "64MiB, text-64MiB or json-1MiB")
        var words = PlanWords()
        for text in ["heron", "0B", "text-0", "json-0B"] {
            words.assets = [text]
            #expect(
                performing: { try PlanRequest(words, .fake) },
                throws: { "\($0)".hasPrefix("unknown asset '\(text)'.") && "\($0)".contains("Choices: \(choices)") })
        }
    }
}
