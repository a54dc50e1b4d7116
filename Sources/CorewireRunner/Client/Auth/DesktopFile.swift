import CorewireCLI
import WireBase

/// A desktop entry that opens the addresses of a scheme (Desktop Entry Specification).
struct DesktopFile {
    struct App {
        let id: String
        let name: String
        let scheme: String
    }

    let app: App
    /// The absolute path of the services file.
    private let services: String

    init(_ app: App, services: String) {
        self.app = app
        self.services = services
    }

    var name: String { "corewire-\(app.id).desktop" }

    var text: String {
        """
        [Desktop Entry]
        Type=Application
        Name=\(Self.value("Sign in to \(app.name)"))
        Exec=\(Self.value(Self.command([RunnerProgram.firstProgram, "auth", "callback", "--config", services, "--"]))) %u
        NoDisplay=true
        Terminal=false
        MimeType=x-scheme-handler/\(app.scheme);

        """
    }

    /// Quotes arguments for the key `Exec`, without special characters.
    private static func command(_ arguments: [String]) -> String {
        arguments.map { argument in
            let plain = argument.utf8.allSatisfy { $0.isLetter || $0.isDigit || "/._-".utf8.contains($0) }
            guard !plain else { return argument }
            var quoted = ""
            for character in argument.unicodeScalars {
                if "\"`$\\".unicodeScalars.contains(character) { quoted += "\\" }
                quoted.unicodeScalars.append(character)
                if character == "%" { quoted += "%" }
            }
            return "\"\(quoted)\""
        }.joined(separator: " ")
    }

    /// Escapes a value for one line.
    private static func value(_ text: String) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\t": escaped += "\\t"
            case "\r": escaped += "\\r"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}
