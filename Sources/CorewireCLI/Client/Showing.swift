import WireBase
package import WireConfig

/// How commands that speak to the runner show what it said.
package struct Showing {
    package let isJSON: Bool
    package let paint: Paint

    /// Judges `--output`, and whether there is a terminal to show colours.
    package init(_ invocation: Invocation) throws {
        isJSON = try invocation.choice("output") == "json"
        paint = Paint(isOn: Console.wantsColour(on: 1))
    }

    /// Prints the answer as it is for programs, or what people are to read.
    package func show(_ json: JSONValue, _ text: () -> String) {
        Console.print(isJSON ? json.text(indented: true) + "\n" : text())
    }

    /// A moment as tables hold it.
    package static func time(_ milliseconds: Int64?) -> String { time(milliseconds.map { Int($0) }) }

    /// A moment as tables hold it.
    package static func time(_ milliseconds: Int?) -> String {
        guard let milliseconds, milliseconds > 0 else { return "" }
        return Timestamp(milliseconds: Int64(milliseconds)).description.prefix(19) + "Z"
    }
}
