import Foundation
import Support
import Testing

/// Arrows point up the list only: who may import whom, read from the import lines themselves.
@Suite("Layering")
struct LayeringTests {
    /// The folders of `Sources` from the bottom up, with the layers, or single modules, each may look at.
    static let layers: [(folder: String, sees: Set<String>)] = [
        ("System", []),
        ("Base", []),
        ("ConsoleFiles", []),
        ("BuildFacts", []),
        ("StoreSchema", []),
        ("Contracts", ["Base", "Contracts"]),
        ("Edges", ["System", "Base", "Contracts", "StoreSchema"]),
        ("Runtime", ["Base", "Contracts"]),
        ("Services", ["Base", "Contracts", "ConsoleFiles"]),
        ("Backends", ["Base", "Contracts"]),
        // For development only: nothing that is deployed may look at it.
        ("Embedded", ["Base", "Contracts", "Backends"]),
        ("Dialects", ["Base", "Contracts"]),
        // Whoever only reads a file must not load what running one takes.
        ("CorewireCatalogue", ["Base", "Contracts", "Runtime", "Services", "Backends", "Dialects", "WireYAML"]),
        ("Corewire", ["Base", "Contracts", "Edges", "Runtime", "Services", "Backends", "CorewireCatalogue"]),
        ("CorewireEmbedded", ["Corewire", "Embedded"]),
        // Commands find the socket of a runner on this machine and speak to it; no other edge, since each brings a library.
        ("CorewireCLI", ["Base", "Contracts", "Runtime", "CorewireCatalogue", "WireHost"]),
        ("CorewireRunner", ["Base", "Contracts", "Edges", "Runtime", "CorewireCatalogue", "Corewire", "CorewireCLI"]),
        ("Programs", ["Base", "BuildFacts", "CorewireCLI", "CorewireRunner", "Backends", "Embedded"]),
    ]

    /// Modules of the toolchain, and the layers whose files may import them.
    static let toolchain: [String: Set<String>] = [
        "Dispatch": ["Edges"],
        "Glibc": ["Base", "Edges", "Corewire", "CorewireCLI", "CorewireRunner"],
        "Synchronization": [
            "Base", "Contracts", "Edges", "Runtime", "Services", "Backends", "Embedded", "Corewire",
            "CorewireCatalogue",
            "CorewireRunner",
        ],
        // What programs store as JSON is their own type, which only a coder of the toolchain can read and write.
        "FoundationEssentials": ["Dialects", "Corewire", "Edges"],
        // Languages, behind one edge.
        "FoundationInternationalization": ["Edges"], "_FoundationICU": ["Edges"],
    ]

    @Test("every folder of Sources is a layer")
    func everyFolderIsALayer() throws {
        let folders = try FileManager.default.contentsOfDirectory(
            atPath: Repository.root.appendingPathComponent("Sources").path
        )
        #expect(Set(folders) == Set(Self.layers.map(\.folder)))
    }

    @Test(
        "a file imports only modules that its layer allows",
        arguments: Repository.files(below: "Sources", ending: ".swift")
    )
    func imports(path: String) throws {
        let layer = try #require(Self.layers.first { path.hasPrefix("Sources/\($0.folder)/") })
        let own = path.split(separator: "/").dropLast().last { Self.home(of: String($0)) != nil }.map(String.init)
        for module in try Self.imports(of: path) where module != own {
            if let home = Self.home(of: module) {
                #expect(
                    layer.sees.contains(home) || layer.sees.contains(module),
                    "\(path) imports \(module) of \(home)"
                )
                let isNeighbour = home == layer.folder && home != "Contracts"
                #expect(!isNeighbour, "\(path) imports its neighbour \(module)")
            } else {
                #expect(Self.toolchain[module]?.contains(layer.folder) ?? false, "\(path) imports \(module)")
            }
        }
    }

    @Test("a C library is imported by one edge")
    func oneEdgeForEachLibrary() throws {
        var importers: [String: Set<String>] = [:]
        for path in Repository.files(below: "Sources", ending: ".swift") {
            for module in try Self.imports(of: path) where Self.home(of: module) == "System" {
                importers[module, default: []].insert(path.split(separator: "/").prefix(3).joined(separator: "/"))
            }
        }
        let libraries = try FileManager.default.contentsOfDirectory(
            atPath: Repository.root.appendingPathComponent("Sources/System").path
        )
        #expect(Set(importers.keys) == Set(libraries))
        #expect(importers.values.allSatisfy { $0.count == 1 }, "\(importers)")
    }

    /// The layer a module of ours belongs to.
    static func home(of module: String) -> String? {
        if layers.contains(where: { $0.folder == module }) { return module }
        return layers.first { layer in
            FileManager.default.fileExists(
                atPath: Repository.root.appendingPathComponent("Sources/\(layer.folder)/\(module)").path
            )
        }?.folder
    }

    static func imports(of path: String) throws -> [String] {
        try Repository.text(of: path).split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard let index = words.firstIndex(of: "import"),
                words[..<index].allSatisfy({
                    $0.hasPrefix("@") || ["package", "public", "internal", "private", "fileprivate"].contains($0)
                })
            else { return nil }
            // One declaration of a module, and a comment behind, make a line no less an import.
            let kinds = ["struct", "class", "enum", "protocol", "func", "let", "var", "typealias", "actor"]
            let rest = words[(index + 1)...].prefix { !$0.hasPrefix("//") }
            let names = rest.first.map { kinds.contains(String($0)) } ?? false ? rest.dropFirst() : rest
            return names.count == 1 ? names.first?.split(separator: ".").first.map(String.init) : nil
        }
    }
}
