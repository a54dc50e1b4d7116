import WireBase

/// The help of a command, in the layout of the Swift ArgumentParser.
struct HelpText {
    private let command: Command
    private let path: [String]
    private static let column = 26
    private static let width = 80

    init(_ command: Command, path: [String]) {
        self.command = command
        self.path = path
    }

    var text: String {
        var parts = ["OVERVIEW: \(command.summary)"]
        if !command.discussion.isEmpty { parts.append(command.discussion) }
        parts.append("USAGE: \(usage)")
        if !command.arguments.isEmpty {
            parts.append("ARGUMENTS:\n" + command.arguments.map { row("<\($0.name)>", $0.help) }.joined())
        }
        parts.append("OPTIONS:\n" + options.map { row($0.label, $0.help) }.joined())
        if command.run != nil, command.options.contains(where: { $0.name == "socket" }) { parts.append(Self.asking) }
        for group in command.groups {
            parts.append("\(group.title):\n" + group.commands.map { row($0.name, $0.summary) }.joined())
        }
        if !command.subcommands.isEmpty {
            parts.append(
                "  See 'corewire help \((path + ["<subcommand>"]).joined(separator: " "))' for detailed help."
            )
        }
        return parts.map { $0.hasSuffix("\n") ? $0 : $0 + "\n" }.joined(separator: "\n")
    }

    /// The exit statuses of all commands that ask a runner.
    private static let asking = """
        Exit status of all commands that connect to a runner: \(ExitStatus.unavailable.rawValue) no runner available,
        \(ExitStatus.temporary.rawValue) temporary failure (retry later), \
        \(ExitStatus.noPermission.rawValue) not permitted.
        """

    /// The first line of usage, for messages.
    var usage: String {
        var words = ["corewire"] + path
        for option in command.options {
            words.append("[--\(option.name)\(option.value.map { " <\($0)>" } ?? "")]\(option.isRepeated ? " ..." : "")")
        }
        words += command.arguments.map { $0.isOptional ? "[<\($0.name)>]" : "<\($0.name)>" }
        if !command.subcommands.isEmpty { words.append(command.run == nil ? "<subcommand>" : "[<subcommand>]") }
        return words.joined(separator: " ")
    }

    private var options: [(label: String, help: String)] {
        (command.options + [.help] + (path.isEmpty ? [.version] : [])).map { option in
            let letter = option.name == "help" ? "h" : option.letter
            let label = (letter.map { "-\($0), " } ?? "") + "--\(option.name)"
            return (label + (option.value.map { " <\($0)>" } ?? ""), option.help)
        }
    }

    private func row(_ label: String, _ help: String) -> String {
        var lines: [String] = []
        var line = ""
        for word in help.split(separator: " ") {
            if !line.isEmpty, line.count + word.count + 1 > Self.width - Self.column {
                lines.append(line)
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        lines.append(line)
        let margin = String(repeating: " ", count: Self.column)
        let head = "  \(label)"
        let first =
            head.count < Self.column - 1
            ? head + String(repeating: " ", count: Self.column - head.count) : head + "\n" + margin
        return first + lines.joined(separator: "\n" + margin) + "\n"
    }
}
