// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// A non-blocking socket of the server, closed with its last reference.
final class ServerSocket: Sendable {
    /// The kernel's buffer for what a slow reader has not read; the kernel doubles it for its own use.
    static let sendBufferByteCount: Int32 = 32 * 1024

    let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Returns a socket that listens on a free port of 127.0.0.1.
    static func listening() throws(FetchFailure) -> ServerSocket {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let listener = ServerSocket(socket(AF_INET, type, 0))
        guard listener.descriptor >= 0 else { throw failure("no socket can be made") }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener.descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0, listen(listener.descriptor, SOMAXCONN) == 0 else { throw failure("cannot listen") }
        return listener
    }

    func port() throws(FetchFailure) -> Int {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
        }
        guard status == 0 else { throw Self.failure("the server has no port") }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    func accepted() -> ServerSocket? {
        let client = accept(descriptor, nil, nil)
        guard client >= 0 else { return nil }
        _ = fcntl(client, F_SETFD, FD_CLOEXEC)
        _ = fcntl(client, F_SETFL, O_NONBLOCK)
        var size = Self.sendBufferByteCount
        setsockopt(client, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        return ServerSocket(client)
    }

    /// Receives available bytes; returns 0 at the end and `nil` if there are none yet.
    func receive(into buffer: UnsafeMutableRawBufferPointer) throws(FetchFailure) -> Int? {
        let count = SocketCall.receive(buffer, from: descriptor)
        if count >= 0 { return count }
        if errno == EAGAIN { return nil }
        throw Self.failure("a reader's request did not arrive")
    }

    /// Sends as many bytes as there is room for.
    func send(_ bytes: UnsafeRawBufferPointer) throws(FetchFailure) -> Int {
        let count = SocketCall.sendSome(bytes, to: descriptor)
        if count >= 0 { return count }
        if errno == EAGAIN { return 0 }
        throw Self.failure("a reader went away")
    }

    private static func failure(_ what: String) -> FetchFailure {
        FetchFailure(errno: errno, what)
    }
}

/// Waits for descriptors to become readable or writable, without blocking a thread for each.
///
/// One thread polls all of them. `poll` suffices: there are a hundred descriptors, and finished waits need no call.
final class Readiness: Sendable {
    enum Event {
        case readable, writable

        fileprivate var mask: Int16 { Int16(self == .readable ? POLLIN : POLLOUT) }
    }

    private struct State {
        var descriptors: [pollfd] = []
        var waiters: [CheckedContinuation<Bool, Never>] = []
        var isClosed = false
    }

    private let state: Mutex<State>
    /// A byte in it wakes the thread.
    private let alarm: (reader: Int32, writer: Int32)

    /// Starts the thread.
    /// - Parameter capacity: The number of waiters for which memory is reserved.
    init(capacity: Int) throws(FetchFailure) {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else {
            throw FetchFailure(errno: errno, "socketpair failed")
        }
        alarm = (ends[0], ends[1])
        var state = State()
        state.descriptors.reserveCapacity(capacity)
        state.waiters.reserveCapacity(capacity)
        self.state = Mutex(state)
        try DetachedThread.run { [self] in watch(capacity: capacity) }
    }

    deinit {
        Glibc.close(alarm.reader)
        Glibc.close(alarm.writer)
    }

    /// Waits for the event; returns `false` if the server was closed.
    func wait(until descriptor: Int32, is event: Event) async -> Bool {
        await withCheckedContinuation { continuation in
            let isClosed = state.withLock { state in
                if state.isClosed { return true }
                state.descriptors.append(pollfd(fd: descriptor, events: event.mask, revents: 0))
                state.waiters.append(continuation)
                return false
            }
            if isClosed { continuation.resume(returning: false) } else { wake() }
        }
    }

    func close() {
        state.withLock { $0.isClosed = true }
        wake()
    }

    private func wake() {
        var byte: UInt8 = 0
        // A full buffer wakes the thread as well.
        _ = write(alarm.writer, &byte, 1)
    }

    private func watch(capacity: Int) {
        var asked: [pollfd] = []
        asked.reserveCapacity(capacity + 1)
        var ready: [CheckedContinuation<Bool, Never>] = []
        ready.reserveCapacity(capacity)
        while true {
            asked.removeAll(keepingCapacity: true)
            asked.append(pollfd(fd: alarm.reader, events: Int16(POLLIN), revents: 0))
            let isClosed = state.withLock { state in
                asked.append(contentsOf: state.descriptors)
                return state.isClosed
            }
            if isClosed { break }
            if poll(&asked, nfds_t(asked.count), -1) < 0 { continue }
            if asked[0].revents != 0 { silence() }
            takeReady(asked, into: &ready)
            for continuation in ready { continuation.resume(returning: true) }
            ready.removeAll(keepingCapacity: true)
        }
        endAll()
    }

    /// Takes out the waiters whose descriptors are ready.
    ///
    /// Only this thread removes entries, so that the polled ones are still the first.
    private func takeReady(_ asked: [pollfd], into ready: inout [CheckedContinuation<Bool, Never>]) {
        state.withLock { state in
            for index in asked.indices.dropFirst().reversed() where asked[index].revents != 0 {
                state.descriptors.swapAt(index - 1, state.descriptors.count - 1)
                state.descriptors.removeLast()
                state.waiters.swapAt(index - 1, state.waiters.count - 1)
                ready.append(state.waiters.removeLast())
            }
        }
    }

    private func endAll() {
        let waiters = state.withLock { state in
            defer { (state.waiters, state.descriptors) = ([], []) }
            return state.waiters
        }
        for waiter in waiters { waiter.resume(returning: false) }
    }

    private func silence() {
        var bytes: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        while read(alarm.reader, &bytes, MemoryLayout.size(ofValue: bytes)) > 0 {}
    }
}
