// SPDX-License-Identifier: Apache-2.0

package import TrialKit

extension CoalesceScenario {
    package var question: String? { "what do 12 cells with the same picture cost?" }

    package var figures: [FigureDeclaration] {
        [
            Self.requests, .decodes(suspect: SuspectLimit(above: 1, "a decode for each caller"), decides: .one),
            FigureDeclaration(
                "coalesce_pictures", short: "pictures", .ratio,
                "coalesce: how many of 12 cells got the picture, of which one left", better: .higher,
                heading: "pictures", style: .count,
                suspect: SuspectLimit(above: 11, below: 11, "missing pictures for callers that stayed")),
            FigureDeclaration(
                "coalesce_bitmaps_ratio", short: "bitmaps_of_one", .ratio,
                "coalesce: the bitmaps alive at one time ÷ one picture", heading: "bitmaps ÷ one picture"),
        ]
    }

    private static let requests: FigureDeclaration = {
        var requests = FigureDeclaration.requests(decides: .one)
        requests.suspect = SuspectLimit(above: 1, "a request for each caller")
        return requests
    }()

    package var legend: [String] {
        [
            "12 callers ask concurrently, and one cancels as soon as its request has started, so 11 pictures are expected.",
            "Bitmaps include the intermediate size that the decoder scales to.",
        ]
    }
}
