// SPDX-License-Identifier: Apache-2.0

import Glibc
import TrialKit

/// Asks its second process many questions concurrently; each answer repeats its question.
struct QuestionsScenario: AccompaniedScenario {
    let name = "questions"
    let summary = "a second process that answers 200 concurrent questions"
    let needs = ScenarioNeeds()
    let figures = [
        FigureDeclaration("right_answers", .ratio, "how many questions got their own answer", better: .higher)
    ]

    func makePlayer(on stage: ScenarioStage) async throws -> any ScenarioPlayer {
        QuestionsPlayer(companion: try Companion(of: self))
    }

    func accompany() {
        while let question = readLine(strippingNewline: false) {
            guard write(STDOUT_FILENO, question, question.utf8.count) > 0 else { return }
        }
    }
}

private final class QuestionsPlayer: ScenarioPlayer {
    private static let count = 200

    private let companion: Companion
    private var rightCount = 0

    init(companion: Companion) {
        self.companion = companion
    }

    func warmUp() async throws {
        _ = try await companion.ask("first")
    }

    func play() async throws {
        rightCount = try await withThrowingTaskGroup(of: Bool.self) { [companion] group in
            for number in 0..<Self.count {
                group.addTask { try await companion.ask("\(number)") == "\(number)" }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
    }

    func end() async {
        await companion.finish()
    }

    func reading() throws -> ScenarioReading {
        ScenarioReading(figures: ["right_answers": Double(rightCount)])
    }
}
