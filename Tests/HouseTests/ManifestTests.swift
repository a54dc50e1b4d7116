import Support
import Testing

/// What `Package.swift` says of the areas is what the files import.
@Suite("Areas of targets")
struct ManifestTests {
    /// Where the sources of a target are, besides `Sources/<layer>/<target>` and `Tests/<target>`.
    private static let places = [
        "ConnectExample": "Examples/Connect/swift", "EmbeddingExample": "Examples/Embedding",
        "FuzzProperties": "Fuzz/Properties",
    ]

    /// The elements of a list, or the entries of a table, that a constant of the manifest begins with.
    private static func constant(_ name: String, in manifest: String) throws -> Substring {
        let start = try #require(manifest.firstRange(of: "\nlet \(name)"))
        let end = try #require(manifest[start.upperBound...].firstRange(of: "\n]\n"))
        return manifest[start.upperBound..<end.lowerBound]
    }

    /// What stands in quotes, in order.
    private static func quoted(_ text: Substring) -> [String] {
        text.split(separator: "\"", omittingEmptySubsequences: false).enumerated().compactMap { index, part in
            index % 2 == 1 ? String(part) : nil
        }
    }

    /// The areas by the targets whose files import them, with those of targets that import none left out.
    private static func imported(_ areas: Set<String>) throws -> [String: Set<String>] {
        var seen: [String: Set<String>] = [:]
        let files = ["Sources", "Tests", "Examples", "Fuzz"].flatMap { Repository.files(below: $0, ending: ".swift") }
        for path in files {
            guard let target = target(of: path) else { continue }
            let found = try areas.intersection(LayeringTests.imports(of: path)).subtracting([target])
            if !found.isEmpty { seen[target, default: []].formUnion(found) }
        }
        return seen
    }

    private static func target(of path: String) -> String? {
        if let place = places.first(where: { path.hasPrefix("\($0.value)/") }) { return place.key }
        let steps = path.split(separator: "/").map(String.init)
        guard steps.count > 2, ["Sources", "Tests"].contains(steps[0]) else { return nil }
        // A package of its own, which depends on this one.
        guard steps[1] != "OutsideProgram" else { return nil }
        let layers = [
            "Backends", "Base", "Conformance", "Contracts", "Dialects", "Edges", "Embedded", "Programs", "Runtime",
            "Services",
        ]
        return layers.contains(steps[1]) ? steps[2] : steps[1]
    }

    @Test("the table lists exactly the areas whose contracts a target imports")
    func table() throws {
        let manifest = try Repository.text(of: "Package.swift")
        let areas = Set(Self.quoted(try Self.constant("areas = [", in: manifest)))
        #expect(areas.count > 10)
        var declared: [String: Set<String>] = [:]
        for entry in try Self.constant("areasSeen: ", in: manifest).split(separator: "]") {
            let names = Self.quoted(entry)
            if let target = names.first { declared[target] = Set(names.dropFirst()) }
        }
        let imported = try Self.imported(areas)
        for target in Set(declared.keys).union(imported.keys).sorted() {
            let (table, files) = (declared[target, default: []].sorted(), imported[target, default: []].sorted())
            #expect(
                table == files,
                "areasSeen of Package.swift has for \(target) \(table), and its files import \(files)"
            )
        }
    }
}
