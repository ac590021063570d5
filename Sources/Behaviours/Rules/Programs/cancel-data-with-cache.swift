import Glibc

let end = DispatchSemaphore(value: 0)
let url = URL(string: CommandLine.arguments[1] + "/bytes/16KiB")!
let session = URLSession(configuration: .default)
session.dataTask(with: url) { _, _, _ in end.signal() }.resume()
end.wait()
for batch in 0..<40 {
    for index in 0..<100 {
        let task = session.dataTask(with: url) { _, _, _ in end.signal() }
        task.resume()
        if batch % 4 > 0 { usleep(UInt32(index % 20 * batch)) }
        task.cancel()
    }
    for _ in 0..<100 { end.wait() }
}
print("expected: 4000 tasks end after they were cancelled; got: 4000")
