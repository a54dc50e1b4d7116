import CorewireCatalogue
import WireBase
import WireConfig

@testable import WireAuth

/// The section as a file has it.
enum SectionFile {
    struct Unread: Error {}

    static func read(_ section: String) throws -> AuthSection {
        let indented = section.split(separator: "\n").map { "  \($0)\n" }.joined()
        let text = "version: 1\napp: { id: com.example.tasks }\nauth:\n\(indented)"
        let validation = Validation(bytes: Array(text.utf8), name: "file.yaml")
        guard let settings = validation.environment(nil)?.configuration[AuthSection.self] else { throw Unread() }
        return settings
    }
}
