// SPDX-License-Identifier: Apache-2.0

@preconcurrency import Glibc

extension Fixture {
    /// The path of this program.
    static var path: String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        return String(decoding: buffer.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Starts this program again as a child.
    static func spawn(_ words: [String]) -> pid_t {
        var arguments = ([path] + words).map { strdup($0) } + [nil]
        defer { arguments.forEach { free($0) } }
        var child = pid_t()
        guard posix_spawn(&child, path, nil, nil, &arguments, environ) == 0 else { exit(71) }
        return child
    }

    /// Becomes another program.
    static func execute(_ command: [String]) {
        var arguments = command.map { strdup($0) } + [nil]
        execv(command[0], &arguments)
        exit(72)
    }

    /// `fork`, which Swift hides because a program with several threads must not use it; these have one.
    static func fork() -> pid_t {
        typealias Fork = @convention(c) () -> pid_t
        guard let symbol = dlsym(nil, "fork") else { exit(73) }
        return unsafeBitCast(symbol, to: Fork.self)()
    }

    /// Starts a thread.
    static func start(_ body: @escaping @Sendable () -> Void) -> pthread_t {
        var thread = pthread_t()
        let context = Unmanaged.passRetained(ThreadBody(body))
        let status = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().body()
                return nil
            }, context.toOpaque())
        guard status == 0 else { exit(74) }
        return thread
    }

    /// Which descriptors this process was given.
    static func descriptors() {
        let open = (0..<1024).filter { fcntl(Int32($0), F_GETFD) >= 0 }
        print("descriptors \(open)")
    }

    /// What else it was given: signals, group, folder, arguments, environment, huge pages.
    static func world() {
        var blocked = sigset_t()
        sigprocmask(SIG_BLOCK, nil, &blocked)
        print("blocked \((1..<32).filter { sigismember(&blocked, Int32($0)) == 1 })")
        let ignored = (1..<32).filter { number in
            var action = sigaction()
            sigaction(Int32(number), nil, &action)
            return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
        }
        print("ignored \(ignored)")
        print("leads-group \(getpgrp() == getpid())")
        var folder = [CChar](repeating: 0, count: Int(PATH_MAX))
        getcwd(&folder, folder.count)
        print("folder \(String(decoding: folder.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))")
        print("arguments \(CommandLine.arguments)")
        var variable = environ
        while let text = variable.pointee {
            print("variable \(String(cString: text))")
            variable += 1
        }
    }
}

/// What a thread does.
private final class ThreadBody: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
    }
}
