// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOPosix
import NIOSSL
package import TrialKit

extension FetchFailure {
    /// Converts an error of SwiftNIO; a connection that ends after the response's head has truncated the body.
    package init(ofNIO error: any Error, afterHead: Bool) {
        switch error {
        case let failure as FetchFailure: self = failure
        case let error as NIOConnectionError: self.init(error)
        case let error as IOError: self.init(errno: error.errnoCode, "the connection or the file failed")
        case HTTPParserError.invalidEOFState: self = .connectionEnded(afterHead: afterHead)
        case let error as HTTPParserError: self.init(.malformedResponse, "not an HTTP response: \(error)")
        case ChannelError.connectTimeout: self.init(.idleTimeout, "no connection within the time-out")
        case ChannelError.inputClosed, ChannelError.ioOnClosedChannel, ChannelError.eof, ChannelError.alreadyClosed:
            self = .connectionEnded(afterHead: afterHead)
        case NIOSSLError.uncleanShutdown: self = .connectionEnded(afterHead: afterHead)
        case is NIOHTTP2Errors.StreamClosed: self = .connectionEnded(afterHead: afterHead)
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError:
            self.init(.tls, "TLS failed: \(Self.firstLine(of: error))")
        case is NIOTooManyBytesError: self.init(.other, "the body does not fit in one ByteBuffer")
        default: self.init(.other, "\(type(of: error))")
        }
    }

    package static func connectionEnded(afterHead: Bool) -> FetchFailure {
        afterHead
            ? FetchFailure(.truncatedBody, "the connection ended within the body")
            : FetchFailure(.connectionLost, "the connection ended without an answer")
    }

    /// Converts the error of the first attempt to connect; without any, the host has no address.
    private init(_ error: NIOConnectionError) {
        if let attempt = error.connectionErrors.first?.error {
            switch attempt {
            case let error as IOError: self.init(errno: error.errnoCode, "connecting failed")
            default: self.init(ofNIO: attempt, afterHead: false)
            }
        } else {
            self.init(.hostNotFound, "the host has no address")
        }
    }

    /// BoringSSL's message without the location in its sources.
    private static func firstLine(of error: any Error) -> String {
        let words = "\(error)".split(separator: " ").prefix { !$0.hasPrefix("/") && $0 != "at" }
        return words.joined(separator: " ")
    }
}
