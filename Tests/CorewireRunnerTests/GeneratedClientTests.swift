import Foundation
import Support
import Testing

@Suite("A client generated from the OpenAPI description")
struct GeneratedClientTests {
    static let python = Repository.root.appendingPathComponent(".build/python/bin/python3").path
    static let generator = Repository.root.appendingPathComponent(".build/python/bin/openapi-python-client").path

    @Test(
        "the client compiles without warnings, calls every operation over the socket, and decodes every response",
        .enabled(if: FileManager.default.isExecutableFile(atPath: generator))
    )
    func everyOperation() async throws {
        let address = try await LoopbackAddress.open(sections: LoopbackAddress.everything)
        let folder = try TemporaryFolder()
        let run = try Program.run(
            Self.python,
            [
                Repository.root.appendingPathComponent("Tests/CorewireRunnerTests/Conformance/generated_client.py")
                    .path,
                Repository.root.appendingPathComponent("schemas/local-api.openapi.yaml").path,
                address.runner.socket, folder.url.path,
            ],
            in: folder.url
        )
        #expect(run.status == 0, "\(run.everything)")
        #expect(run.output.contains("operations called"))
        try checkEvents(of: address.runner, in: folder)
    }

    /// Whatever all those calls have caused is an event of the description, and carries what that says.
    private func checkEvents(of runner: RunningRunner, in folder: TemporaryFolder) throws {
        let events = try runner.corewire(["events", "--format", "json"])
        #expect(events.status == 0)
        let run = try Program.run(
            Self.python,
            [
                Repository.root.appendingPathComponent("Tests/CorewireRunnerTests/Conformance/events.py").path,
                Repository.root.appendingPathComponent("schemas/local-api.openapi.yaml").path,
                try folder.write(events.output, to: "events"),
            ],
            in: folder.url
        )
        #expect(run.status == 0, "\(run.everything)")
        for name in ["service.ready", "outbox.accepted", "device.changed", "notification.cleared", "push.pending"] {
            #expect(run.output.contains(" \(name)"), "\(run.everything)")
        }
    }
}
