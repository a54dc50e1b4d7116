import Foundation
import Support
import Testing
import WireConfig

@Suite("External programs")
struct OutsideProgramTests {
    private static let folder = Repository.root.appendingPathComponent("Tests/OutsideProgram")
    private static let sources = ["Addons.swift", "Development.swift", "Services.swift"].map {
        folder.appendingPathComponent($0).path
    }

    /// Where the modules are that such a program gets with its dependency.
    private static var search: [String] {
        get throws {
            let system = Repository.root.appendingPathComponent("Sources/System").path
            let modules = try FileManager.default.contentsOfDirectory(atPath: system).map { "\(system)/\($0)" }
            // Targets with sources of their own have their headers apart.
            let apart = ["ConsoleFiles", "StoreSchema", "System/CCurl"].map {
                Repository.root.appendingPathComponent("Sources/\($0)/include").path
            }
            return (modules + apart + [Program.buildFolder.appendingPathComponent("Modules").path]).flatMap {
                ["-I", $0]
            }
        }
    }

    @Test(
        "an external program uses the Swift API with only 'import Corewire'",
        arguments: [
            ["-swift-version", "5"], ["-swift-version", "6"],
            [
                "-swift-version", "6", "-strict-memory-safety", "-warnings-as-errors",
                "-enable-upcoming-feature", "MemberImportVisibility",
                "-enable-upcoming-feature", "InternalImportsByDefault",
            ],
        ]
    )
    func compiles(settings: [String]) throws {
        let words = ["-typecheck", "-parse-as-library"] + settings + (try Self.search) + Self.sources
        let compiled = try Program.run("swiftc", words)
        #expect(compiled.status == 0, "\(compiled.errors)")
    }

    @Test("an external program calls every public function of the Swift API")
    func reachesEverything() throws {
        let folder = try TemporaryFolder()
        #if arch(arm64)
        let target = "aarch64-unknown-linux-gnu"
        #else
        let target = "x86_64-unknown-linux-gnu"
        #endif
        let extracted = try Program.run(
            "swift",
            ["symbolgraph-extract", "-module-name", "Corewire", "-minimum-access-level", "public", "-target", target]
                + ["-output-dir", folder.url.path] + (try Self.search)
        )
        #expect(extracted.status == 0, "\(extracted.errors)")
        let graph = try Data(contentsOf: folder.url.appendingPathComponent("Corewire.symbols.json"))
        var limits = ReadingLimits()
        limits.nodes = 10_000_000
        let symbols = try #require(
            try JSONValue(parsing: Array(graph), named: "symbols", limits: limits)["symbols"]?.array
        )
        let text = try Self.sources.map { try String(contentsOfFile: $0, encoding: .utf8) }.joined()
        let unused = symbols.filter(Self.isOwnFunction).filter { !Self.isUsed($0, in: text) }.map {
            Self.path(of: $0).joined(separator: ".")
        }
        #expect(symbols.count > 500)
        #expect(unused == [])
    }

    /// Whether it is declared in the module, and not given by a protocol of the library.
    private static func isOwnFunction(_ symbol: JSONValue) -> Bool {
        let kinds = ["swift.method", "swift.type.method", "swift.init"]
        guard let kind = symbol["kind"]?["identifier"]?.string, kinds.contains(kind) else { return false }
        return symbol["location"] != nil && symbol["identifier"]?["precise"]?.string?.contains("::SYNTHESIZED") != true
    }

    private static func path(of symbol: JSONValue) -> [String] {
        symbol["pathComponents"]?.array?.compactMap(\.string) ?? []
    }

    private static func isUsed(_ symbol: JSONValue, in text: String) -> Bool {
        let path = path(of: symbol)
        guard let last = path.last, let name = last.split(separator: "(").first else { return false }
        // Sequences are iterated, operators and literals are written by their signs.
        let spoken = ["makeAsyncIterator", "next", "hash", "encode", "init"]
        if spoken.contains(String(name)) {
            guard name == "init", !last.contains("Literal"), !last.contains("rawValue") else { return true }
            return path.dropLast().last.map { text.contains("\($0)(") } ?? false
        }
        return text.contains("\(name)(") || text.contains("\(name) {") || !name.contains(where: \.isLetter)
    }
}
