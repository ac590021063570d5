// SPDX-License-Identifier: Apache-2.0

import Foundation
import Runtime

/// A symbolicator of return addresses of a process.
package struct SymbolSource: Sendable {
    /// Returns the frames of each address, innermost first, leaving out addresses without a name.
    let frames: @Sendable (_ addresses: [UInt64], _ images: [LoadedImage]) -> [UInt64: [HolderFrame]]

    /// Swift's `Runtime` module.
    package static let runtime = SymbolSource { addresses, images in
        RuntimeSymbols.frames(of: addresses, in: images)
    }

    /// No symbols: frames are modules and offsets.
    package static let none = SymbolSource { _, _ in [:] }
}

/// Symbolicates addresses of another process with Swift's `Runtime` module, which demangles and reads DWARF.
enum RuntimeSymbols {
    /// Returns the frames of return addresses, innermost first; addresses outside of all images have none.
    static func frames(of addresses: [UInt64], in images: [LoadedImage]) -> [UInt64: [HolderFrame]] {
        guard !addresses.isEmpty, let backtrace = backtrace(of: addresses, in: images),
            let symbolicated = backtrace.symbolicated(options: [
                .showInlineFrames, .showSourceLocations, .useSymbolCache,
            ])
        else { return [:] }
        var frames: [UInt64: [HolderFrame]] = [:]
        for frame in symbolicated.frames {
            guard let address = UInt64(frame.captured.originalProgramCounter), let symbol = frame.symbol,
                symbol.name != unknown
            else { continue }
            frames[address, default: []].append(HolderFrame(frame, symbol))
        }
        return frames
    }

    /// The module's name for functions of libraries without symbols.
    private static let unknown = "<unknown>"

    /// Decodes a backtrace from JSON, because no public initializer takes addresses.
    private static func backtrace(of addresses: [UInt64], in images: [LoadedImage]) -> Backtrace? {
        let document = [
            "architecture": architecture,
            "backtrace": base64(compactBacktrace(ofReturnAddresses: addresses)),
            "imageMap": base64(CompactImageMap.bytes(of: images)),
        ]
        guard let data = try? JSONEncoder().encode(document) else { return nil }
        return try? JSONDecoder().decode(Backtrace.self, from: data)
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        String(Data(bytes).base64EncodedString().prefix { $0 != "=" })
    }

    private static var architecture: String {
        #if arch(arm64)
            "arm64"
        #else
            "x86_64"
        #endif
    }
}

extension HolderFrame {
    /// The file name of generated code, such as thunks and merged functions.
    private static let compilerGenerated = "<compiler-generated>"

    fileprivate init(_ frame: SymbolicatedBacktrace.Frame, _ symbol: SymbolicatedBacktrace.Symbol) {
        let name = symbol.sourceLocation?.path.split(separator: "/").last.map(String.init)
        let location = symbol.sourceLocation.flatMap { $0.line > 0 && name != Self.compilerGenerated ? $0 : nil }
        // The module's own classification of system functions is not used: it includes specialised functions.
        self.init(
            function: symbol.name, module: symbol.imageName, file: location.flatMap { _ in name }, line: location?.line,
            isInlined: frame.inlined, isSystem: frame.isSwiftThunk || frame.isSwiftRuntimeFailure)
    }
}

/// Return addresses in the compact format that Swift's `Runtime` module reads.
///
/// `docs/CompactBacktraceFormat.md` of the Swift repository describes it; this is version 0 with words of 64 bits.
private func compactBacktrace(ofReturnAddresses addresses: [UInt64]) -> [UInt8] {
    var bytes: [UInt8] = [0b10]
    for address in addresses {
        // A return address ("ra"), absolute, of 8 bytes.
        bytes.append(0b0010_1000 | 7)
        bytes += CompactWord.bigEndian(address)
    }
    bytes.append(0)
    return bytes
}

