let end = DispatchSemaphore(value: 0)
let session = URLSession(configuration: .ephemeral)

/// The processor time for one answer, in seconds.
func time(_ path: String) -> Double {
    let before = processorTime()
    let url = URL(string: CommandLine.arguments[1] + path)!
    session.dataTask(with: url) { _, _, _ in end.signal() }.resume()
    end.wait()
    return processorTime() - before
}

_ = time("/bytes/1KiB")
let small = time("/faults/headers/2000")
let large = time("/faults/headers/8000")
let factor = large / small
print("expected: four times as much takes some four times as long; got: \(small) and \(large) s, \(factor) times")
exit(factor < 6.5 || large < 0.1 ? 0 : 1)
