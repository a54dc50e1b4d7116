import CorewireCatalogue
import WireConfig

/// Completion scripts, generated from the same declarations as the help.
struct CompletionScript {
    /// A command with its path.
    private struct Node {
        let path: [String]
        let command: Command
    }

    private let nodes: [Node]

    init(_ root: Command) {
        nodes = Self.nodes(root, [])
    }

    private static func nodes(_ command: Command, _ path: [String]) -> [Node] {
        [Node(path: path, command: command)] + command.subcommands.flatMap { nodes($0, path + [$0.name]) }
    }

    private static func words(_ values: Command.Values) -> [String] {
        switch values {
        case .words(let words): words
        case .commands: Program.root().subcommands.map(\.name)
        case .settings: FileForm(Shipped.catalogue).paths
        case .anything, .files, .environments, .registrars: []
        }
    }

    /// The names of registrars: the first column of the runner's table, without the heading.
    private static let registrars = "corewire push status 2>/dev/null | awk 'NR > 1 { if (!NF) exit; print $1 }'"

    private static let environments = "$(corewire env list --format text 2>/dev/null | cut -c3- | cut -d' ' -f1)"

    // MARK: bash

    var bash: String {
        var cases = ""
        for node in nodes {
            let options = (node.command.options + [.help]).map { "--\($0.name)" }
            let words = node.command.subcommands.map(\.name) + node.command.arguments.flatMap { Self.words($0.values) }
            let environments = node.command.arguments.contains { $0.values.isEnvironments } ? "; environments=1" : ""
            let registrars = node.command.arguments.contains { $0.values.isRegistrars } ? "; registrars=1" : ""
            let files = node.command.arguments.contains { $0.values.isFiles } ? "; files=1" : ""
            cases +=
                "    '\(node.path.joined(separator: " "))') words=\"\((options + words).joined(separator: " "))\"\(files)\(environments)\(registrars) ;;\n"
        }
        let values = optionCases { option in
            switch option.values {
            case .words, .settings, .commands:
                "COMPREPLY=($(compgen -W \"\(Self.words(option.values).joined(separator: " "))\" -- \"$current\"))"
            case .environments: "_corewire_environments \"$current\""
            case .registrars: "_corewire_registrars \"$current\""
            case .files: "COMPREPLY=($(compgen -f -- \"$current\"))"
            case .anything: ":"
            }
        }
        let commands = nodes.map { $0.path.joined(separator: " ") }.filter { !$0.isEmpty }
        return """
            # bash completion of corewire
            # Names come from a file, so they are never handed to the shell as words.
            _corewire_environments() {
              local line name
              while IFS= read -r line; do
                name="${line:2}"; name="${name%% *}"
                if [[ "$name" == "$1"* ]]; then COMPREPLY+=("$name"); fi
              done < <(corewire env list 2>/dev/null)
            }
            _corewire_registrars() {
              local name
              while IFS= read -r name; do
                if [[ "$name" == "$1"* ]]; then COMPREPLY+=("$name"); fi
              done < <(\(Self.registrars))
            }
            _corewire() {
              local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}" path="" words="" files="" environments="" registrars="" word
              COMPREPLY=()
              for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
                case "${path:+$path }$word" in
                  \(commands.map { "'\($0)'" }.joined(separator: "|"))) path="${path:+$path }$word" ;;
                esac
              done
              case "$path $previous" in
            \(values.dropLast())
              esac
              case "$path" in
            \(cases.dropLast())
              esac
              COMPREPLY=($(compgen -W "$words" -- "$current"))
              if [ -n "$environments" ]; then _corewire_environments "$current"; fi
              if [ -n "$registrars" ]; then _corewire_registrars "$current"; fi
              if [ -n "$files" ]; then COMPREPLY+=($(compgen -f -- "$current")); fi
            }
            complete -o filenames -F _corewire corewire

            """
    }

    /// The cases for values of options in a shell script, by command and option.
    private func optionCases(_ action: (Command.Option) -> String) -> String {
        var patterns: [String: [String]] = [:]
        for node in nodes {
            for option in node.command.options where option.value != nil {
                let names = ["--\(option.name)"] + (option.letter.map { ["-\($0)"] } ?? [])
                patterns[action(option), default: []] += names.map { "'\(node.path.joined(separator: " ")) \($0)'" }
            }
        }
        return patterns.sorted { $0.key < $1.key }.map { action, patterns in
            "    \(patterns.joined(separator: "|"))) \(action); return ;;\n"
        }.joined()
    }

    // MARK: zsh

