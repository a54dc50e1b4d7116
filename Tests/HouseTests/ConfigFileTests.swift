import Foundation
import Support
import Testing

/// The files of `configs/` are promises: the good ones are valid, the broken ones say exactly what their neighbour says.
@Suite("Files in configs")
struct ConfigFileTests {
    static let endings = [".yaml", ".yml", ".json", ".plist"]

    /// What stands in `configs/local` is no services file, but what one names: content, and files to be served.
    static let goodFiles = Repository.files(below: "configs").filter { path in
        !path.hasPrefix("configs/broken/") && !path.hasPrefix("configs/local/")
            && [".yaml", ".yml", ".json"].contains { path.hasSuffix($0) }
    }

    static let brokenTexts = Repository.files(below: "configs/broken", ending: ".txt")

    @Test("every services file in configs is valid, without warnings", arguments: goodFiles)
    func valid(path: String) throws {
        let run = try Program.corewire(["validate-config", path, "--strict"])
        #expect(run.status == 0, "\(run.everything)")
    }

    @Test("files named by the local services file exist and are valid")
    func local() throws {
        let run = try Program.corewire(["validate-config", "configs/local.yaml", "--local", "--strict"])
        // Whether its ports are free is this machine's matter.
        let mistakes = run.everything.split(separator: "\n").filter { $0.hasPrefix("error") || $0.hasPrefix("warning") }
        #expect(mistakes.allSatisfy { $0.contains(": cannot listen on 127.0.0.1:74") }, "\(run.everything)")
        #expect(run.status == (mistakes.isEmpty ? 0 : 1), "\(run.everything)")
    }

    @Test("a broken file produces exactly the diagnostics beside it", arguments: brokenTexts)
    func broken(path: String) throws {
        let name = String(path.dropLast(".txt".count))
        let file = try #require(Self.endings.map { name + $0 }.first(where: Self.exists))
        let more =
            Self.exists(name + ".args")
            ? try Repository.text(of: name + ".args").split(whereSeparator: \.isWhitespace) : []
        let run = try Program.corewire(["validate-config", file] + more.map(String.init))
        #expect(run.everything == (try Repository.text(of: path)))
        #expect(run.status == 1 || run.output.contains("warning["), "\(path) is not broken")
    }

    @Test("there are at least eighty broken files, each with its text")
    func enough() {
        #expect(Self.brokenTexts.count >= 80)
        let names = Set(Self.brokenTexts.map { $0.dropLast(".txt".count) })
        let lonely = Repository.files(below: "configs/broken").filter { path in
            path.split(separator: "/").count == 3 && Self.endings.contains { path.hasSuffix($0) }
                && !names.contains(path[..<(path.lastIndex(of: ".") ?? path.endIndex)])
        }
        #expect(lonely.isEmpty, "no text beside \(lonely)")
    }

    @Test("every code occurs in the text of a broken file")
    func everyCode() throws {
        // What servers say stands in no file; those texts are beside the servers that say it.
        let online = Repository.files(below: "Tests/CorewireRunnerTests/Online/Golden", ending: ".txt")
        let texts = try (Self.brokenTexts + online).map(Repository.text).joined()
        let page = try Program.corewire(["schema", "--format", "markdown"]).output
        let codes = page.split(separator: "\n").compactMap { line in
            line.hasPrefix("| CW") ? String(line.dropFirst(2).prefix(6)) : nil
        }
        #expect(codes.count > 50)
        // No two sections that ship need each other, so no file of today is a circle; and no service that ships needs a
        // user yet.
        let untold = codes.filter { !texts.contains($0) && !["CW0405", "CW0406"].contains($0) }
        #expect(untold.isEmpty, "no broken file shows \(untold)")
    }

    static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: Repository.root.appendingPathComponent(path).path)
    }
}
