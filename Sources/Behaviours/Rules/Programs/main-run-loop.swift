import Dispatch

let url = URL(string: CommandLine.arguments[1] + "/bytes/64KiB")!
let end = DispatchSemaphore(value: 0)
URLSession.shared.dataTask(with: url) { _, _, _ in
    RunLoop.main.perform { end.signal() }
}.resume()
// The await makes the main of this program async.
try await Task.sleep(for: .seconds(3))
let isRun = end.wait(timeout: .now()) == .success
print("expected: the block ran on the main run loop; got: \(isRun ? "it ran" : "it had not run after 3 s")")
exit(isRun ? 0 : 1)
