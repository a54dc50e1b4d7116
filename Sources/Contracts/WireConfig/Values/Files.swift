import WireBase

/// A file to read, relative to the services file.
package struct InputFile: Sendable, Hashable {
    /// The path, as written.
    package let path: String
}

/// A folder of files to read, relative to the services file.
package struct InputFolder: Sendable, Hashable {
    /// The path, as written.
    package let path: String
}

/// A folder to write to, relative to the data folder of the app.
package struct Directory: Sendable, Hashable {
    /// The path, as written.
    package let path: String
}

/// A pattern of file names with `*`, `**` and `?`, relative to the services file.
package struct Glob: Sendable, Hashable {
    /// The pattern, as written.
    package let pattern: String
}

/// A program and its arguments, run without a shell.
package struct Command: Sendable, Hashable {
    /// The program: a path, or a name searched on `PATH`.
    package let program: String
    /// The arguments, which may be templates.
    package let arguments: [Template]
}

/// A path has no control characters: `"C:\tasks"` in double quotes contains a tab.
private let noControls = "^[^\\u0000-\\u001f\\u007f]+$"

extension InputFile: SettingValue {
    package static var form: Form { .text(TextForm("a path", example: "tokens/apns", pattern: noControls)) }
    package static var placeholder: Self { Self(path: "") }
    package var literal: Literal { .text(path) }

    package static func read(_ node: NodeID, with reader: Reader) -> Reading<Self> {
        reader.path(node, form).map { path in
            reader.record(reader.need(.readableFile, path, at: node))
            return Self(path: path)
        }
    }
}

extension InputFolder: SettingValue {
    package static var form: Form { .text(TextForm("a path of a folder", example: "content", pattern: noControls)) }
    package static var placeholder: Self { Self(path: "") }
    package var literal: Literal { .text(path) }

    package static func read(_ node: NodeID, with reader: Reader) -> Reading<Self> {
        reader.path(node, form).map { path in
            reader.record(reader.need(.readableFolder, path, at: node))
            return Self(path: path)
        }
    }
}

extension Directory: SettingValue {
    package static var form: Form { .text(TextForm("a path of a folder", example: "downloads", pattern: noControls)) }
    package static var placeholder: Self { Self(path: "") }
    package var literal: Literal { .text(path) }

    package static func read(_ node: NodeID, with reader: Reader) -> Reading<Self> {
        reader.path(node, form).map { path in
            reader.record(reader.need(.writableDirectory, path, at: node))
            return Self(path: path)
        }
    }
}

extension Glob: SettingValue {
    package static var form: Form {
        .text(TextForm("a pattern of file names", example: "graphql/*.graphql", pattern: noControls))
    }
    package static var placeholder: Self { Self(pattern: "") }
    package var literal: Literal { .text(pattern) }

    package static func read(_ node: NodeID, with reader: Reader) -> Reading<Self> {
        let reading = reader.path(node, form)
        guard let pattern = reading.value else { return .none }
        if pattern.contains("[") || pattern.contains("{") {
            reader.reportMismatch(node, expected: "a pattern of '*', '**' and '?'")
            return .none
        }
        reader.record(reader.need(.filesMatching, pattern, at: node))
        return .complete(Self(pattern: pattern))
    }
}

extension Command: SettingValue {
    package static var form: Form {
        .list(
            .text(
                TextForm(
                    "a program, then its arguments",
                    example: "notify-send",
                    pattern: Template.textForm.pattern
                )
            )
        )
    }
    package static var placeholder: Self { Self(program: "", arguments: []) }
    package var literal: Literal { .list([.text(program)] + arguments.map(\.literal)) }

    package static func read(_ node: NodeID, with reader: Reader) -> Reading<Self> {
        if reader.document.kind(node).isScalar {
            reader.reportMismatch(
                node,
                expected: "a list of a program and its arguments",
                help: "commands run without a shell; write each word as an item: \(asItems(reader.document.text(node)))"
            )
            return .none
        }
        let words: Reading<[Template]> = [Template].read(node, with: reader)
        guard let words = words.value else { return .none }
        let items = reader.document.items(node)
        guard let first = words.first, let firstItem = items.first, words.count == items.count else {
            if items.isEmpty { reader.reportMismatch(node, expected: "a program and its arguments") }
            return .none
        }
        guard first.variables.isEmpty else {
            reader.reportMismatch(firstItem, expected: "a program without placeholders")
            return .none
        }
        reader.record(reader.need(.program, first.text, at: firstItem))
        return .complete(Self(program: first.text, arguments: Array(words.dropFirst())))
    }
}

extension Command {
    /// Splits a command line into a list of words, where that is unambiguous.
    private static func asItems(_ line: String) -> String {
        let needsShell = line.utf8.contains { "\"'|&;<>$`\\*".utf8.contains($0) }
        let words = needsShell ? [] : line.split(separator: " ").map(String.init)
        let items = words.isEmpty || line.utf8.count > 80 ? ["notify-send", "{{ title }}"] : words
        return Literal.list(items.map(Literal.text)).flowText
    }
}

extension Reader {
    fileprivate func path(_ node: NodeID, _ form: Form) -> Reading<String> {
        guard case .text(let text, _) = scalar(node, for: form) else { return .none }
        guard !text.isEmpty, !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f }) else {
            let isEscape = document.place(node).file.bytes[document.place(node).bytes].contains(UInt8(ascii: "\\"))
            reportMismatch(
                node,
                expected: text.isEmpty ? form.noun : "\(form.noun) without control characters",
                help: isEscape ? "in double quotes a backslash begins an escape; write '/' or '\\\\'" : nil
            )
            return .none
        }
        return .complete(text)
    }

    package func need(_ kind: LocalNeed.Kind, _ name: String, at node: NodeID) -> LocalNeed {
        LocalNeed(kind: kind, name: name, place: document.place(document.target(node)), path: pathText)
    }
}
