import Foundation
import Support
import Testing

/// `SCHEMATHESIS_EXAMPLES=1000 swift test --filter DescriptionTests` looks as long as one likes.
@Suite("Conformance to the OpenAPI description")
struct DescriptionTests {
    static let examples = ProcessInfo.processInfo.environment["SCHEMATHESIS_EXAMPLES"] ?? "3"
    static let tool = Repository.root.appendingPathComponent(".build/python/bin/schemathesis").path
    static let folder = Repository.root.appendingPathComponent("Tests/CorewireRunnerTests/Conformance")

    @Test(
        "the runner responds to schemathesis requests as described",
        .enabled(if: FileManager.default.isExecutableFile(atPath: tool))
    )
    func schemathesis() async throws {
        let address = try await LoopbackAddress.open(
            "limits: { wrongTokens: 1000 }\n",
            sections: LoopbackAddress.everything
        )
        let run = try Program.run(
            Self.tool,
            [
                "--config-file", Self.folder.appendingPathComponent("schemathesis.toml").path, "run",
                Repository.root.appendingPathComponent("schemas/local-api.openapi.yaml").path, "--url", address.origin,
                "--header", "Authorization: Bearer \(LoopbackAddress.token)", "--max-examples", Self.examples,
                "--seed", "1", "--workers", "1",
            ],
            in: address.runner.home.url,
            environment: ["SCHEMATHESIS_HOOKS": Self.folder.appendingPathComponent("hooks.py").path]
        )
        #expect(run.status == 0, "\(run.everything)")
        #expect(try await address.owner("GET", "/readyz").text == "ok")
    }
}
