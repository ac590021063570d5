let url = URL(string: CommandLine.arguments[1] + "/bytes/64KiB")!
URLSession.shared.dataTask(with: url) { _, _, _ in
    DispatchQueue.main.async {
        let isMain = Thread.isMainThread
        print("expected: the main queue runs on the main thread; got: \(isMain ? "the main thread" : "another thread")")
        exit(isMain ? 0 : 1)
    }
}.resume()
// The await makes the main of this program async.
try await Task.sleep(for: .seconds(10))
