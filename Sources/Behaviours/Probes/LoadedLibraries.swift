// SPDX-License-Identifier: Apache-2.0

import CCurl
package import Foundation
import Glibc
import MemProbe

/// The libraries that this process has loaded, which may differ from those it was built with.
package enum LoadedLibraries {
    /// The result of `curl_version`: `libcurl/8.5.0 OpenSSL/3.0.13 zlib/1.3 …`.
    package static var libcurl: String? {
        curl_version().map { String(cString: $0) }
    }

    /// The platform that the toolchain's URLSession was built on: `Ubuntu 22.04 (GCC 11.4.0)`; `nil` if it is linked
    /// statically or has no compiler comment.
    ///
    /// It determines which functions of libcurl were left out, whichever libcurl is loaded later.
    package static var toolchainPlatform: String? {
        guard let line = mappings.split(separator: "\n").first(where: { $0.hasSuffix("/libFoundationNetworking.so") }),
            let slash = line.firstIndex(of: "/"),
            let library = try? Data(contentsOf: URL(fileURLWithPath: String(line[slash...])), options: .alwaysMapped)
        else { return nil }
        return platform(inLibrary: library)
    }

    /// The mappings of this process; read by hand to the end, because Foundation stops after the first page.
    private static var mappings: String {
        let file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "" }
        defer { close(file) }
        return String(decoding: SystemCall.readAll(from: file) ?? [], as: UTF8.self)
    }

    /// Returns `Ubuntu 22.04 (GCC 11.4.0)` for `GCC: (Ubuntu 11.4.0-1ubuntu1~22.04.2) 11.4.0` in an ELF's `.comment`.
    ///
    /// The package's version has the release after a tilde, if it was built for an older release than its own.
    package static func platform(inLibrary library: Data) -> String? {
        guard let start = library.range(of: Data("GCC: (".utf8), options: .backwards),
            let end = library[start.upperBound...].prefix(200).firstIndex(of: UInt8(ascii: ")"))
        else { return nil }
        let words = String(decoding: library[start.upperBound..<end], as: UTF8.self).split(separator: " ", maxSplits: 1)
        guard words.count == 2 else { return words.first.map(String.init) }
        let release = words[1].split(separator: "~").dropFirst().last?.split(separator: ".").prefix(2)
            .joined(separator: ".")
        guard let release, release.allSatisfy({ $0.isNumber || $0 == "." }) else {
            return "\(words[0]) (GCC \(words[1]))"
        }
        return "\(words[0]) \(release) (GCC \(words[1].prefix { $0 != "-" }))"
    }
}
