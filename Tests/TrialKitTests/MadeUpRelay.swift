// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import TrialKit

/// Passes on bytes that nobody fetched.
final class MadeUpRelay: Relay {
    /// What is wrong with the body of one request.
    enum Flaw {
        /// One byte of it is another one.
        case wrongByte
        /// The second half does not come, and why not is told.
        case cut
    }

    let remark: String? = nil

    private let bytes: [UInt8]
    private let announces: Bool
    private let flaw: (number: Int, Flaw)?
    private let count = Atomic(0)

    /// - Parameters:
    ///   - announces: Whether the length is told before.
    ///   - flaw: What is wrong with which body, counted from 1.
    init(_ bytes: [UInt8], announces: Bool = true, flaw: (number: Int, Flaw)? = nil) {
        self.bytes = bytes
        self.announces = announces
        self.flaw = flaw
    }

    /// How often it was asked for a body.
    var asked: Int { count.load(ordering: .relaxed) }

    func relay(_ request: FetchRequest, to sink: any BodySink) async throws(FetchFailure) {
        let number = count.add(1, ordering: .relaxed).newValue
        var body = bytes
        let flaw = flaw?.number == number ? flaw?.1 : nil
        if flaw == .wrongByte { body[body.count / 2] ^= 1 }
        try await sink.begin(byteCount: announces ? body.count : nil)
        try await sink.send(body[..<(body.count / 2)])
        if flaw == .cut { throw FetchFailure(.truncatedBody, "cut on purpose") }
        try await sink.send(body[(body.count / 2)...])
    }

    func invalidate() async {}
}
