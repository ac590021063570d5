// SPDX-License-Identifier: Apache-2.0

import CommandConsole

/// `fetchbench endpoint`: the short form of `run --server`.
struct EndpointCommand: AsyncParsableCommand, PlannedCommand, MeasuringCommand {
    static let configuration = CommandConfiguration(
        commandName: "endpoint",
        abstract: "Measure what a request costs a server in memory, and what stays.",
        discussion: """
            fetchbench endpoint './App --port {port}' --get /files/big.bin
            fetchbench endpoint './Relay {port} {origin}/64MiB' --get /relay --client-rate unlimited,1MiB
            fetchbench endpoint 'node server.js {port}' --post /upload --body 64MiB --concurrency 1,10
            fetchbench endpoint './App --port {port}' --get '/files/{size}' -L size 1MiB,64MiB --requests 200
            fetchbench endpoint './App --port {port}' --client 'hey -n 100 http://127.0.0.1:{port}/x'

            Each trial starts the server afresh in a control group of its own, waits until it accepts connections, makes \
            warm-up requests (1 KiB in place of {size} and of a body), waits until its memory is quiet, and lets the kernel \
            forget its peak. Then come the requests, by plain sockets that are not measured, and after --idle what stays is \
            read. Growth, k and anonymous memory count from the mark after the warm-up, over all processes of the server. \
            --client-rate is the bytes a second that each client reads or writes, --chunk the size of the chunks of a body. \
            {port} is a free port of 127.0.0.1; {origin} is the embedded origin, under which its assets are; both are also \
            the variables PORT and ORIGIN.

            Exit status: 0 measured; 1 over a --budget; 2 no answer (trials failed); 64 usage error; 75 try the \
            shard again; 130 interrupted (trials are kept).
            """)

    @Argument(help: ArgumentHelp("Commands of servers, each quoted as one argument.", valueName: "command"))
    var servers: [String] = []

    @OptionGroup(title: "Request options")
    var request: ServerOptions

    @OptionGroup(title: "Options of run")
    var rest: RunCommand

    func validate() throws {
        guard rest.resume == nil || servers.isEmpty && request.isEmpty else {
            throw ValidationError("--resume uses the stored plan: omit the servers and their requests")
        }
        _ = try filled()
    }

    func namedPrograms() throws -> [String] { try rest.namedPrograms() }

    func checkPlan(_ programs: TrialPrograms) throws { try filled().checkPlan(programs) }

    func run() async throws { try await filled().run() }

    private func filled() throws -> RunCommand {
        var run = rest
        if run.resume == nil { try request.add(servers, to: &run.plan) }
        return run
    }
}
