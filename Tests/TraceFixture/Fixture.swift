// SPDX-License-Identifier: Apache-2.0

import CTestSupport
@preconcurrency import Glibc

/// The actions of a traced command.
enum Fixture {
    /// Maps memory outside of the allocator and touches every page of it; it stays until the end.
    static func touch(mebibytes: Int) {
        let size = mebibytes << 20
        guard size > 0 else { return }
        guard let start = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            start != MAP_FAILED
        else { exit(70) }
        for offset in stride(from: 0, to: size, by: 4096) {
            start.storeBytes(of: 1, toByteOffset: offset, as: UInt8.self)
        }
    }

    static func sleep(milliseconds: Int) {
        var rest = timespec(tv_sec: milliseconds / 1000, tv_nsec: milliseconds % 1000 * 1_000_000)
        var left = timespec()
        while nanosleep(&rest, &left) != 0 && errno == EINTR { rest = left }
    }

    /// This process's own mark in kB.
    static func ownPeak() -> String {
        var text = [UInt8](repeating: 0, count: 16384)
        let file = open("/proc/self/status", O_RDONLY)
        let count = read(file, &text, text.count)
        close(file)
        let status = String(decoding: text.prefix(max(0, count)), as: UTF8.self)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
        return line.filter(\.isNumber)
    }

    /// Says this process's own mark and ends at once: running the ends of all libraries would raise it again.
    static func answerPeak() -> Never {
        print("peak \(ownPeak())")
        fflush(nil)
        _exit(0)
    }

    /// Answers once for nothing, so that what is made lazily exists before the memory that counts.
    private static func warmUp() {
        print("first \(ownPeak())")
        fflush(nil)
    }

    static func allocate(mebibytes: Int, milliseconds: Int) -> Never {
        warmUp()
        touch(mebibytes: mebibytes)
        sleep(milliseconds: milliseconds)
        answerPeak()
    }

    /// Threads that hold memory all at once: they wait for each other, however slow the machine is.
    static func threads(_ count: Int, mebibytes: Int, milliseconds: Int) {
        warmUp()
        let meeting = Meeting()
        let threads = (0..<count).map { _ in
            start {
                touch(mebibytes: mebibytes)
                meeting.attend()
            }
        }
        meeting.wait(for: count)
        sleep(milliseconds: milliseconds)
        meeting.end()
        for thread in threads { pthread_join(thread, nil) }
        answerPeak()
    }

    /// Children that hold memory all at once: they wait for each other, however slow the machine is.
    static func children(_ count: Int, mebibytes: Int, milliseconds: Int) {
        let meeting = Meeting()
        let children = (0..<count).map { _ in meeting.spawn(mebibytes: mebibytes) }
        meeting.wait(for: count)
        sleep(milliseconds: milliseconds)
        meeting.end()
        for child in children { waitpid(child, nil, 0) }
        // Running the ends of all libraries would raise this process's own mark.
        _exit(0)
    }

    static func hold(mebibytes: Int, ready: Int, end: Int) -> Never {
        warmUp()
        touch(mebibytes: mebibytes)
        Meeting.attend(ready: Int32(ready), end: Int32(end))
        answerPeak()
    }

    /// Children that hold memory one after another.
    static func sequence(_ count: Int, mebibytes: Int, milliseconds: Int) {
        for _ in 0..<count { waitpid(spawn(["allocate", "\(mebibytes)", "\(milliseconds)"]), nil, 0) }
        _exit(0)
    }

    static func copy(mebibytes: Int, childMebibytes: Int) {
        touch(mebibytes: mebibytes)
        let child = fork()
        if child == 0 { allocate(mebibytes: childMebibytes, milliseconds: 20) }
        waitpid(child, nil, 0)
    }

    /// Holds memory, and has copies at the same time that write to so much of it and share the rest.
    static func copies(_ count: Int, mebibytes: Int, ownMebibytes: Int, milliseconds: Int) {
        let length = mebibytes << 20
        guard let memory = mmap(nil, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            memory != MAP_FAILED
        else { exit(74) }
        memset(memory, 1, length)
        let meeting = Meeting()
        let children = (0..<count).map { _ in
            let child = fork()
            if child == 0 {
                memset(memory, 2, ownMebibytes << 20)
                meeting.attend()
                _exit(0)
            }
            return child
        }
        meeting.wait(for: count)
        sleep(milliseconds: milliseconds)
        for child in children { kill(child, SIGKILL) }
        for child in children { waitpid(child, nil, 0) }
        _exit(0)
    }

    /// Holds memory and has a child that never touches it; then one whose program does not exist.
    static func spawnSmall(mebibytes: Int) {
        touch(mebibytes: mebibytes)
        var child = pid_t()
        var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("true"), nil]
        defer { arguments.forEach { free($0) } }
        guard posix_spawn(&child, "/bin/true", nil, nil, &arguments, nil) == 0 else { exit(75) }
        waitpid(child, nil, 0)
        guard posix_spawn(&child, "/no/such/program", nil, nil, &arguments, nil) == ENOENT else { exit(76) }
    }

    /// Begins so many children that stand still as this process does, until they are ended from outside.
    static func stand(_ count: Int) {
        touch(mebibytes: 1 + count)
        for _ in 0..<count { _ = spawn(["stand", "0"]) }
        // The runtime would catch it, and run code while it ends.
        signal(SIGTERM, SIG_DFL)
        while true { pause() }
    }

