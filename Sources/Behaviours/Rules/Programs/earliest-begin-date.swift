/// A date that is marked as deprecated where it has no effect.
protocol HasDate: AnyObject { var earliestBeginDate: Date? { get set } }
extension URLSessionTask: HasDate {}

let end = DispatchSemaphore(value: 0)
let url = URL(string: CommandLine.arguments[1] + "/bytes/1KiB")!
let task = URLSession(configuration: .ephemeral).dataTask(with: url) { _, _, _ in end.signal() }
(task as any HasDate).earliestBeginDate = Date(timeIntervalSinceNow: 3)
task.resume()
let isEarly = end.wait(timeout: .now() + 2) == .success
print("expected: no request before 3 s; got: \(isEarly ? "an answer within 2 s" : "none in 2 s")")
exit(isEarly ? 1 : 0)
