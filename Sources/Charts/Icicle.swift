// SPDX-License-Identifier: Apache-2.0

/// A tree of sizes: each node is as wide as its size, above its children.
package enum Icicle {
    package enum Kind: String, Sendable {
        case whole
        case own
        case system
        case residue
        /// Memory in no row.
        case unattributed
    }

    package struct Node: Sendable {
        package var name: String
        package var kind: Kind
        /// The size in MiB, including the children.
        package var value: Double
        package var children: [Node]

        package init(_ name: String, _ kind: Kind, value: Double, children: [Node] = []) {
            (self.name, self.kind, self.value, self.children) = (name, kind, value, children)
        }
    }

    private static let rowHeight = 22.0
    /// The width in percent below which nodes are left out, as they could not be seen or hit.
    private static let narrowest = 0.3
    private static let deepest = 60

    package static func picture(title: String, summary: String, root: Node) -> ChartPicture {
        let scale = 100 / max(root.value, root.children.reduce(0) { $0 + max(0, $1.value) }, 1e-9)
        let depth = depth(of: root, scale)
        return ChartPicture(
            title, summary: summary, height: 30 + rowHeight * Double(depth) + 8, style: "icicle"
        ) { markup in
            let entries = [
                ("own", "own code"), ("system", "system"), ("residue", "no stack"), ("unattributed", "unattributed"),
            ]
            for (index, (style, words)) in entries.enumerated() {
                markup.rectangle(x: 25 * Double(index), y: 8, width: 3, height: 11, "frame " + style)
                markup.label(words, x: 4 + 25 * Double(index), y: 18, "small")
            }
            draw(root, of: root.value, x: 0, level: 0, scale, into: &markup)
        }
    }

    private static func depth(of node: Node, _ scale: Double, level: Int = 1) -> Int {
        guard level < deepest else { return level }
        let below = node.children.filter { $0.value * scale >= narrowest }.map {
            depth(of: $0, scale, level: level + 1)
        }
        return below.max() ?? level
    }

    private static func draw(
        _ node: Node, of whole: Double, x: Double, level: Int, _ scale: Double, into markup: inout Markup
    ) {
        let width = node.value * scale
        guard width >= narrowest, level < deepest else { return }
        let y = 30 + rowHeight * Double(level)
        let share = whole > 0 ? ", \(ChartText.fixed(100 * node.value / whole, places: 1)) %" : ""
        let words = "\(node.name): \(ChartText.fixed(node.value, places: 2)) MiB\(share)"
        // A nested picture cuts the text that its block has no room for, at any width of the page.
        let block: KeyValuePairs = [
            "x": ChartText.percent(x), "y": ChartText.coordinate(y), "width": ChartText.percent(width),
            "height": ChartText.coordinate(rowHeight - 1),
        ]
        markup.element("svg", block) { svg in
            svg.rectangle(
                x: 0, y: 0, width: 100, height: rowHeight - 1, "frame " + node.kind.rawValue, title: words)
            svg.label("\(node.name) · \(ChartText.fixed(node.value, places: 1))", x: 0, dx: 4, y: 15, "block")
        }
        var left = x
        for child in node.children where child.value > 0 {
            draw(child, of: whole, x: left, level: level + 1, scale, into: &markup)
            left += child.value * scale
        }
    }
}
