import Foundation
import Support
import Testing

/// Counts instructions of the program itself, which are the same in every run: neither the machine nor its load matters.
@Suite("Cost of long files")
struct GrowthTests {
    /// One way in which a file grows.
    struct Dimension: Sendable, CustomTestStringConvertible {
        let name: String
        let size: Int
        let file: @Sendable (Int) -> String

        init(_ name: String, _ size: Int, _ file: @escaping @Sendable (Int) -> String) {
            (self.name, self.size, self.file) = (name, size, file)
        }

        var testDescription: String { name }
    }

    private static let head = "app: { id: com.example.one, name: One }\n"

    private static func lines(_ count: Int, _ line: (Int) -> String) -> String {
        (0..<count).map(line).joined()
    }

    private static func environments(_ count: Int, _ body: (Int) -> String) -> String {
        "environment: e0\nenvironments:\n" + lines(count) { "  e\($0): { \(body($0)) }\n" }
    }

    static let problems = [
        Dimension("unknown keys at the top", 60) { count in head + lines(count) { "zz\(1000 + $0): 1\n" } },
        Dimension("unknown keys on one line", 60) { count in "{ \(lines(count) { "zz\(1000 + $0): 1, " }) }\n" },
        Dimension("unknown keys of a section", 60) { count in "network:\n" + lines(count) { "  zz\(1000 + $0): 1\n" } },
        Dimension("secrets in keys that are unknown", 50) { count in
            "{ auth: { clientSecret: a }, \(lines(count) { "clientSecrets\(1000 + $0): { a: b }, " }) }\n"
        },
        Dimension("warnings", 40) { count in
            "background:\n  downloads: { folder: d }\nnetwork:\n  headers:\n"
                + lines(count) { "    X-Secret-\(1000 + $0): abc\n" }
        },
    ]

    static let shapes = [
        Dimension("keys of the author's own", 400) { count in head + lines(count) { "x-\($0): 1\n" } },
        Dimension("entries of a mapping", 50) { count in
            "persistence:\n  namespaces:\n" + lines(count) { "    n\($0): { lifetime: 1h }\n" }
        },
        Dimension("items of a list", 400) { count in head + "x-list:\n" + lines(count) { "  - item \($0)\n" } },
        Dimension("anchors and aliases", 200) { count in
            head + "x-list:\n" + lines(count) { "  - &a\($0) [b]\n  - *a\($0)\n" }
        },
        Dimension("references", 120) { count in head + "x-list: [\(lines(count) { "'${env:V\($0):-x}', " })]\n" },
        Dimension("references in one text", 200) { count in
            "app: { id: com.example.one, name: \"\(lines(count) { "${env:V\($0):-x}" })\" }\n"
        },
        Dimension("levels", 15) { count in head + "x-deep: \(lines(count) { _ in "[" })\(lines(count) { _ in "]" })\n"
        },
        Dimension("a long text", 40000) { count in head + "x-text: \"\(lines(count) { _ in "a" })\"\n" },
        Dimension("a long text in lines", 400) { count in
            head + "x-text: \"\n" + lines(count) { _ in "  word\n" } + "  \"\n"
        },
        Dimension("files that are included", 60) { count in
            head + "include: [\(lines(count) { _ in "a.yaml, " })]\n"
        },
        Dimension("comments", 2000) { count in lines(count) { _ in "# a comment\n" } + head },
    ]

