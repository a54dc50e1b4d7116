import Foundation
import Support
import Testing

@Suite("The manual page")
struct ManualPageTests {
    @Test("the manual page has every command, and is well-formed", .enabled(if: Program.isInstalled("groff")))
    func page() throws {
        let page = try Program.corewire(["help", "--format", "man"]).output
        let folder = try TemporaryFolder()
        let file = try folder.write(page, to: "corewire.1")
        let run = try Program.run("groff", ["-man", "-ww", "-Tutf8", "-P-cbou", "-rLL=100n", file], in: folder.url)
        #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
        let commands = try Program.corewire(["help"]).output.matches(of: /\n  ([a-z][a-z-]+) {2,}/).map { String($0.1) }
        #expect(commands.count > 30)
        for command in commands { #expect(run.output.contains("corewire \(command)"), "no \(command)") }
        for text in ["corewire outbox post <path> [<body>]", "--idempotency-key", "EXIT STATUS", "-o, --output file"] {
            #expect(run.output.contains(text), "no \(text)")
        }
    }
}
