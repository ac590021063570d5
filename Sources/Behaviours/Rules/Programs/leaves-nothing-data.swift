let end = DispatchSemaphore(value: 0)
let url = URL(string: CommandLine.arguments[1] + "/bytes/1KiB")!
let session = URLSession(configuration: .ephemeral)
func fetch(_ count: Int) {
    for _ in 0..<count {
        session.dataTask(with: url) { _, _, _ in end.signal() }.resume()
        end.wait()
    }
}

fetch(500)
let before = peak()
fetch(3000)
let perRequest = (peak() - before) * 1024 / 3000
print("expected: the peak grows by less than 64 bytes a request; got: \(perRequest) bytes")
exit(perRequest < 64 ? 0 : 1)
