// SPDX-License-Identifier: Apache-2.0

import Foundation
import Runtime

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
            "backtrace": base64(CompactBacktrace.bytes(ofReturnAddresses: addresses)),
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
