import Testing
import WireBase
import WireConfig

@Suite("Diagnostics of common YAML mistakes")
struct ComplaintTests {
    struct Mistake: Sendable, CustomTestStringConvertible {
        let text: String
        let line: Int
        let column: Int
        let words: String
        /// The text after the fix; nil where no fix is certain.
        let fixed: String?

        init(_ text: String, _ line: Int, _ column: Int, _ words: String, fixed: String? = nil) {
            (self.text, self.line, self.column, self.words, self.fixed) = (text, line, column, words, fixed)
        }

        var testDescription: String { text.debugDescription }
    }

    static let quotes = [
        Mistake("a: [*.example.com]\n", 1, 5, "begins with '*'"),
        Mistake("a: *.example.com\n", 1, 4, "begins with '*'", fixed: "a: '*.example.com'\n"),
        Mistake("a: **/*.js\n", 1, 4, "begins with '*'", fixed: "a: '**/*.js'\n"),
        Mistake("- & co\n", 1, 3, "begins with '&'", fixed: "- '& co'\n"),
        Mistake("a: !<x\n", 1, 4, "begins with '!'", fixed: "a: '!<x'\n"),
        Mistake("a: >x\n", 1, 4, "begins with '>'", fixed: "a: '>x'\n"),
        Mistake("a: *.x # why\n", 1, 4, "begins with '*'"),
        Mistake("a: [*.x, b\n]\n", 1, 5, "begins with '*'"),
        Mistake("a: *.x\n  more\n", 1, 4, "begins with '*'"),
        Mistake("a: @x\n", 1, 4, "may not begin with '@'", fixed: "a: '@x'\n"),
        Mistake("a: ? x\n", 1, 4, "may not begin with '?'", fixed: "a: '? x'\n"),
        Mistake("a: b: it's\n", 1, 5, "contains ': '", fixed: "a: 'b: it''s'\n"),
        Mistake("a: {b: 'It's so.'}\n", 1, 11, "inside single quotes", fixed: "a: {b: 'It''s so.'}\n"),
        Mistake("a: \"say \"hi\" now\"\n", 1, 9, "inside double quotes"),
        Mistake("a: \"x\" for y\n", 1, 8, "text after the closing quote"),
        Mistake("a: \"x\nb: \"y\"\n", 1, 4, "not closed on its line"),
        Mistake("a: “30s”\n", 1, 4, "straight quotes", fixed: "a: \"30s\"\n"),
        Mistake("“a”: 1\n", 1, 1, "straight quotes", fixed: "\"a\": 1\n"),
        Mistake("a: [‘x, y’]\n", 1, 5, "straight quotes"),
        Mistake("a: {{ x }} y\n", 1, 4, "begins with a template", fixed: "a: \"{{ x }} y\"\n"),
        Mistake("a:\n  - b\n  - {{ x }} y\n", 3, 5, "begins with a template", fixed: "a:\n  - b\n  - \"{{ x }} y\"\n"),
        Mistake("a: [{{ x }} y, z]\n", 1, 5, "begins with a template"),
        Mistake("a: {{ x }\nb: y\n", 1, 4, "begins with a template", fixed: "a: \"{{ x }\"\nb: y\n"),
        Mistake("a: {{ \"x\"\n  \"y\" }}\n", 1, 4, "begins with a template"),
    ]

    static let lines = [
        Mistake("a:\n  b:x\n  c: y\n", 2, 4, "a colon and a space", fixed: "a:\n  b: x\n  c: y\n"),
        Mistake("a: 1\nb:2\n", 2, 2, "a colon and a space", fixed: "a: 1\nb: 2\n"),
        Mistake("a:\n  b\n  c: y\n", 2, 3, "a colon and a space"),
        Mistake("a: x\n  b: y\n", 1, 4, "has one value"),
        Mistake("a: 'x'\n  b: y\n", 1, 4, "has one value"),
        Mistake("a:\n  b: x\n   c: y\n  d: z\n", 3, 4, "one space more", fixed: "a:\n  b: x\n  c: y\n  d: z\n"),
        Mistake("a:\n  b: 'x'\n   c: y\n   d: z\n", 3, 4, "one space more"),
        Mistake("a:\n  b: x\n c: y\n", 3, 2, "one space less"),
        Mistake("a:\n  - b\n  -c\n", 3, 3, "a list item begins", fixed: "a:\n  - b\n  - c\n"),
        Mistake("a:\n  b: |\n c\n", 3, 2, "below '|' must be indented"),
        Mistake("a: {b: 1}}\n", 1, 10, "unmatched closing bracket"),
        Mistake("a:\n    b: 1\n  c: 2\n", 3, 3, "does not belong to the mapping"),
        Mistake("%x\na: 1\n", 1, 1, "directive"),
        Mistake("a: \"\\xZ\"\n", 1, 7, "is not a character"),
    ]

