// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A file that is open and has no name any more, so that nothing of it stays behind.
struct NamelessFile: ~Copyable {
    /// Its descriptor, which no child of another test inherits.
    let number: CInt

    /// Makes one in the folder for temporary files, to be read from its first byte.
    init(holding bytes: [UInt8] = []) throws {
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        let name = "\(folder)/nameless-\(UInt64.random(in: 0 ... .max))"
        number = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard number >= 0 else { throw ProcessFailure("\(name): \(String(cString: strerror(errno)))") }
        unlink(name)
        guard pwrite(number, bytes, bytes.count, 0) == bytes.count else {
            throw ProcessFailure("\(name): \(bytes.count) bytes could not be written")
        }
    }

    deinit {
        close(number)
    }

    /// What stands in it by now, whoever wrote it.
    var bytes: [UInt8] {
        var status = stat()
        guard fstat(number, &status) == 0, status.st_size > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: Int(status.st_size)) { buffer, count in
            count = max(0, pread(number, buffer.baseAddress, buffer.count, 0))
        }
    }
}
