package import WireConfig

/// A text table with aligned columns.
package struct Table {
    package struct Cell: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
        package let text: String
        package var tint: Paint.Tint?

        package init(_ text: String, _ tint: Paint.Tint? = nil) {
            self.text = text
            self.tint = tint
        }

        package init(stringLiteral text: String) { self.init(text) }
    }

    private var rows: [[Cell]]

    package init(_ head: [String]) {
        rows = [head.map { Cell($0, .faint) }]
    }

    package mutating func add(_ cells: [Cell]) {
        rows.append(cells)
    }

    /// Columns without values are left out.
    package func text(_ paint: Paint, indented: Int = 0) -> String {
        let columns = (rows.first ?? []).indices.filter { column in
            rows.dropFirst().contains { column < $0.count && !$0[column].text.isEmpty }
        }
        let widths = columns.map { column in
            rows.map { column < $0.count ? $0[column].text.unicodeScalars.count : 0 }.max() ?? 0
        }
        return rows.map { row in
            var line = String(repeating: " ", count: indented)
            var gap = 0
            for (column, width) in zip(columns, widths) where column < row.count {
                let cell = row[column]
                guard !cell.text.isEmpty else {
                    gap += width + 2
                    continue
                }
                line += String(repeating: " ", count: gap) + (cell.tint.map { paint(cell.text, $0) } ?? cell.text)
                gap = width - cell.text.unicodeScalars.count + 2
            }
            return line + "\n"
        }.joined()
    }
}