    static let lookalikes = [
        Mistake("a:\n<<<<<<< HEAD\n  b: 1\n=======\n  b: 2\n>>>>>>> main\n", 2, 1, "unfinished merge"),
        Mistake("a: {\n<<<<<<< HEAD\n  b: 1,\n=======\n  b: 2\n>>>>>>> main\n}\n", 2, 1, "unfinished merge"),
        Mistake("a: \"x\n<<<<<<< HEAD\nb: 1\n", 2, 1, "unfinished merge"),
        Mistake("a:\n  b:\u{a0}x\n", 2, 5, "U+00A0", fixed: "a:\n  b: x\n"),
        Mistake("a:\n  b:\u{a0}x\n  c: y\n", 2, 5, "U+00A0", fixed: "a:\n  b: x\n  c: y\n"),
        Mistake("a:\n\u{a0}\u{a0}b: x\n", 2, 1, "U+00A0", fixed: "a:\n  b: x\n"),
        Mistake("a:\n  \u{3000}b: x\n", 2, 3, "U+3000", fixed: "a:\n   b: x\n"),
        Mistake("a: \u{a0}x\n", 1, 4, "U+00A0", fixed: "a:  x\n"),
        Mistake("a:\n  b = x\n", 2, 5, "not by '='", fixed: "a:\n  b: x\n"),
        Mistake("a = x\n", 1, 3, "not by '='", fixed: "a: x\n"),
        Mistake("a:\n  b = x\n  c: y\n", 2, 5, "not by '='", fixed: "a:\n  b: x\n  c: y\n"),
        Mistake("a:\n  b: x\n  c=y\n", 3, 4, "not by '='", fixed: "a:\n  b: x\n  c: y\n"),
    ]

    @Test("a mistake is reported with its place, rule and fix", arguments: quotes + lines + lookalikes)
    func mistakes(_ mistake: Mistake) throws {
        let read = ReadText(mistake.text)
        let problem = try #require(read.problems.first)
        #expect(read.codes == ["CW0103"])
        #expect(problem.place?.start == TextPosition(line: mistake.line, column: mistake.column))
        #expect(problem.message.contains(mistake.words), "\(problem.message)")
        #expect(problem.fix.map { Self.apply($0, to: mistake.text) } == mistake.fixed)
        if let fixed = mistake.fixed { #expect(ReadText(fixed).problems.isEmpty) }
    }

    static func apply(_ fix: Fix, to text: String) -> String {
        var bytes = Array(text.utf8)
        for edit in fix.edits.reversed() { bytes.replaceSubrange(edit.place.bytes, with: edit.replacement.utf8) }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(
        "valid text that resembles a mistake is accepted",
        arguments: [
            "a: b = c\n", "a: [b = c]\n", "a:\n  - b = c\n", "a: “Hallo”, sagte er\n", "a: \"“x”\"\n", "a: x\u{a0}y\n",
            "a: <<x\n", "a: |\n  <<<<<<< HEAD\n", "a: \"{{ x }} y\"\n", "a:\n  https://x.example\n",
        ]
    )
    func noMistakes(text: String) {
        #expect(ReadText(text).problems.isEmpty)
    }

    @Test("parsing continues after an unambiguous mistake")
    func recovery() {
        #expect(ReadText("a: “30s”\n").value("a") == "\"30s\"")
        #expect(ReadText("a: \u{a0}x\n").value("a") == "\"x\"")
    }

    @Test("an unquoted template is reported once, and hides no mistake below")
    func templates() {
        #expect(ReadText("a: {{ x }} y\n").codes == ["CW0103"])
        #expect(ReadText("a: {{ x }}\nb: [1\n").codes == ["CW0111", "CW0103"])
        #expect(ReadText("a: [1, {{ x }}]\nb: {{ y }}\n").codes == ["CW0111", "CW0111"])
    }

    @Test("no message repeats content of the file")
    func secrecy() throws {
        let texts = Self.quotes + Self.lines + Self.lookalikes
        for mistake in texts {
            let secret = mistake.text.replacing("x", with: "hunter2")
            for problem in ReadText(secret).problems {
                let said =
                    [problem.message, problem.label] + problem.help.map(\.description)
                    + problem.related.map(\.text)
                #expect(!said.joined().contains("hunter2"), "\(problem.message)")
            }
        }
    }

    @Test("a text truncated anywhere gives a result")
    func beginnings() {
        for mistake in Self.quotes + Self.lines + Self.lookalikes {
            let scalars = Array(mistake.text.unicodeScalars)
            for (start, end) in (0...scalars.count).flatMap({ end in (0...min(end, 6)).map { ($0, end) } }) {
                var text = ""
                text.unicodeScalars.append(contentsOf: scalars[start..<end])
                for problem in ReadText(text).problems {
                    let place = problem.place?.bytes
                    #expect(
                        place.map { $0.lowerBound >= 0 && $0.upperBound <= text.utf8.count } ?? true,
                        "\(text.debugDescription)"
                    )
                    _ = problem.place?.start
                }
            }
        }
    }
}
