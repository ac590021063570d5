// A response whose header lines have no space after the colon.
let (_, bytes, code) = ask(origin + "/faults/tight-header")
print("expected: 3 bytes; got: \(code == 0 ? "\(bytes) bytes" : "error \(code)")")
exit(bytes == 3 ? 0 : 1)
