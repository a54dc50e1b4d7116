import Foundation
import Support
import Testing

@Suite("The version")
struct VersionTests {
    /// The commit and the compiler of the build: what Scripts/write-build-facts wrote, if it ran.
    static let facts: (commit: String, compiler: String) = {
        let text = (try? Repository.text(of: "Sources/BuildFacts/Made.c")) ?? ""
        let values = text.matches(of: /return "(.*)";/).map { String($0.1) }
        return values.count == 2 ? (values[0], values[1]) : ("unknown", "unknown")
    }()

    @Test("--version prints only the version")
    func short() throws {
        let told = try Program.corewire(["--version"])
        #expect(told.status == 0)
        #expect(told.output.wholeMatch(of: /corewire [0-9]+\.[0-9]+\.[0-9]+\n/) != nil, "\(told.output)")
    }

    @Test(
        "'version' prints the commit, the build, the compiler and the libraries of both programs, as text and as JSON"
    )
    func whole() throws {
        let told = try Program.corewire(["version", "--format", "json"])
        #expect(told.status == 0 && told.errors.isEmpty, "\(told.everything)")
        let own = try #require(try JSONSerialization.jsonObject(with: Data(told.output.utf8)) as? [String: Any])
        let runner = try #require(own["runner"] as? [String: Any])
        let version = try Self.version()
        #expect(own["program"] as? String == "corewire")
        #expect(runner["program"] as? String == "corewire-dev-runner")
        #expect(runner["runner"] == nil)
        for program in [own, runner] {
            #expect(program["version"] as? String == version)
            #expect(program["commit"] as? String == Self.facts.commit)
            #expect(program["compiler"] as? String == Self.facts.compiler)
            #expect(["debug", "release"].contains(program["configuration"] as? String))
        }
        let libraries = try #require(runner["libraries"] as? [String: String])
        #expect(Set(libraries.keys) == ["libyaml", "SQLite", "OpenSSL", "libcurl", "libmicrohttpd"])
        #expect(libraries.values.allSatisfy { $0.wholeMatch(of: /[0-9]+(\.[0-9a-z]+)+/) != nil }, "\(libraries)")
        #expect((own["libraries"] as? [String: String]).map { Set($0.keys) } == ["libyaml"])

        let configuration = try #require(own["configuration"] as? String)
        let versions = ["libyaml", "SQLite", "OpenSSL", "libcurl", "libmicrohttpd"].map {
            "\($0) \(libraries[$0] ?? "")"
        }
        func part(_ name: String, _ libraries: String) -> String {
            """
            \(name) \(version)
              commit     \(Self.facts.commit)
              build      \(configuration)
              compiler   \(Self.facts.compiler)
              libraries  \(libraries)

            """
        }
        let text = try Program.corewire(["version"])
        #expect(text.status == 0 && text.errors.isEmpty, "\(text.everything)")
        let expected = [
            part("corewire", versions[0]), part("corewire-dev-runner", versions.joined(separator: ", ")),
        ]
        #expect(text.output == expected.joined(separator: "\n"))
    }

    @Test("a missing runner is reported, and so is one that does not print its version")
    func strangeRunners() throws {
        let folder = try TemporaryFolder()
        let own = folder.url.appendingPathComponent("corewire").path
        try FileManager.default.copyItem(atPath: Program.corewire, toPath: own)
        let alone = try Program.run(own, ["version"])
        #expect(alone.status == 0)
        #expect(alone.output.hasSuffix("\n\ncorewire-runner is not installed beside this program\n"), "\(alone.output)")
        #expect(try Program.run(own, ["version", "--format", "json"]).output.hasSuffix("  \"runner\": null\n}\n"))
        let runner = folder.url.appendingPathComponent("corewire-runner").path
        try folder.write("#!/bin/sh\necho corewire 0.0.1\n", to: "corewire-runner")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: runner)
        let old = try Program.run(own, ["version"])
        #expect(old.status == 0)
        #expect(old.output.hasSuffix("\n\n\(runner) does not print its version\n"), "\(old.output)")
    }

    @Test("the commit is written only if it has changed, with a mark if files differ from it")
    func written() throws {
        let folder = try TemporaryFolder()
        let script = Repository.root.appendingPathComponent("Scripts/write-build-facts")
        try folder.write(try Data(contentsOf: script), to: "Scripts/write-build-facts")
        try folder.write("", to: "Sources/BuildFacts/BuildFacts.c")
        try folder.write("/Sources/BuildFacts/Made.c\n", to: ".gitignore")
        try folder.write("#!/bin/sh\necho 'Swift version 6.9 (made up)'\n", to: "swift")
        func run(_ program: String, _ arguments: String...) throws -> Run {
            let settings = ["GIT_CONFIG_GLOBAL": "/dev/null", "SWIFT": folder.url.appendingPathComponent("swift").path]
            return try Program.run(program, arguments, in: folder.url, environment: settings)
        }
        func write() throws -> String {
            #expect(try run("bash", "Scripts/write-build-facts").status == 0)
            return try folder.text(of: "Sources/BuildFacts/Made.c")
        }
        #expect(try run("chmod", "+x", "swift").status == 0)
        #expect(try write().contains(#"build_commit(void) { return "unknown"; }"#))
        #expect(try run("git", "init", "-q").status == 0)
        #expect(try run("git", "add", ".").status == 0)
        let identity = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
        #expect(try Program.run("git", identity + ["commit", "-qm", "A"], in: folder.url).status == 0)
        let commit = try run("git", "rev-parse", "--short=8", "HEAD").output.dropLast()
        let made = try write()
        #expect(made.contains("build_commit(void) { return \"\(commit)\"; }"), "\(made)")
        #expect(made.contains(#"build_compiler(void) { return "Swift version 6.9"; }"#))
        let file = folder.url.appendingPathComponent("Sources/BuildFacts/Made.c").path
        try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: file)
        _ = try write()
        #expect(
            try FileManager.default.attributesOfItem(atPath: file)[.modificationDate] as? Date
                == Date(timeIntervalSince1970: 1)
        )
        try folder.write("changed", to: "Sources/BuildFacts/BuildFacts.c")
        #expect(try write().contains("return \"\(commit)-dirty\""))
    }

    static func version() throws -> String {
        let text = try Repository.text(of: "Sources/Base/WireBase/Release.swift")
        return String(try #require(text.firstMatch(of: /version = "(.*)"/)).1)
    }
}
