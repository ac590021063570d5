// SPDX-License-Identifier: Apache-2.0

import OperatingSystem
import Testing
import Texts

struct ProgressBoardTests {
    private func item(_ position: Int, of count: Int = 4, _ group: String? = nil) -> ProgressBoard.Item {
        ProgressBoard.Item("case", group: group, position: position, of: count)
    }

    @Test func beforeAnythingBeginsTheActivityIsNamed() {
        #expect(ProgressBoard("preparing").line(at: .seconds(31)) == "preparing, 0:31 elapsed")
    }

    @Test func theFirstOneHasNoTimeLeftUnlessOneIsKnown() {
        var board = ProgressBoard("preparing")
        board.began(item(1), at: .seconds(2))
        #expect(board.line(at: .seconds(2)) == "[1/4] case, 0:00 elapsed")
        var resumed = ProgressBoard("preparing", usual: .seconds(20))
        resumed.began(item(3), at: .zero)
        #expect(resumed.line(at: .zero) == "[3/4] case, 0:00 elapsed, about 0:40 left")
        #expect(resumed.line(at: .seconds(5)) == "[3/4] case, 0:05 elapsed, about 0:35 left")
    }

    @Test func timeLeftFollowsFromWhatIsDone() {
        var board = ProgressBoard("preparing")
        for position in 1...3 { board.began(item(position), at: .seconds(10 * (position - 1))) }
        #expect(board.line(at: .seconds(20)) == "[3/4] case, 0:20 elapsed, about 0:20 left")
        #expect(board.line(at: .seconds(26)) == "[3/4] case, 0:26 elapsed, about 0:14 left")
    }

    @Test func oneThatTakesLongIsToldByItself() {
        var board = ProgressBoard("preparing")
        board.began(item(1), at: .zero)
        board.began(item(2), at: .seconds(1))
        #expect(board.line(at: .seconds(131)) == "[2/4] case for 2:10, 2:11 elapsed, about 0:02 left")
    }

    @Test func earlierWorkIsNotCounted() {
        var board = ProgressBoard("preparing")
        board.began(item(100, of: 103), at: .seconds(1))
        board.began(item(101, of: 103), at: .seconds(9))
        #expect(board.line(at: .seconds(9)) == "[101/103] case, 0:08 elapsed, about 0:24 left")
    }

    @Test func eachGroupIsCountedByItselfAndBeginsWithTheTimesOfTheLast() {
        var board = ProgressBoard("preparing")
        board.began(item(1, of: 2, "warmup"), at: .zero)
        board.began(item(2, of: 2, "warmup"), at: .seconds(6))
        board.began(item(1, of: 5, "screening"), at: .seconds(12))
        #expect(board.line(at: .seconds(12)) == "screening [1/5] case, 0:00 elapsed, about 0:30 left")
        board.began(item(2, of: 5, "screening"), at: .seconds(15))
        #expect(board.line(at: .seconds(15)) == "screening [2/5] case, 0:03 elapsed, about 0:12 left")
    }
}

struct ProgressVoiceTests {
    private func voice(_ style: ProgressVoice.Style) -> ProgressVoice {
        ProgressVoice(style, of: ProgressBoard("preparing"))
    }

    private let item = ProgressBoard.Item("case", position: 1, of: 2)

    @Test func silentProgramsAreNotQuoted() {
        var voice = voice(.silent)
        #expect(voice.began(item, at: .zero) == nil && voice.tick(at: .seconds(3600)) == nil)
        #expect(ProgressVoice.Style.silent.intervals == nil)
    }

    @Test func aTerminalIsDrawnAtOnceAndEachSecond() {
        var voice = voice(.redrawn)
        #expect(voice.tick(at: .seconds(1)) == .redraw("preparing, 0:01 elapsed"))
        #expect(voice.began(item, at: .seconds(2)) == .redraw("[1/2] case, 0:00 elapsed"))
        #expect(voice.tick(at: .seconds(3)) == .redraw("[1/2] case, 0:01 elapsed"))
        #expect(ProgressVoice.Style.redrawn.intervals?.rest == .seconds(1))
    }

    /// Whatever begins and ends, and however long a single trial takes.
    @Test func aLogGetsALineAtTheFirstTickAndOneInEachInterval() {
        var voice = voice(.lines(every: .seconds(30)))
        var said: [(at: Int, ProgressVoice.Saying)] = []
        for second in 0...100 {
            if second < 40, second % 7 == 0 {
                let item = ProgressBoard.Item("case", position: second / 7 + 1, of: 100)
                #expect(voice.began(item, at: .seconds(second)) == nil)
            }
            if second > 0, let saying = voice.tick(at: .seconds(second)) { said.append((second, saying)) }
        }
        #expect(said.map(\.at) == [1, 28, 55, 82], "a timer that is early by a tenth counts")
        #expect(said.last?.1 == .line("[6/100] case for 0:47, 1:22 elapsed, about 10:58 left"))
    }

    @Test func aLogIsAnnouncedWithinASecond() {
        #expect(ProgressVoice.Style.lines(every: .seconds(30)).intervals?.first == .seconds(1))
        #expect(ProgressVoice.Style.lines(every: .seconds(0.1)).intervals?.first == .seconds(0.1))
    }

    @Test func aTimerOfTheIntervalIsAlwaysHeard() {
        var voice = voice(.lines(every: .seconds(30)))
        for (index, jitter) in [0, -40, 40, -40].enumerated() {
            #expect(voice.tick(at: .seconds(30 * (index + 1)) + .milliseconds(jitter)) != nil)
        }
    }

    @Test(arguments: [
        (0, "0:00"), (59, "0:59"), (60, "1:00"), (3599, "59:59"), (3600, "1:00:00"), (90_061, "25:01:01"),
    ])
    func durationsAreThoseOfAClock(seconds: Int, text: String) {
        #expect(DurationText.clock(.seconds(seconds) + .milliseconds(999)) == text)
    }
}
