import WireBase
package import WireConfig

/// A control of OWASP MASVS 2.1: `MASVS-RESILIENCE-4`.
package struct MASVSControl: Sendable, Hashable {
    package let id: String

    /// The number of controls in each group.
    static let all = [
        ("STORAGE", 2), ("CRYPTO", 2), ("AUTH", 3), ("NETWORK", 2), ("PLATFORM", 3), ("CODE", 4), ("RESILIENCE", 4),
        ("PRIVACY", 4),
    ].flatMap { group, count in (1...count).map { "MASVS-\(group)-\($0)" } }
}

extension MASVSControl: TextValue {
    package static var textForm: TextForm {
        TextForm("a control of OWASP MASVS", example: "MASVS-RESILIENCE-4", pattern: "^MASVS-[A-Z]+-[1-4]$")
    }

    package init(parsing text: String) throws(Misread) {
        guard Self.all.contains(text) else {
            let nearest = Nearest.names(to: text, among: Self.all)
            throw Misread(
                help: nearest.isEmpty
                    ? "MASVS 2 has eight groups; those of version 1 (V8 …) have other names"
                    : "did you mean \(nearest.prefix(4).listed())?",
                fix: nearest.count == 1 ? nearest.first : nil
            )
        }
        self.init(id: text)
    }

    package var description: String { id }
}

/// The name of a process, a program or a thread, as the kernel shows it.
package struct ProcessName: Sendable, Hashable {
    package let text: String
}

extension ProcessName: TextValue {
    package static var textForm: TextForm { TextForm("the name of a process", example: "gdb") }

    package init(parsing text: String) throws(Misread) {
        if let name = text.split(separator: "/").last, text.contains("/") {
            throw Misread(help: "write the name without a folder: \(name)", fix: String(name))
        }
        guard !text.isEmpty, text.utf8.count <= 255, text.utf8.allSatisfy({ (0x20...0x7e).contains($0) }) else {
            throw Misread()
        }
        self.init(text: text)
    }

    package var description: String { text }
}

/// The name of an environment variable.
package struct VariableName: Sendable, Hashable {
    package let text: String
}

extension VariableName: TextValue {
    package static var textForm: TextForm {
        TextForm("the name of an environment variable", example: "LD_PRELOAD", pattern: "^[A-Za-z_][A-Za-z0-9_]*$")
    }

    package init(parsing text: String) throws(Misread) {
        guard let first = text.utf8.first, !first.isDigit,
            text.utf8.allSatisfy({ $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "_") })
        else { throw Misread(help: "use letters, digits and underscores, not beginning with a digit") }
        self.init(text: text)
    }

    package var description: String { text }
}

/// An absolute path that need not exist.
package struct AbsolutePath: Sendable, Hashable {
    package let text: String
}

extension AbsolutePath: TextValue {
    package static var textForm: TextForm {
        TextForm("a path from the root", example: "/opt/tasks", pattern: "^/")
    }

    package init(parsing text: String) throws(Misread) {
        guard text.hasPrefix("/"), !text.utf8.contains(0) else { throw Misread(help: "it must begin with '/'") }
        self.init(text: text)
    }

    package var description: String { text }
}

/// An absolute path with `*` for any part of a name.
package struct PathPattern: Sendable, Hashable {
    package let text: String
}

extension PathPattern: TextValue {
    package static var textForm: TextForm {
        TextForm("a path from the root, perhaps with '*'", example: "/tmp/frida-*", pattern: "^/")
    }

    package init(parsing text: String) throws(Misread) {
        guard text.hasPrefix("/"), !text.utf8.contains(0) else { throw Misread(help: "it must begin with '/'") }
        guard !text.contains("**"), !text.contains("["), !text.contains("{") else {
            throw Misread(expected: "a path whose only wildcard is '*'", help: "whole folders are not searched")
        }
        self.init(text: text)
    }

    package var description: String { text }
}
