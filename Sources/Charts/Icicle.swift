// SPDX-License-Identifier: Apache-2.0

/// A tree of sizes: each node is as wide as its size, above its children.
package struct Icicle: Sendable {
    package enum Kind: String, Sendable {
        case whole
        /// A function of the program.
        case own
        /// A function of the language or the system.
        case system
        /// Memory held by no function.
        case residue
        /// Memory in no row.
        case unattributed
    }

    package struct Node: Sendable {
        package var name: String
        package var kind: Kind
        /// The size in MiB, including the children.
        package var value: Double
        /// The children, the widest first.
        package var children: [Node]

        package init(_ name: String, _ kind: Kind, value: Double, children: [Node] = []) {
            self.name = name
            self.kind = kind
            self.value = value
            self.children = children
        }
    }

    private let title: String
    private let summary: String
    private let root: Node

    package init(title: String, summary: String, root: Node) {
        self.title = title
        self.summary = summary
        self.root = root
    }

    private static let rowHeight = 22.0
    private static let margin = 8.0
    /// The width below which nodes are left out, as they could not be seen or hit.
    private static let narrowest = 1.5
    private static let deepest = 60

    package var picture: Picture {
        let width = Picture.width - 2 * Self.margin
        let scale = width / max(root.value, root.children.reduce(0) { $0 + max(0, $1.value) }, 1e-9)
        let depth = Self.depth(of: root, scale)
        return Picture(
            title, summary: summary, height: 30 + Self.rowHeight * Double(depth) + 8, style: "icicle"
        ) { markup in
            legend(into: &markup)
            draw(root, x: Self.margin, level: 0, scale, into: &markup)
        }
    }

    private func legend(into markup: inout Markup) {
        let entries = [
            ("own", "own code"), ("system", "language and system"), ("residue", "held by no call stack"),
            ("unattributed", "unattributed"),
        ]
        var x = Self.margin
        for (style, words) in entries {
            markup.rectangle(x: x, y: 8, width: 16, height: 11, "frame " + style)
            markup.label(words, x: x + 22, y: 18, "small")
            x += 44 + ChartText.width(of: words, size: 11)
        }
    }

    private static func depth(of node: Node, _ scale: Double, level: Int = 1) -> Int {
        guard level < deepest else { return level }
        let below = node.children.filter { $0.value * scale >= narrowest }.map {
            depth(of: $0, scale, level: level + 1)
        }
        return below.max() ?? level
    }

    private func draw(_ node: Node, x: Double, level: Int, _ scale: Double, into markup: inout Markup) {
        let width = node.value * scale
        guard width >= Self.narrowest, level < Self.deepest else { return }
        let y = 30 + Self.rowHeight * Double(level)
        let share = root.value > 0 ? ", \(ChartText.fixed(100 * node.value / root.value, places: 1)) %" : ""
        let words = "\(ChartText.fixed(node.value, places: 2)) MiB\(share)"
        markup.rectangle(
            x: x, y: y, width: width, height: Self.rowHeight - 1, "frame " + node.kind.rawValue,
            title: "\(node.name): \(words)")
        let text = ChartText.fitted(
            "\(node.name) · \(ChartText.fixed(node.value, places: 1))", into: width - 8, size: 11)
        if !text.isEmpty { markup.label(text, x: x + 4, y: y + 15, "block") }
        var left = x
        for child in node.children where child.value > 0 {
            draw(child, x: left, level: level + 1, scale, into: &markup)
            left += child.value * scale
        }
    }
}
