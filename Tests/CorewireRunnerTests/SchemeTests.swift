import Foundation
import Support
import Testing

@Suite("corewire auth scheme")
struct SchemeTests {
    private static func scheme(_ redirect: String, name: String = "Tasks") throws -> Run {
        let folder = try TemporaryFolder()
        try folder.write(
            """
            version: 1
            app: { id: com.example.tasks, name: '\(name)' }
            auth: { url: https://sso.example.com, clientId: tasks, redirectUri: '\(redirect)' }
            """,
            to: "my services.yaml"
        )
        return try Program.corewire(["auth", "scheme", "--config", "my services.yaml"], in: folder.url)
    }

    @Test(
        "the desktop entry passes URLs of the scheme to the runner, with arguments quoted by the specification"
    )
    func desktopFile() throws {
        let run = try Self.scheme("com.example.tasks://restore", name: "Tasks 100%")
        #expect(run.status == 0, "\(run.everything)")
        let lines = run.output.split(separator: "\n")
        #expect(lines.first == "[Desktop Entry]")
        #expect(lines.contains("Name=Sign in to Tasks 100%"))
        #expect(lines.contains("MimeType=x-scheme-handler/com.example.tasks;"))
        let exec = try #require(lines.first { $0.hasPrefix("Exec=") })
        #expect(exec.contains("corewire auth callback --config \"/") && exec.hasSuffix("/my services.yaml\" -- %u"))
    }

    @Test("if the runner itself receives the redirect, no registration is needed, and the command says so")
    func loopback() throws {
        let run = try Self.scheme("http://127.0.0.1/callback")
        #expect(run.status == 1 && run.output.isEmpty)
        #expect(run.errors.contains("no registration is needed"))
    }
}
