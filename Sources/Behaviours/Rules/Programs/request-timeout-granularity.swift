func seconds(toTimeOutOf timeout: Double) -> Double {
    let end = DispatchSemaphore(value: 0)
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForRequest = timeout
    let url = URL(string: CommandLine.arguments[1] + "/faults/silent")!
    let start = Date()
    URLSession(configuration: configuration).dataTask(with: url) { _, _, _ in end.signal() }.resume()
    end.wait()
    return (Date().timeIntervalSince(start) * 10).rounded() / 10
}

let (half, oneAndAHalf) = (seconds(toTimeOutOf: 0.5), seconds(toTimeOutOf: 1.5))
print("expected: time-outs after 0.5 s and 1.5 s; got: \(half) s and \(oneAndAHalf) s")
exit((0.4...0.95).contains(half) && (1.4...1.95).contains(oneAndAHalf) ? 0 : 1)
