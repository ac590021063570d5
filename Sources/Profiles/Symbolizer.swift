// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbe

/// Names return addresses of another process by LLVM's symbolizer, which reads DWARF and finds inlined functions.
package struct Symbolizer: Hashable, Sendable {
    package let program: String?

    /// Finds the program beside this one, in the Swift toolchain or, as the last choice, on the user's `PATH`.
    package init(searchPath: String?) {
        let name = "llvm-symbolizer"
        func found(_ name: String) -> String? {
            try? ExecutableSearch.path(of: name, environment: searchPath.map { ["PATH=" + $0] } ?? [])
        }
        let besides = ["/proc/self/exe", found("swift")].compactMap(\.self).map { place in
            URL(fileURLWithPath: place).resolvingSymlinksInPath().deletingLastPathComponent().path + "/" + name
        }
        program = besides.first(where: FileManager.default.isExecutableFile) ?? found(name)
    }

    /// The time limit, because damaged DWARF may make it run on; the answers until then are used.
    private static let limit = Duration.seconds(60)
    private static let longestOutput = 256 << 20

    /// Returns the frames of return addresses, innermost first; those without a name have none.
    func frames(of addresses: [UInt64], in images: [LoadedImage]) async -> [UInt64: [HolderFrame]] {
        let places = addresses.compactMap { address in
            images.last { $0.range.contains(address) && !$0.path.contains { "\"\n".contains($0) } }.map {
                (address, $0)
            }
        }
        guard let program, !places.isEmpty else { return [:] }
        // A return address follows the call instruction.
        let asked = places.map { address, image in
            "\"\(image.path)\" 0x\(String(address - image.range.lowerBound - 1, radix: 16))\n"
        }.joined()
        // Symbols identify the library that a function belongs to; names are for display.
        let symbols = await Self.answers(of: program, to: asked, "--no-demangle")
        let names = symbols.isEmpty ? [] : await Self.answers(of: program, to: asked, "--demangle")
        var frames: [UInt64: [HolderFrame]] = [:]
        for (place, (symbols, names)) in zip(places, zip(symbols, names)) {
            let functions = zip(symbols, names).filter { !$0.0.function.isEmpty }.enumerated().map { depth, pair in
                HolderFrame(pair.0, named: pair.1.function, in: place.1, isInlined: depth < symbols.count - 1)
            }
            if !functions.isEmpty { frames[place.0] = functions }
        }
        return frames
    }

    private static func answers(of program: String, to text: String, _ option: String) async -> [[Answer.Function]] {
        // The user's environment may name debuginfod servers, which would be asked over the network.
        let launch = ChildLaunch(
            executable: program, arguments: ["--output-style=JSON", "--inlines", "--relative-address", option],
            environment: ["LC_ALL": "C"], limit: limit, reading: text, outputLimit: longestOutput)
        guard let output = try? await launch.run().output else { return [] }
        return output.split(separator: UInt8(ascii: "\n")).map { line in
            (try? JSONDecoder().decode(Answer.self, from: Data(line)))?.functions ?? []
        }
    }

    /// An address's functions, the inlined ones first.
    fileprivate struct Answer: Decodable {
        struct Function: Decodable {
            let function: String
            let file: String
            let line: Int

            private enum CodingKeys: String, CodingKey {
                case function = "FunctionName"
                case file = "FileName"
                case line = "Line"
            }
        }
        let functions: [Function]?

        private enum CodingKeys: String, CodingKey { case functions = "Symbol" }
    }
}

extension HolderFrame {
    fileprivate init(
        _ found: Symbolizer.Answer.Function, named name: String, in image: LoadedImage, isInlined: Bool
    ) {
        let name = SymbolName(symbol: found.function, demangled: name)
        let file = found.file.split(separator: "/").last.map(String.init)
        // Generated code has `<compiler-generated>` in the place of a file.
        let isWritten = found.line > 0 && file?.hasPrefix("<") == false
        self.init(
            function: name.function, module: image.name, file: isWritten ? file : nil,
            line: isWritten ? found.line : nil,
            isInlined: isInlined, isSystem: name.isOfLanguage || LoadedImage.SystemCode.isSource(at: found.file))
    }
}
