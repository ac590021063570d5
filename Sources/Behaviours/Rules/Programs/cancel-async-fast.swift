// A watch outside of the pool of Swift's tasks, as the deadlock holds one of its threads.
var returned = 0
Thread.detachNewThread {
    Thread.sleep(forTimeInterval: 8)
    print("expected: 1000 calls return after they were cancelled; got: \(returned) in 8 s, and no more")
    exit(1)
}
let session = URLSession(configuration: .ephemeral)
let url = URL(string: CommandLine.arguments[1] + "/bytes/1MiB")!
for index in 0..<1000 {
    let task = Task.detached { try await session.data(from: url) }
    try await Task.sleep(for: .microseconds(index % 20 * 250))
    task.cancel()
    _ = await task.result
    returned += 1
}
print("expected: 1000 calls return after they were cancelled; got: \(returned)")
