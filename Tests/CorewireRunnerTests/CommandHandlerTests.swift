import Foundation
import Support
import Testing

/// Commands are declared in one program and done in the other.
@Suite("Every declared command is implemented")
struct CommandHandlerTests {
    /// The commands below one, as its help lists them, with the arguments they must have.
    private func leaves(_ path: [String] = []) throws -> [[String]] {
        let help = try Program.corewire(path + ["--help"]).output
        let lists = help.split(separator: "\n\n").filter { part in
            let title = part.prefix { $0 != "\n" }
            return title.hasSuffix(":") && title == title.uppercased()
                && !["ARGUMENTS:", "OPTIONS:"].contains(String(title))
        }
        guard !lists.isEmpty else {
            let usage = try #require(help.split(separator: "\n").first { $0.hasPrefix("USAGE:") })
            return [
                path + usage.split(separator: " ").filter { $0.hasPrefix("<") && $0.hasSuffix(">") }.map { _ in "some" }
            ]
        }
        return try lists.flatMap { $0.split(separator: "\n").dropFirst() }.flatMap { line in
            // What a line goes on with stands further to the right.
            guard line.hasPrefix("  "), !line.hasPrefix("   ") else { return [[String]]() }
            return try leaves(path + [String(line.split(separator: " ")[0])])
        }
    }

    @Test("no command in the help is unknown to its program")
    func known() throws {
        let home = try TemporaryFolder()
        let leaves = try leaves()
        #expect(leaves.count > 60)
        for leaf in leaves where leaf != ["run"] && leaf != ["doctor"] {
            let run = try Program.corewire(
                leaf,
                in: home.url,
                input: Data(),
                environment: [
                    "XDG_RUNTIME_DIR": home.url.path, "HOME": home.url.path, "COREWIRE_SOCKET": "/nowhere/socket",
                ]
            )
            // A command without an implementation prints its help.
            #expect(!run.errors.hasPrefix("OVERVIEW:"), "\(leaf): \(run.errors)")
        }
    }
}
