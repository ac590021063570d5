// SPDX-License-Identifier: Apache-2.0

// The commands that the tests of tracing trace, and the small process that traces them. A command does one known
// thing to its memory, its threads or its processes; wrong usage ends with status 64.

import Glibc

let words = Array(CommandLine.arguments.dropFirst())
let numbers = words.dropFirst().compactMap { Int($0) }

switch (words.first, numbers.count) {
case ("supervise", _) where words.count == 2: supervise(words[1])
case ("allocate", 2): Fixture.allocate(mebibytes: numbers[0], milliseconds: numbers[1])
case ("threads", 3): Fixture.threads(numbers[0], mebibytes: numbers[1], milliseconds: numbers[2])
case ("children", 3): Fixture.children(numbers[0], mebibytes: numbers[1], milliseconds: numbers[2])
case ("sequence", 3): Fixture.sequence(numbers[0], mebibytes: numbers[1], milliseconds: numbers[2])
case ("copy", 2): Fixture.copy(mebibytes: numbers[0], childMebibytes: numbers[1])
case ("copies", 4):
    Fixture.copies(numbers[0], mebibytes: numbers[1], ownMebibytes: numbers[2], milliseconds: numbers[3])
case ("spawn-small", 1): Fixture.spawnSmall(mebibytes: numbers[0])
case ("stand", 1): Fixture.stand(numbers[0])
case ("burn", 1): Fixture.burn(milliseconds: numbers[0])
case ("daemon", 2): Fixture.daemon(mebibytes: numbers[0], milliseconds: numbers[1])
case ("background", 1): Fixture.background(mebibytes: numbers[0])
case ("hold", 3): Fixture.hold(mebibytes: numbers[0], ready: numbers[1], end: numbers[2])
case ("become", _) where words.count > 3 && numbers.count > 1:
    Fixture.become(mebibytes: numbers[0], milliseconds: numbers[1], Array(words.dropFirst(3)))
case ("thread-becomes", _) where words.count > 1: Fixture.threadBecomes(Array(words.dropFirst()))
case ("without-leader", 1): Fixture.withoutLeader(mebibytes: numbers[0])
case ("stop-and-go", 1): Fixture.stopAndGo(mebibytes: numbers[0])
case ("signals", 1): Fixture.signals(numbers[0])
case ("status", 1): exit(Int32(numbers[0]))
case ("signal", 1):
    // The runtime would catch some of them.
    signal(Int32(numbers[0]), SIG_DFL)
    kill(getpid(), Int32(numbers[0]))
    pause()
case ("hang", 1):
    Fixture.touch(mebibytes: numbers[0])
    while true { pause() }
case ("confined", _) where words.count > 2: Fixture.confine(words[1], Array(words.dropFirst(2)))
case ("as-nobody", _) where words.count > 1: Fixture.asNobody(Array(words.dropFirst()))
case ("in-terminal", _) where words.count > 1: Fixture.inTerminal(Array(words.dropFirst()))
case ("begin", _) where words.count > 3 && numbers.count > 2:
    Fixture.begin(numbers[0], mebibytes: numbers[1], milliseconds: numbers[2], Array(words.dropFirst(4)))
case ("chain", 1): Fixture.chain(numbers[0])
case ("descriptors", 0): Fixture.descriptors()
case ("world", 0): Fixture.world()
default: exit(64)
}
