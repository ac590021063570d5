// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import TrialKit

/// A trial program as anybody writes one: modes, and a scenario that asks its second process.
@main
enum OwnClientFixture {
    static func main() async {
        let leaks = [16, 64, 80, 1000].map { size in
            OwnClientMode(
                name: "keeps-\(size)-bytes", summary: "a client that leaks \(size) bytes with each request",
                keeping: .blocks(size))
        }
        let modes: [any FetchMode] =
            leaks + [
                OwnClientMode(name: "keeps-nothing", summary: "a client that keeps nothing", keeping: .nothing),
                OwnClientMode(
                    name: "keeps-100-bodies", summary: "a client that caches the first 100 bodies of each URL",
                    keeping: .firstBodies(100)),
                StepsMode(),
                BlockingMode(name: "blocking", abilities: []),
                BlockingMode(name: "blocking-undeclared", abilities: [.concurrency]),
            ]
        await TrialProgram.run(modes: modes, scenarios: [QuestionsScenario()])
    }
}

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

    init(companion: Companion) { self.companion = companion }

    func warmUp() async throws { _ = try await companion.ask("first") }

    func play() async throws {
        rightCount = try await withThrowingTaskGroup(of: Bool.self) { [companion] group in
            for number in 0..<Self.count {
                group.addTask { try await companion.ask("\(number)") == "\(number)" }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
    }

    func end() async { await companion.finish() }

    func reading() throws -> ScenarioReading {
        ScenarioReading(figures: ["right_answers": Double(rightCount)])
    }
}

/// A client that, beside its body, holds memory in a known course: ten steps of 8 MiB, nothing, and the steps again.
struct StepsMode: FetchMode {
    let name = "steps"
    let summary = "a client that allocates 10 steps of 8 MiB, frees them, and allocates them again"

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher { StepsFetcher() }
}

private final class StepsFetcher: Fetcher, @unchecked Sendable {
    private static let count = 10
    private static let size = 8 << 20
    /// Long enough for several readings, which come every 5 ms.
    private static let microseconds: UInt32 = 50_000

    private let client = OwnClient(.nothing)
    private var blocks: [UnsafeMutableRawPointer] = []

    init() { blocks.reserveCapacity(Self.count) }

    func fetch(_ request: FetchRequest) async throws(FetchFailure) -> FetchedBody {
        let body = try await DetachedThread.value { [self] () throws(FetchFailure) in
            let body = try client.body(of: request.url)
            // The warm-up has another path.
            if request.url.path.hasPrefix("/bytes") {
                usleep(Self.microseconds)
                climb()
                free()
                usleep(Self.microseconds)
                climb()
            }
            return body
        }
        return FetchedBody(content: .memory(body), byteCount: body.count)
    }

    func invalidate() async { free() }

    private func climb() {
        for _ in 0..<Self.count {
            let block = UnsafeMutableRawPointer.allocate(byteCount: Self.size, alignment: 16)
            memset(block, 1, Self.size)
            blocks.append(block)
            usleep(Self.microseconds)
        }
    }

    private func free() {
        for block in blocks { block.deallocate() }
        blocks.removeAll(keepingCapacity: true)
    }
}
