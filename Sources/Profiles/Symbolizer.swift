// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbe

/// Names return addresses of another process by LLVM's symbolizer, which reads DWARF and finds inlined functions.
package struct Symbolizer: Hashable, Sendable {
    /// The path of the program; `nil` if there is none.
    package let program: String?

    /// Finds the program that is packed with fetchbench, that of the Swift toolchain, or the first on `PATH`.
    /// - Parameter environment: The user's `PATH`, as `NAME=value`.
    package init(environment: [String]) {
        let name = "llvm-symbolizer"
        let swift = try? ExecutableSearch.path(of: "swift", environment: environment)
        let folders = ["/proc/self/exe", swift].compactMap(\.self).map { place in
            URL(fileURLWithPath: place).resolvingSymlinksInPath().deletingLastPathComponent().path
        }
        program =
            folders.map { "\($0)/\(name)" }.first(where: FileManager.default.isExecutableFile)
            ?? (try? ExecutableSearch.path(of: name, environment: environment))
    }

    /// The time after which what it has found is all: damaged DWARF may lead it astray.
    private static let limit = Duration.seconds(60)
    private static let longestOutput = 256 << 20

    /// Returns the frames of return addresses, innermost first; those without a name have none.
    func frames(of addresses: [UInt64], in images: [LoadedImage]) async -> [UInt64: [HolderFrame]] {
        let places = addresses.compactMap { address in images.last { $0.range.contains(address) }.map { (address, $0) }
        }
        .filter { _, image in !image.path.contains { "\"\n".contains($0) } }
        guard let program, !places.isEmpty else { return [:] }
        // A return address is behind its call.
        let asked = places.map { address, image in
            "\"\(image.path)\" 0x\(String(address - image.range.lowerBound - 1, radix: 16))\n"
        }.joined()
        // Symbols tell whose code it is, names are for people.
        let symbols = await Self.answers(of: program, to: asked, "--no-demangle")
        let names = await Self.answers(of: program, to: asked, "--demangle")
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
        // Without the user's variables, some of which name servers of debugging information.
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
        // `<compiler-generated>` is no file.
        let isWritten = found.line > 0 && file?.hasPrefix("<") == false
        self.init(
            function: name.function, module: image.name, file: isWritten ? file : nil,
            line: isWritten ? found.line : nil,
            isInlined: isInlined, isSystem: name.isOfLanguage || SystemCode.isSource(at: found.file))
    }
}
