// SPDX-License-Identifier: Apache-2.0

extension Case {
    /// The value of the column `case`: `hero/data/none/glibc`, `64MiB/stream/none/glibc/concurrency=5+delay=200us`.
    ///
    /// The identifier of a plain command is `sort/glibc/threads=2`.
    package var identifier: String {
        let subject = isPlain ? [mode, allocator.rawValue] : [asset, mode, render, allocator.rawValue]
        let rest = conditionsText
        return (rest.isEmpty ? subject : subject + [rest]).joined(separator: "/")
    }

    /// The parameters and the unusual conditions, joined by `+`; may be empty.
    package var conditionsText: String {
        (parameters.map { "\($0.name)=\($0.value)" } + conditions.words).joined(separator: "+")
    }

    /// The title of a plain command in tables: its name with the values of its parameters.
    package var title: String {
        let rest =
            parameters.filter { !mode.contains("{\($0.name)}") }.map { "\($0.name)=\($0.value)" } + conditions.words
        return CommandTemplate.filled(mode, with: parameters)
            + (rest.isEmpty ? "" : " (\(rest.joined(separator: ", ")))")
            + (allocator == .glibc ? "" : " on \(allocator.rawValue)")
    }
}

extension Dimension {
    package func columnText(of cell: Case, in metrics: MetricCatalog) -> String {
        isTold(metrics.scenario(of: cell)) ? columnText(cell.conditions) : ""
    }
}
