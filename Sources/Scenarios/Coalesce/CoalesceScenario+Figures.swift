// SPDX-License-Identifier: Apache-2.0

package import TrialKit

extension CoalesceScenario {
    package var question: String? { "what do 12 cells with the same picture cost?" }

    package var figures: [FigureDeclaration] {
        [
            Self.requests, .decodes(suspect: SuspectLimit(above: 1, "a decode for each who asks"), decides: .one),
            FigureDeclaration(
                "coalesce_pictures", short: "pictures", .ratio,
                "coalesce: how many of 12 cells got the picture, of which one left", better: .higher,
                heading: "pictures", style: .count,
                suspect: SuspectLimit(above: 11, below: 11, "not a picture for each who stayed")),
            FigureDeclaration(
                "coalesce_bitmaps_ratio", short: "bitmaps_of_one", .ratio,
                "coalesce: the bitmaps alive at one time ÷ one picture", heading: "bitmaps ÷ one picture"),
        ]
    }

    private static let requests: FigureDeclaration = {
        var requests = FigureDeclaration.requests(decides: .one)
        requests.suspect = SuspectLimit(above: 1, "a request for each who asks")
        return requests
    }()

    package var legend: [String] {
        [
            "12 ask at once, and one leaves as soon as its request is under way: 11 pictures are right. Bitmaps include the step",
            "that the decoder scales to.",
        ]
    }
}
