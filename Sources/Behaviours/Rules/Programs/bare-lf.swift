// An answer whose lines end with a line feed alone.
_ = ask(origin + "/bytes/1KiB")
let (_, bytes, code) = ask(origin + "/faults/bare-lf")
print("expected: 3 bytes; got: \(code == 0 ? "\(bytes) bytes" : "error \(code)")")
exit(bytes == 3 ? 0 : 1)
