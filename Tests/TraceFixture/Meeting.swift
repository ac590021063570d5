// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Where children say that they hold what they shall hold, and wait until it is over.
struct Meeting: Sendable {
    private let ready: [Int32]
    private let over: [Int32]

    init() {
        ready = Self.makePipe()
        over = Self.makePipe()
        // Only the children's ends may be theirs: else the end would never come.
        for end in [ready[0], over[1]] where fcntl(end, F_SETFD, FD_CLOEXEC) != 0 { exit(77) }
    }

    /// Starts a child that takes part.
    func spawn(mebibytes: Int) -> pid_t {
        Fixture.spawn(["hold", "\(mebibytes)", "\(ready[1])", "\(over[0])"])
    }

    /// Takes part from a thread of this process: says that it is there, and waits for the end.
    func attend() {
        Self.attend(ready: ready[1], end: over[0])
    }

    /// Takes part by the ends of a meeting.
    static func attend(ready: Int32, end: Int32) {
        var byte: UInt8 = 1
        write(ready, &byte, 1)
        while read(end, &byte, 1) < 0 && errno == EINTR {}
    }

    /// Waits until some have said that they are there.
    func wait(for count: Int) {
        var byte: UInt8 = 0
        for _ in 0..<count where read(ready[0], &byte, 1) != 1 { exit(78) }
    }

    /// Lets all of them go.
    func end() {
        close(over[1])
    }

    private static func makePipe() -> [Int32] {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { exit(79) }
        return ends
    }
}
