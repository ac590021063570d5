// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import MemProbe

/// The readers' process: reads an order per line and writes an answer per line, until the orders end.
struct ReadersProcess {
    func run() throws {
        while let line = readLine(strippingNewline: true) {
            let order = try JSONDecoder().decode(ReadersOrder.self, from: Data(line.utf8))
            let answer = try JSONEncoder().encode(answer(to: order)) + Data("\n".utf8)
            guard SystemCall.writeAll(answer, to: STDOUT_FILENO) else {
                throw FetchFailure(.other, "the report of the readers cannot be sent")
            }
        }
    }

    private func answer(to order: ReadersOrder) -> ReadersAnswer {
        var watch = ServerWatch(process: getppid())
        let group = ReaderGroup(order)
        group.start()
        while !group.hasEnded {
            watch.look()
            usleep(ServerWatch.intervalMicroseconds)
        }
        var answer = group.answer
        answer.mostDescriptors = watch.mostDescriptors
        answer.socketByteCount = watch.socketByteCount
        answer.originConnections = order.origin.flatMap { try? OriginCount.now(at: $0).connectionsAccepted }
        return answer
    }
}