    /// Uses CPU time, half of it in a child, and says how much both used.
    static func burn(milliseconds: Int) {
        let child = fork()
        burnAlone(milliseconds / 2)
        if child == 0 { _exit(0) }
        waitpid(child, nil, 0)
        print("burnt \(milliseconds / 2 * 2)")
    }

    private static func burnAlone(_ milliseconds: Int) {
        var time = timespec()
        repeat {
            clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        } while time.tv_sec * 1000 + time.tv_nsec / 1_000_000 < milliseconds
    }

    /// A process that cuts every tie to the command and goes on without it.
    static func daemon(mebibytes: Int, milliseconds: Int) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { exit(79) }
        var byte: UInt8 = 0
        let child = fork()
        if child == 0 {
            setsid()
            if fork() == 0 {
                touch(mebibytes: mebibytes)
                write(ends[1], &byte, 1)
                sleep(milliseconds: milliseconds)
            }
            _exit(0)
        }
        waitpid(child, nil, 0)
        // Until the daemon has touched what it will hold.
        guard read(ends[0], &byte, 1) == 1 else { exit(78) }
    }

    /// A child that nobody waits for and that ends soon after.
    static func background(mebibytes: Int) {
        let meeting = Meeting()
        _ = meeting.spawn(mebibytes: mebibytes)
        meeting.wait(for: 1)
    }

    /// Holds memory, says its own mark, and becomes another program.
    static func become(mebibytes: Int, milliseconds: Int, _ command: [String]) {
        warmUp()
        touch(mebibytes: mebibytes)
        sleep(milliseconds: milliseconds)
        print("before \(ownPeak())")
        fflush(nil)
        execute(command)
    }

    static func threadBecomes(_ command: [String]) {
        _ = start { while true { pause() } }
        _ = start {
            sleep(milliseconds: 5)
            execute(command)
        }
        while true { pause() }
    }

    /// The first thread ends, and another one goes on and holds memory.
    static func withoutLeader(mebibytes: Int) {
        _ = start {
            sleep(milliseconds: 10)
            touch(mebibytes: mebibytes)
            sleep(milliseconds: 30)
            _exit(7)
        }
        pthread_exit(nil)
    }

    /// Stops itself like a shell's job, and is sent on by a child.
    static func stopAndGo(mebibytes: Int) {
        let own = getpid()
        let child = fork()
        if child == 0 {
            sleep(milliseconds: 50)
            kill(own, SIGCONT)
            _exit(0)
        }
        raise(SIGSTOP)
        waitpid(child, nil, 0)
        allocate(mebibytes: mebibytes, milliseconds: 1)
    }

    static func signals(_ count: Int) {
        signal(SIGUSR1) { _ in received += 1 }
        for _ in 0..<count { raise(SIGUSR1) }
        exit(Int32(received))
    }

    /// A chain of processes, each of which begins the next and ends; the last one says so.
    static func chain(_ count: Int) {
        for _ in 0..<count {
            if fork() != 0 { _exit(0) }
            sleep(milliseconds: 1)
        }
        print("links \(count)")
    }
}

/// How many signals have arrived.
private nonisolated(unsafe) var received = 0

extension Fixture {
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

    static func descriptors() {
        let open = (0..<1024).filter { fcntl(Int32($0), F_GETFD) >= 0 }
        print("descriptors \(open)")
    }

    /// Other properties that it inherited: signals, group, folder, arguments, environment, huge pages.
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

private final class ThreadBody: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}

extension Fixture {
    /// Runs this program again in other surroundings: `docker` refuses what Docker's and Podman's default profiles do,
    /// `untraceable` what `ptrace_scope` 3 does, and 2 to ordinary users, in such a container.
    static func confine(_ kind: String, _ words: [String]) {
        let refusals =
            switch kind {
            case "docker": CTESTSUPPORT_REFUSE_KCMP.rawValue
            case "strict": CTESTSUPPORT_REFUSE_KCMP.rawValue | CTESTSUPPORT_REFUSE_VM.rawValue
            case "untraceable":
                CTESTSUPPORT_REFUSE_KCMP.rawValue | CTESTSUPPORT_REFUSE_VM.rawValue
                    | CTESTSUPPORT_REFUSE_PTRACE.rawValue
            default: UInt32(0)
            }
        guard ctestsupport_refuse(refusals) == 0 else { exit(80) }
        execute([path] + words)
    }

    /// Runs this program again as a user without any right.
    static func asNobody(_ words: [String]) {
        guard ctestsupport_become_user(65534) == 0 else { exit(81) }
        execute([path] + words)
    }

    /// Runs this program again with a terminal of its own.
    static func inTerminal(_ words: [String]) {
        var program = ([path] + words).map { strdup($0) } + [nil]
        let status = ctestsupport_run_in_terminal(&program)
        exit(status >= 0 && status & 0x7f == 0 ? status >> 8 : 82)
    }

    /// Holds memory and begins a child in some way, which lives for a while and then becomes a program or ends.
    static func begin(_ way: Int, mebibytes: Int, milliseconds: Int, _ program: [String]) {
        warmUp()
        touch(mebibytes: mebibytes)
        var words = program.map { strdup($0) } + [nil]
        let child = words.withUnsafeMutableBufferPointer { words in
            ctestsupport_begin(
                ctestsupport_way(rawValue: UInt32(way)), Int32(milliseconds), program.isEmpty ? nil : words.baseAddress)
        }
        guard child > 0 else { exit(83) }
        guard ctestsupport_wait(child) == 0 else { exit(84) }
        answerPeak()
    }
}
