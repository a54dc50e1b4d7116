import WireBase

/// The manual page of the program, in the macros of `man`.
struct ManualPage {
    private let root: Command

    init(_ root: Command) { self.root = root }

    var text: String {
        """
        .TH COREWIRE 1 "" "corewire \(Self.quoted(Program.version))" "User Commands"
        .SH NAME
        corewire \\- \(Self.quoted(root.summary))
        .SH SYNOPSIS
        .B corewire
        .I command
        .RI [ options ]
        .SH DESCRIPTION
        \(Self.paragraphs(root.discussion))

        """ + root.groups.map(Self.section).joined() + Self.statuses
    }

    private static func section(_ group: Command.Group) -> String {
        ".SH \(quoted(group.title)) COMMANDS\n" + group.commands.map { entries(of: $0, []) }.joined()
    }

    /// The entries of a command and its subcommands.
    private static func entries(of command: Command, _ path: [String]) -> String {
        let path = path + [command.name]
        let arguments = command.arguments.map { $0.isOptional ? "[<\($0.name)>]" : "<\($0.name)>" }
        var entry = ".SS \"\((["corewire"] + path + arguments).map(quoted).joined(separator: " "))\"\n"
        entry += paragraphs(command.summary + "\n\n" + command.discussion) + "\n"
        for argument in command.arguments { entry += row("\\fI\(quoted(argument.name))\\fR", argument.help) }
        for option in command.options {
            let letter = option.letter.map { "\\fB\\-\($0)\\fR, " } ?? ""
            let value = option.value.map { " \\fI\(quoted($0))\\fR" } ?? ""
            entry += row("\(letter)\\fB\\-\\-\(quoted(option.name))\\fR\(value)", option.help)
        }
        return entry + command.subcommands.map { entries(of: $0, path) }.joined()
    }

    private static let statuses =
        ".SH EXIT STATUS\n" + ExitStatus.allCases.map { row("\($0.rawValue)", $0.meaning) }.joined()

    private static func row(_ label: String, _ help: String) -> String { ".TP\n\(label)\n\(line(help))\n" }

    /// Several lines of text: indented lines stay, others are filled.
    private static func paragraphs(_ text: String) -> String {
        var result: [String] = []
        var isExample = false
        for part in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let isIndented = part.hasPrefix(" ")
            if isIndented != isExample {
                result.append(isIndented ? ".EX" : ".EE")
                isExample = isIndented
            }
            result.append(part.isEmpty ? ".PP" : line(String(part)))
        }
        while result.last == ".PP" { result.removeLast() }
        return (result + (isExample ? [".EE"] : [])).joined(separator: "\n")
    }

    /// A line of text, escaped so that roff does not take it for a request.
    private static func line(_ text: String) -> String {
        text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" + quoted(text) : quoted(text)
    }

    private static func quoted(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { quoted, scalar in
            switch scalar {
            case "\\": quoted += "\\e"
            case "-": quoted += "\\-"
            case "'": quoted += "\\(aq"
            case "\"": quoted += "\\(dq"
            case "^": quoted += "\\(ha"
            case "~": quoted += "\\(ti"
            case "`": quoted += "\\(ga"
            case _ where scalar.isASCII: quoted.unicodeScalars.append(scalar)
            default:
                let digits = String(scalar.value, radix: 16, uppercase: true)
                quoted += "\\[u\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits)]"
            }
        }
    }
}