    static let environments = [
        Dimension("environments", 25) { count in
            head + environments(count) { "baseUrl: 'https://h\($0).example.com', network: { retries: \($0 % 9) }" }
        },
        Dimension("environments that lack what the others have", 25) { count in
            head
                + environments(count) {
                    "baseUrl: 'https://h\($0).example.com', x\($0 == 0 ? "-" : "")network: { retries: 1 }"
                }
        },
        Dimension("environments that extend one another", 50) { count in
            head + environments(count) { $0 == 0 ? "backend: remote" : "extends: e\($0 - 1)" }
        },
        Dimension("environments that extend what is not there", 40) { count in
            head + environments(count) { "extends: nobody\(1000 + $0)" }
        },
        Dimension("a problem in all environments", 25) { count in
            "network: { retries: 99 }\n" + environments(count) { "baseUrl: 'https://h\($0).example.com'" }
        },
        Dimension("environments that each have an entry in one mapping", 40) { count in
            "auth: { url: 'https://a.example.com', clientIds: { \(lines(count + 1) { "e\($0): x, " }) } }\n"
                + environments(count + 1) { _ in "network: { retries: 1 }" }
        },
        Dimension("environments that each lack their entry in one mapping", 40) { count in
            "auth: { clientIds: { \(lines(count) { "f\($0): x, " }) } }\n"
                + environments(count) { _ in "network: { retries: 1 }" }
        },
    ]

    static let all = problems + shapes + environments

    @Test("a file of twice the length takes at most a little more than twice the time", arguments: all)
    func growth(_ dimension: Dimension) throws {
        let counts = try #require(try Self.counts.get()[dimension.name])
        // What the smallest file of the same kind costs, all share.
        let (once, twice) = (counts[1] - counts[0], counts[2] - counts[0])
        #expect(once > 0)
        #expect(Double(twice) < 2.4 * Double(once), "\(once) and \(twice): \(Double(twice) / Double(once))")
    }

    @Test("the limit applies to all included files together")
    func includes() throws {
        let folder = try TemporaryFolder()
        try folder.write("network: { retries: 1 }\n", to: "a.yaml")
        let file = Self.head + "include: [\(Self.lines(1000) { _ in "a.yaml, " })]\n"
        let run = try Program.corewire(["validate-config", "-"], in: folder.url, input: Data(file.utf8))
        #expect(run.everything.components(separatedBy: "error[CW0113]").count == 2, "\(run.everything)")
    }

    @Test("an environment chain over the limit is one problem, and so are too many environments")
    func limits() throws {
        let chain = Self.head + Self.environments(1000) { $0 == 0 ? "backend: remote" : "extends: e\($0 - 1)" }
        let run = try Program.corewire(["validate-config", "-"], input: Data(chain.utf8))
        #expect(run.everything.components(separatedBy: "error[CW0113]").count == 2, "\(run.everything)")
        let many = try Program.corewire(
            ["validate-config", "-"],
            input: Data((Self.head + Self.environments(10_001) { _ in "backend: remote" }).utf8)
        )
        #expect(many.everything.contains("the limit 'environments' is 10000 environments"), "\(many.everything)")
        #expect(many.everything.hasSuffix("not valid, 1 error\n"), "\(many.everything)")
    }

    /// How many instructions the program needs for a file of size one, of the dimension's size, and of twice that.
    ///
    /// They are counted in one run for all dimensions: starting the program costs the counting tool more than most files.
    private static let counts = Result {
        let folder = try TemporaryFolder()
        try folder.write("network: { retries: 1 }\n", to: "a.yaml")
        let files = all.enumerated().flatMap { index, dimension in
            [1, dimension.size, dimension.size * 2].map { ("\(index)-\($0).yaml", dimension.file($0)) }
        }
        for (name, text) in files { try folder.write(text, to: name) }
        let names = files.map(\.0)
        let run = try Program.run(
            "valgrind",
            [
                "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null",
                Program.buildFolder.appendingPathComponent("GrowthProcess").path,
            ] + all.indices.map { names[$0 * 3] } + ["--"] + names,
            in: folder.url
        )
        let counts = run.errors.components(separatedBy: "I   refs:").dropFirst().compactMap { text in
            Int(text.prefix { $0 != "\n" }.filter(\.isNumber))
        }
        // The last is that of the process that all others were forked from.
        try #require(counts.count == files.count + 1, "\(run.errors)")
        return Dictionary(
            uniqueKeysWithValues: all.enumerated().map { index, dimension in
                (dimension.name, Array(counts[(index * 3)..<(index * 3 + 3)]))
            }
        )
    }
}
