let end = DispatchSemaphore(value: 0)
let session = URLSession(configuration: .ephemeral)

/// The peak after a body of 1 MiB in HTTP chunks of a size.
func peak(chunk: Int) -> Int {
    let url = URL(string: CommandLine.arguments[1] + "/bytes/1MiB?encoding=chunked&chunk=\(chunk)")!
    session.dataTask(with: url) { _, _, _ in end.signal() }.resume()
    end.wait()
    return peak()
}

let large = peak(chunk: 65_536)
let growth = peak(chunk: 16) - large
print("expected: less than 4096 KiB more for 1 MiB in chunks of 16 bytes; got: \(growth) KiB more")
exit(growth < 4096 ? 0 : 1)