/// Programs and libraries in the compact format that Swift's `Runtime` module reads.
///
/// `docs/CompactImageMapFormat.md` of the Swift repository describes it, except for the platform's name after the first
/// byte, which was added later.
enum CompactImageMap {
    /// Returns the bytes of images, which must be ordered by address.
    static func bytes(of images: [LoadedImage]) -> [UInt8] {
        var bytes: [UInt8] = [0b10]
        let platform = [UInt8]("Linux".utf8)
        bytes += CompactWord.sevenBits(platform.count) + platform
        bytes += CompactWord.sevenBits(images.count)
        for image in images {
            // An absolute address of 8 bytes, and an offset of 8.
            bytes.append(7 << 3 | 7)
            bytes += CompactWord.bigEndian(image.range.lowerBound)
            bytes += CompactWord.bigEndian(UInt64(image.range.count))
            bytes += CompactWord.sevenBits(0)
            bytes += string(image.path)
        }
        return bytes
    }

    /// Encodes a text in literal pieces of up to 63 bytes.
    private static func string(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = [UInt8](text.utf8)[...]
        while !rest.isEmpty {
            let piece = rest.prefix(63)
            bytes.append(UInt8(piece.count))
            bytes += piece
            rest = rest.dropFirst(63)
        }
        return bytes + [0]
    }
}

private enum CompactWord {
    static func bigEndian(_ word: UInt64) -> [UInt8] {
        (0..<8).reversed().map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }
    }

    /// Encodes seven bits a byte, the highest first; all but the last byte have their top bit set.
    static func sevenBits(_ number: Int) -> [UInt8] {
        var bytes = [UInt8(number & 0x7f)]
        var rest = number >> 7
        while rest > 0 {
            bytes.append(UInt8(rest & 0x7f) | 0x80)
            rest >>= 7
        }
        return bytes.reversed()
    }
}

/// A program or library in a process.
struct LoadedImage: Hashable, Sendable {
    /// From its first byte to the end of its code.
    var range: Range<UInt64>
    var path: String

    var name: String { path.split(separator: "/").last.map(String.init) ?? path }
    var isSystem: Bool { SystemCode.isLibrary(at: path) }

    /// Returns the images with code in a process, ordered by address.
    static func images(in mappings: [Mapping]) -> [LoadedImage] {
        var images: [LoadedImage] = []
        var first: Mapping?
        var end: UInt64?
        for mapping in mappings where mapping.isFile {
            // An image begins where its file is mapped from offset 0; a program may also map its own file to read it.
            let isAnew = first?.path != mapping.path || images.last?.path == mapping.path
            if mapping.offset == 0, isAnew || end != mapping.range.lowerBound { first = mapping }
            end = mapping.range.upperBound
            guard mapping.isExecutable, let start = first, start.path == mapping.path else { continue }
            // The mappings are read while the process runs, and a recording may have been edited.
            guard start.range.lowerBound < mapping.range.upperBound else { continue }
            let range = start.range.lowerBound..<mapping.range.upperBound
            if images.last?.path == mapping.path, images.last?.range.lowerBound == range.lowerBound {
                images[images.count - 1].range = range
            } else {
                images.append(LoadedImage(range: range, path: mapping.path))
            }
        }
        return images
    }
}

/// Code of the language and the system, where users do not look for a line to change.
enum SystemCode {
    /// Libraries of the language that only allocate for their callers, wherever they are installed.
    ///
    /// FoundationNetworking is excluded, because a session decides itself what it holds.
    private static let libraries = [
        "libswift", "libFoundation.so", "libFoundationEssentials.so", "libFoundationInternationalization.so",
        "lib_FoundationICU.so", "libdispatch.so", "libBlocksRuntime.so",
    ]
    private static let deciding = "libFoundationNetworking.so"
    private static let folders = ["/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/"]
    /// Functions of the language's runtime and library that are linked statically or specialised for a program.
    private static let functions = [
        "swift_", "_swift_", "specialized Array.", "specialized ContiguousArray.", "Data.", "NSData.", "NSMutableData.",
        "specialized Data.",
    ]

    /// Indicates whether a library belongs to the language or the system.
    static func isLibrary(at path: String) -> Bool {
        let name = path.split(separator: "/").last ?? ""
        guard !name.hasPrefix(deciding) else { return false }
        let isShared = name.contains(".so")
        return libraries.contains { name.hasPrefix($0) } || isShared && folders.contains { path.hasPrefix($0) }
    }

    /// Functions that run before the program's own code.
    private static let starts: Set = ["_start"]

    /// Indicates whether a function belongs to the language or the system, whatever it is linked into.
    static func isNamed(_ function: String) -> Bool {
        functions.contains { function.hasPrefix($0) } || starts.contains(function)
    }
}
