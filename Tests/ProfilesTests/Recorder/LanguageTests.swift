// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Profiles
import Testing

/// Memory of the containers of a language's own library, which belongs to the line that fills them.
struct LanguageTests {
    @Test(arguments: ["-O", "-Onone"]) func ofSwiftIsOfTheFunctionsOfTheProgram(optimisation: String) async throws {
        let compiler = try ExecutableSearch.path(of: "swiftc", environment: ["PATH=" + Recorded.searchPath])
        let sizes = [("loadOrders()", 3, 16.0), ("fill()", 7, 12)]
        try await expect(sizes, of: Self.swift, "swift", compiler, optimisation)
    }

    @Test(arguments: ["-O0", "-O2"]) func ofCPlusPlusIsOfTheFunctionsOfTheProgram(optimisation: String) async throws {
        let sizes = [("loadOrders()", 3, 16.0), ("readFile()", 4, 12), ("main", 6, 20), ("main", 7, 24)]
        try await expect(sizes, of: Self.cPlusPlus, "cpp", "/usr/bin/g++", optimisation)
    }

    /// By symbols alone, in both manglings, which C can give its functions as well.
    @Test(arguments: [
        ("_RNvCs1_4shop5boxed", "_RNvNtCs1_5alloc3vec9from_elem"),
        ("_ZN4shop5boxed17h0123456789abcdefE", "_ZN5alloc3vec9from_elem17h0123456789abcdefE"),
    ])
    func ofRustIsOfTheFunctionsOfTheProgram(own: String, library: String) async throws {
        let source = """
            #include <stdlib.h>
            __attribute__((noinline)) char *from_elem(long) __asm__("\(library)"), *boxed(void) __asm__("\(own)");
            char *from_elem(long size) { char *made = malloc(size); memset(made, 1, size); return made; }
            char *boxed(void) { char *volatile made = from_elem(9 << 20); return made; }
            int main(void) { free(boxed()); return 0; }
            """
        let row = try await CompiledProgram.with(source) {
            HolderTable(try await Recorded($0, []).profile()).rows.first
        }
        #expect(row?.what == "boxed (program)" && row?.chain == "from_elem", "\(String(describing: row))")
    }

    /// Expects rows of functions at lines, with their sizes in MiB.
    private func expect(
        _ sizes: [(name: String, line: Int, size: Double)], of source: String, _ suffix: String, _ compiler: String,
        _ optimisation: String
    ) async throws {
        let rows = try await CompiledProgram.with(
            source, compiler: compiler, suffix: suffix, options: [optimisation, "-g"]
        ) { HolderTable(try await Recorded($0, []).profile()).rows }
        for (name, line, size) in sizes {
            let row = rows.first { $0.what.hasPrefix("\(name), program.") && $0.what.hasSuffix(":\(line)") }
            #expect(abs(Double(row?.bytes ?? 0) / 1_048_576 - size) <= size / 100, "\(name):\(line) in \(rows)")
        }
    }

    private static let swift = """
        @inline(never) func loadOrders() -> [Int] {
            var orders: [Int] = []
            for number in 0..<(2 << 20) { orders.append(number) }
            return orders
        }
        @inline(never) func fill() -> String {
            var text = ""; text.reserveCapacity(12 << 20)
            for _ in 0..<(12 << 20) / 8 { text += "12345678" }
            return text
        }
        let (orders, text) = (loadOrders(), fill())
        print(orders.count + text.utf8.count)
        """

    private static let cPlusPlus = """
        #include <string>
        #include <vector>
        __attribute__((noinline)) std::vector<double> loadOrders() { return std::vector<double>(2 << 20, 1.0); }
        __attribute__((noinline)) std::string readFile() { return std::string(12 << 20, 'x'); }
        int main() { auto orders = loadOrders(); auto text = readFile();
            std::vector<char> cache(20 << 20, 1);
            std::vector<int> table(6 << 20, 3);
            return (int)(orders[7] + text[3] + cache[9] + table[5]) == 0; }
        """
}
