import WireBase
package import WireConfig

/// The output of commands that ask a runner.
package struct Display {
    package let isJSON: Bool
    package let paint: Paint

    /// Reads `--format`, and whether the terminal shows colours.
    package init(_ invocation: Invocation) throws {
        isJSON = try invocation.choice("format") == "json"
        paint = Paint(isOn: Console.wantsColour(on: 1))
    }

    /// Prints the JSON for programs, or the text.
    package func show(_ json: JSONValue, _ text: () -> String) {
        Console.print(isJSON ? json.text(indented: true) + "\n" : text())
    }

    /// A time for tables.
    package static func time(_ milliseconds: Int64?) -> String { time(milliseconds.map { Int($0) }) }

    /// A time for tables.
    package static func time(_ milliseconds: Int?) -> String {
        guard let milliseconds, milliseconds > 0 else { return "" }
        return Timestamp(milliseconds: Int64(milliseconds)).description.prefix(19) + "Z"
    }

    /// An environment, with the URL of its servers where it is not declared.
    static func environment(_ name: String?, at url: String?) -> String? {
        guard let url = url?.shown(upTo: 400) else { return name?.shown(upTo: 400) }
        return name.map { "\($0.shown(upTo: 400)) at \(url)" } ?? url
    }

    /// A period in at most two units, as `top` shows it.
    package static func period(_ seconds: Int?) -> String {
        guard let seconds else { return "" }
        switch seconds {
        case ..<60: return "\(seconds)s"
        case ..<3_600: return "\(seconds / 60)m\(seconds % 60)s"
        case ..<86_400: return "\(seconds / 3_600)h\(seconds / 60 % 60)m"
        default: return "\(seconds / 86_400)d\(seconds / 3_600 % 24)h"
        }
    }
}
