// SPDX-License-Identifier: Apache-2.0

import CCurl
package import Foundation
import Glibc
import MemProbe

/// What this process has loaded, which need not be what it was built with.
package enum LoadedLibraries {
    /// What libcurl says of itself and of its parts: `libcurl/8.5.0 OpenSSL/3.0.13 zlib/1.3 …`.
    ///
    /// The corresponding function is `curl_version`.
    package static var libcurl: String? {
        curl_version().map { String(cString: $0) }
    }

    /// The platform that the toolchain's URLSession was built on, as its compiler left it there, or `nil` where it is
    /// linked into the program or does not tell: `Ubuntu 11.4.0-1ubuntu1~22.04.2`.
    ///
    /// It decides which functions of libcurl were left out, whichever libcurl is loaded later.
    package static var toolchainPlatform: String? {
        guard let line = mappings.split(separator: "\n").first(where: { $0.hasSuffix("/libFoundationNetworking.so") }),
            let slash = line.firstIndex(of: "/"),
            let library = try? Data(contentsOf: URL(fileURLWithPath: String(line[slash...])), options: .alwaysMapped)
        else { return nil }
        return platform(inLibrary: library)
    }

    /// What is mapped into this process; read to its end by hand, because Foundation takes the first page for all of it.
    private static var mappings: String {
        let file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "" }
        defer { close(file) }
        return String(decoding: SystemCall.readAll(from: file) ?? [], as: UTF8.self)
    }

    /// What stands between the brackets of `GCC: (Ubuntu 11.4.0-1ubuntu1~22.04.2) 11.4.0` in an ELF's `.comment`.
    package static func platform(inLibrary library: Data) -> String? {
        guard let start = library.range(of: Data("GCC: (".utf8), options: .backwards),
            let end = library[start.upperBound...].prefix(200).firstIndex(of: UInt8(ascii: ")"))
        else { return nil }
        return String(decoding: library[start.upperBound..<end], as: UTF8.self)
    }
}
