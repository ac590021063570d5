// SPDX-License-Identifier: Apache-2.0

import Charts
import Runs

/// The formats that render one picture of a run for documents.
enum SVGFormats {
    static let all: [any TextRenderer<Report>] = [
        Format("answer-svg", "savings of a download task, as a picture for a document") {
            report throws(FetchBenchError) in
            guard let picture = AnswerPicture(report).picture else {
                throw FetchBenchError.nothingToDraw(
                    name: report.run.identifier, reason: "no answer: one of its four cases has no figure")
            }
            return picture.document
        },
        Format("slopes-svg", "growth by size, as a picture for a document") {
            report throws(FetchBenchError) in
            guard let picture = SlopePictures(report).pictures.first else { throw Formats.noSweep(in: report.run) }
            return picture.document
        },
    ]
}
