import Foundation
import Support
import Testing

/// Rules about the repository itself.
@Suite("The repository")
struct RepositoryTests {
    @Test(
        "generated files equal the output of the program",
        arguments: zip(
            [
                "schemas/mobile-services.schema.json", "schemas/report.schema.json",
                "schemas/local-api.openapi.yaml", "schemas/addon-protocol.schema.json", "docs/reference.md",
                "docs/local-api.md",
            ],
            [
                ["schema"], ["schema", "report"], ["schema", "api"], ["schema", "addon-protocol"],
                ["schema", "--format", "markdown"], ["schema", "api", "--format", "markdown"],
            ]
        )
    )
    func generated(path: String, arguments: [String]) throws {
        let written = try Program.corewire(arguments)
        #expect(written.status == 0)
        #expect(try Repository.text(of: path) == written.output, "run 'make schemas'")
    }

    @Test(
        "a source file has at most 500 lines",
        arguments: ["Sources", "Tests", "Fuzz", "Benchmarks"].flatMap { Repository.files(below: $0, ending: ".swift") }
    )
    func length(path: String) throws {
        let lines = try Repository.text(of: path).split(separator: "\n", omittingEmptySubsequences: false).count
        #expect(lines <= 500, "\(path) has \(lines) lines")
    }

    @Test("every event is in the description of the local API")
    func events() throws {
        let list = try Repository.text(of: "Sources/Contracts/WireRunnerContract/AllEvents.swift")
        let kinds = try Self.libraryFiles.flatMap { path in
            try Repository.text(of: path).matches(of: /enum (\w+): String, APIEvent/).map { String($0.1) }
        }
        #expect(kinds.count > 15)
        for path in Self.libraryFiles where !path.contains("/WireTelemetry/") {
            let text = try Repository.text(of: path)
            #expect(text.firstMatch(of: /emit\(\s*"/) == nil, "\(path) emits an event that is not declared")
        }
        for kind in kinds { #expect(list.contains("\(kind).self"), "\(kind) is not listed") }
    }

    @Test("a library never prints, exits or traps", arguments: libraryFiles)
    func libraries(path: String) throws {
        let text = try Repository.text(of: path)
        // A search for bytes takes far less time than one for characters, and most files have none of the words.
        let found = Self.forbidden.filter { unsafe strstr(text, $0.word) != nil }
        guard !found.isEmpty else { return }
        let uses = text.split(separator: "\n").filter { line in
            let isComment = line.drop(while: { $0 == " " }).hasPrefix("//")
            return found.contains { word, isForComments in
                (isForComments || !isComment)
                    && line.ranges(of: word).contains { range in
                        let former = line[..<range.lowerBound].last
                        return former.map { !$0.isLetter && !$0.isNumber && !"_.".contains($0) } ?? true
                    }
            }
        }
        #expect(uses.isEmpty, "\(path): \(uses)")
    }

    /// The beginnings of what libraries must not do, and of notes for later: what is missing is told in the documents, or
    /// built.
    private static let forbidden: [(word: String, isForComments: Bool)] = [
        ("print(", false), ("fatalError(", false), ("try!", false), ("exit(", false), ("TODO", true), ("FIXME", true),
    ]

    static let libraryFiles = Repository.files(below: "Sources", ending: ".swift").filter {
        !["CorewireCLI", "CorewireRunner", "Programs"].contains($0.split(separator: "/")[1])
    }

    @Test("every command in the README exists, with its options")
    func readmeCommands() throws {
        let lines = try Repository.text(of: "README.md").split(separator: "\n")
        let commands = lines.flatMap { line in
            line.split(separator: "`").flatMap { $0.split(separator: "|") }.map { $0.drop { $0 == " " || $0 == "$" } }
                .filter { $0.hasPrefix("corewire ") }
        }
        #expect(commands.count >= 8)
        for command in commands {
            let words = command.split(separator: " ").dropFirst().map(String.init)
            let names = words.prefix {
                !$0.hasPrefix("-") && !$0.contains("/") && !$0.contains(".") && $0.lowercased() == $0
                    && !$0.hasPrefix("<")
            }
            let name = try #require(names.first, "\(command)")
            var help = try Program.corewire(["help", name] + names.dropFirst().prefix(1))
            if help.status != 0 { help = try Program.corewire(["help", name]) }
            #expect(help.status == 0, "\(command)")
            for option in words where option.hasPrefix("--") {
                #expect(help.output.contains(option.split(separator: "=")[0]), "\(command): \(option)")
            }
        }
    }

    @Test("every services file in the README is valid")
    func readmeFiles() throws {
        let parts = try Repository.text(of: "README.md").components(separatedBy: "```")
        let files = parts.filter { $0.hasPrefix("yaml\n") }.map { $0.dropFirst("yaml\n".count) }
        #expect(!files.isEmpty)
        for file in files {
            let run = try Program.corewire(["validate-config", "-"], input: Data(file.utf8))
            #expect(run.status == 0, "\(run.everything)")
        }
    }

    @Test("the make targets in the README exist")
    func makeTargets() throws {
        let makefile = try Repository.text(of: "Makefile")
        let readme = try Repository.text(of: "README.md")
        let named = readme.components(separatedBy: "`make ").dropFirst().compactMap {
            $0.split(whereSeparator: { $0 == "`" || $0 == " " }).first
        }
        #expect(!named.isEmpty)
        for target in named { #expect(makefile.contains("\n\(target):"), "make \(target)") }
    }

    @Test("the map of the README lists every folder of the sources")
    func map() throws {
        let readme = try Repository.text(of: "README.md")
        let paths = Repository.files(below: "Sources", ending: ".swift").map { $0.split(separator: "/") }
        var folders = Set(paths.map { $0[1] })
        // Services have one folder each, as the map says of all of them.
        let layers: Set<Substring> = ["Base", "Contracts", "Edges", "Runtime", "Backends", "Dialects"]
        for path in paths where layers.contains(path[1]) { folders.insert(path[2]) }
        #expect(folders.count > 20)
        for folder in folders {
            let isThere = ["`\(folder)`", "/\(folder)`", "`\(folder)/"].contains { readme.contains($0) }
            #expect(isThere, "\(folder)")
        }
    }
}
