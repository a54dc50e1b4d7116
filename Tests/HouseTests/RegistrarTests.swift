import Support
import Testing

/// A kind of push server is known to its own folder and to the list of kinds; everything else asks what a server can do.
@Suite("Push registrars")
struct RegistrarTests {
    private static let module = "Sources/Services/WirePush"
    private static let folder = "\(module)/Registrars/"
    private static let list = "\(folder)Registrar.swift"

    /// Whether a file is in the folder of a kind.
    private static func isOfKind(_ path: String) -> Bool {
        path.hasPrefix(folder) && path.dropFirst(folder.count).contains("/")
    }

    private static func words(_ text: String) -> [String] {
        text.split(whereSeparator: { !$0.isLetter && !$0.isNumber && $0 != "_" }).map(String.init)
    }

    /// The name of the type that a line declares, outside of any other.
    private static func declared(by line: Substring) -> String? {
        guard line.first.map({ !$0.isWhitespace }) ?? false, !line.hasPrefix("//") else { return nil }
        let words = words(String(line))
        guard let index = words.firstIndex(where: { ["struct", "enum", "class", "actor", "protocol"].contains($0) })
        else {
            return nil
        }
        return words.dropFirst(index + 1).first
    }

    @Test("a type of one kind is named in the folders of kinds and in the list of kinds, and nowhere else")
    func names() throws {
        let paths = Repository.files(below: Self.module, ending: ".swift")
        let names = try Set(
            paths.filter(Self.isOfKind).flatMap { path in
                try Repository.text(of: path).split(separator: "\n").compactMap(Self.declared)
            }
        )
        #expect(names.count > 10)
        for path in paths where !Self.isOfKind(path) && path != Self.list {
            let found = names.intersection(Self.words(try Repository.text(of: path)))
            #expect(found.isEmpty, "\(path) names \(found.sorted().joined(separator: ", "))")
        }
    }

    @Test("every kind is in the list of kinds")
    func listed() throws {
        let words = Set(Self.words(try Repository.text(of: Self.list)))
        var kinds = 0
        for path in Repository.files(below: Self.module, ending: ".swift").filter(Self.isOfKind) {
            for line in try Repository.text(of: path).split(separator: "\n") where line.contains(": PushRegistrar {") {
                let kind = try #require(Self.declared(by: line))
                kinds += 1
                let isListed = words.contains(kind)
                #expect(isListed, "\(Self.list) lacks \(kind)")
            }
        }
        #expect(kinds > 4)
    }
}
