import CorewireCLI
import WireBase
import WireConfig

/// Columns that line up, for people.
struct Table {
    struct Cell: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
        let text: String
        var tint: Paint.Tint?

        init(_ text: String, _ tint: Paint.Tint? = nil) {
            self.text = text
            self.tint = tint
        }

        init(stringLiteral text: String) { self.init(text) }
    }

    private var rows: [[Cell]]

    init(_ head: [String]) {
        rows = [head.map { Cell($0, .faint) }]
    }

    mutating func add(_ cells: [Cell]) {
        rows.append(cells)
    }

    /// Columns that say nothing in any row are left out.
    func text(_ paint: Paint, indented: Int = 0) -> String {
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

/// How commands that speak to the runner show what it said.
struct Showing {
    let isJSON: Bool
    let paint: Paint

    /// Judges `--output`, and whether there is a terminal to show colours.
    init(_ invocation: Invocation) throws {
        isJSON = try invocation.choice("output") == "json"
        paint = Paint(isOn: Console.wantsColour(on: 1))
    }

    /// Prints the answer as it is for programs, or what people are to read.
    func show(_ json: JSONValue, _ text: () -> String) {
        Console.print(isJSON ? json.text(indented: true) + "\n" : text())
    }

    /// A moment as tables hold it.
    static func time(_ milliseconds: Int64?) -> String { time(milliseconds.map { Int($0) }) }

    /// A moment as tables hold it.
    static func time(_ milliseconds: Int?) -> String {
        guard let milliseconds, milliseconds > 0 else { return "" }
        return Timestamp(milliseconds: Int64(milliseconds)).description.prefix(19) + "Z"
    }
}
