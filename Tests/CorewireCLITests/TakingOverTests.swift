import Foundation
import Support
import Testing

@Suite("init, import, export")
struct TakingOverTests {
    @Test(
        "every template of init is valid, and init writes over nothing",
        arguments: ["minimal", "complete", "aerogear"]
    )
    func templates(name: String) throws {
        let folder = try TemporaryFolder()
        let file = name == "aerogear" ? "mobile-services.json" : "mobile-services.yaml"
        #expect(try Program.corewire(["init", "--template", name], in: folder.url).status == 0)
        let checked = try Program.corewire(["validate-config", file, "--strict"], in: folder.url)
        #expect(checked.status == 0, "\(checked.everything)")
        let text = try folder.text(of: file)
        try folder.write("# mine\n", to: file)
        let again = try Program.corewire(["init", "--template", name], in: folder.url)
        #expect(again.status == 73 && again.errors.contains("--force"))
        #expect(try folder.text(of: file) == "# mine\n")
        #expect(try Program.corewire(["init", "--template", name, "--force"], in: folder.url).status == 0)
        #expect(try folder.text(of: file) == text)
    }

    @Test("each section of the complete template, switched on by itself, has keys the reader knows")
    func completeTemplate() throws {
        let text = try Program.corewire(["init", "--template", "complete", "--output", "-"]).output
        // A key that is off begins with its mark; prose has a mark, one space and a word.
        func isOff(_ line: Substring) -> Bool {
            let inside = line.dropFirst()
            let indentation = inside.prefix { $0 == " " }.count
            return line.hasPrefix("#") && indentation != 1 && !inside.dropFirst(indentation).hasPrefix("#")
        }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.filter(isOff).count > 150)
        let live = lines.map { isOff($0) ? $0.dropFirst() : $0 }.joined(separator: "\n")
        let run = try Program.corewire(["validate-config", "-"], input: Data(live.utf8))
        for code in ["CW0103", "CW0201", "CW0202", "CW0203", "CW0111"] {
            #expect(!run.output.contains("[\(code)"), "\(run.output)")
        }
    }

    @Test(
        "an AeroGear file becomes a services file that is valid, and goes back",
        arguments: [
            "configs/examples/aerogear/mobile-services.json", "configs/examples/aerogear-sdk/mobile-services.json",
        ]
    )
    func aeroGear(path: String) throws {
        let folder = try TemporaryFolder()
        let imported = try Program.corewire(["import", path])
        #expect(imported.status == 0, "\(imported.errors)")
        try folder.write(imported.output, to: "mobile-services.yaml")
        let checked = try Program.corewire(["validate-config"], in: folder.url)
        #expect(checked.status == 0, "\(checked.everything)")
        let exported = try Program.corewire(["export", "--format", "aerogear-json"], in: folder.url)
        #expect(exported.status == 0, "\(exported.errors)")
        func types(_ data: Data) throws -> [String] {
            let services =
                (try JSONSerialization.jsonObject(with: data) as? [String: Any])?["services"] as? [[String: Any]]
            return (services ?? []).compactMap { $0["type"] as? String }.sorted()
        }
        let before = try types(Data(contentsOf: Repository.root.appendingPathComponent(path)))
        #expect(try types(Data(exported.output.utf8)) == before && !before.isEmpty)
    }

    @Test("a HALO property list becomes a services file, its secrets references")
    func halo() throws {
        let folder = try TemporaryFolder()
        let imported = try Program.corewire(["import", "configs/examples/halo.plist"])
        #expect(imported.status == 0, "\(imported.errors)")
        try folder.write(imported.output, to: "mobile-services.yaml")
        let checked = try Program.corewire(["validate-config"], in: folder.url)
        #expect(checked.status == 0, "\(checked.everything)")
        for line in [
            "clientSecret: ${env:HALO_CLIENT_SECRET}", "username: ${env:HALO_USERNAME}",
            "password: ${env:HALO_PASSWORD}",
        ] {
            #expect(imported.output.contains("  \(line)\n"), "\(line)")
        }
        for value in ["the-secret-of-the-client", "ada", "the-password-of-ada"] {
            #expect(!imported.output.contains(value), "\(value)")
        }
    }

    @Test(
        "what is neither is refused by name",
        arguments: [
            ("configs/mobile-services.yaml", "declares environments, so it is a services file already"),
            ("Package.swift", "cannot be imported"),
            ("configs/broken/duplicate-key.json", "is neither an AeroGear mobile-services.json nor a HALO .plist"),
        ]
    )
    func others(path: String, reason: String) throws {
        let run = try Program.corewire(["import", path])
        #expect(run.status == 1 && run.output.isEmpty)
        #expect(run.errors.contains("error: '\(path)' \(reason)"), "\(run.errors)")
    }
}