    var zsh: String {
        var cases = ""
        for node in nodes {
            let subcommands = node.command.subcommands.map { "'\($0.name):\(Self.zshQuoted($0.summary))'" }
            let words = node.command.arguments.flatMap { Self.words($0.values) }.map { "'\($0)'" }
            let options = (node.command.options + [.help]).map { "'--\($0.name):\(Self.zshQuoted($0.help))'" }
            cases += "    '\(node.path.joined(separator: " "))')\n"
            cases += "      entries=(\((subcommands + words + options).joined(separator: " ")))\n"
            if node.command.arguments.contains(where: { $0.values.isFiles }) { cases += "      _files\n" }
            if node.command.arguments.contains(where: { $0.values.isEnvironments }) {
                cases += "      compadd -- \(Self.environments)\n"
            }
            if node.command.arguments.contains(where: { $0.values.isRegistrars }) {
                cases += "      compadd -- ${(f)\"$(\(Self.registrars))\"}\n"
            }
            cases += "      ;;\n"
        }
        let commands = nodes.map { $0.path.joined(separator: " ") }.filter { !$0.isEmpty }
        return """
            #compdef corewire
            _corewire() {
              local path_so_far="" word
              local -a entries
              for word in ${words[2,CURRENT-1]}; do
                case "${path_so_far:+$path_so_far }$word" in
                  \(commands.map { "'\($0)'" }.joined(separator: "|"))) path_so_far="${path_so_far:+$path_so_far }$word" ;;
                esac
              done
              case "$path_so_far ${words[CURRENT-1]}" in
            \(zshValues.dropLast())
              esac
              case "$path_so_far" in
            \(cases.dropLast())
              esac
              _describe 'corewire' entries
            }
            _corewire "$@"

            """
    }

    private var zshValues: String {
        optionCases { option in
            switch option.values {
            case .words, .settings, .commands: "compadd -- \(Self.words(option.values).joined(separator: " "))"
            case .environments: "compadd -- \(Self.environments)"
            case .registrars: "compadd -- ${(f)\"$(\(Self.registrars))\"}"
            case .files: "_files"
            case .anything: ":"
            }
        }
    }

    private static func zshQuoted(_ text: String) -> String {
        text.reduce(into: "") { quoted, character in
            switch character {
            case "'": quoted += "'\\''"
            case ":": quoted += "\\:"
            default: quoted.append(character)
            }
        }
    }

    // MARK: fish

    var fish: String {
        var lines = ["# fish completion of corewire", "complete -c corewire -f"]
        for node in nodes {
            let condition =
                node.path.isEmpty
                ? "__fish_use_subcommand"
                : node.path.map { "__fish_seen_subcommand_from \($0)" }.joined(separator: "; and ")
            for subcommand in node.command.subcommands {
                let siblings = node.command.subcommands.map(\.name).joined(separator: " ")
                let only =
                    node.path.isEmpty ? condition : "\(condition); and not __fish_seen_subcommand_from \(siblings)"
                lines.append(
                    "complete -c corewire -n '\(only)' -a \(subcommand.name) -d '\(Self.fishQuoted(subcommand.summary))'"
                )
            }
            for argument in node.command.arguments {
                switch argument.values {
                case .words, .settings, .commands:
                    let words = Self.words(argument.values).joined(separator: " ")
                    lines.append("complete -c corewire -n '\(condition)' -a '\(words)'")
                case .files: lines.append("complete -c corewire -n '\(condition)' -F")
                case .environments: lines.append("complete -c corewire -n '\(condition)' -a '\(Self.fishEnvironments)'")
                case .registrars: lines.append("complete -c corewire -n '\(condition)' -a '\(Self.fishRegistrars)'")
                case .anything: break
                }
            }
            lines += node.command.options.map { fish($0, when: condition) }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static let fishEnvironments = "(corewire env list 2>/dev/null | string sub -s 3 | string split -f1 \" \")"

    private static let fishRegistrars =
        "(corewire push status 2>/dev/null | awk \"NR > 1 { if (!NF) exit; print \\$1 }\")"

    private func fish(_ option: Command.Option, when condition: String) -> String {
        var line =
            "complete -c corewire -n '\(condition)' \(option.letter.map { "-s \($0) " } ?? "")-l \(option.name) -d '\(Self.fishQuoted(option.help))'"
        switch option.values {
        case .words, .settings, .commands: line += " -x -a '\(Self.words(option.values).joined(separator: " "))'"
        case .files: line += " -r -F"
        case .environments: line += " -x -a '\(Self.fishEnvironments)'"
        case .registrars: line += " -x -a '\(Self.fishRegistrars)'"
        case .anything: if option.value != nil { line += " -x" }
        }
        return line
    }

    private static func fishQuoted(_ text: String) -> String {
        text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "\\'")
    }
}

extension Command.Values {
    fileprivate var isFiles: Bool { if case .files = self { true } else { false } }
    fileprivate var isRegistrars: Bool { if case .registrars = self { true } else { false } }
    fileprivate var isEnvironments: Bool { if case .environments = self { true } else { false } }
}
