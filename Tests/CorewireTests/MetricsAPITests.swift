import Corewire
import CorewireEmbedded
import Foundation
import Support
import Synchronization
import Testing
import WireHost

@Suite("Metrics through the Swift API")
struct MetricsAPITests {
    private static let sections = """
        metrics: { url: "https://metrics.example.com/metrics" }
        security: { baseline: false, rules: { clock: {} } }
        """

    @Test("a program receives the messages exactly as they would be sent")
    func published() async throws {
        let program = try await EmbeddedProgram(sections: Self.sections)
        let taken = Mutex<[Corewire.MetricsMessage]>([])
        let publishing = program.corewire.metrics.publish { message in taken.withLock { $0.append(message) } }
        try await program.corewire.metrics.send(.initial)
        #expect(await eventually { taken.withLock { $0.contains { $0.type == .initial } } })
        let last = taken.withLock { $0.last }
        let message = try #require(last)
        #expect(message.appID == "com.example.embedded" && message.clientID.utf8.count == 36)
        #expect(message.json.hasPrefix(#"{"clientId":"\#(message.clientID)","timestamp":"#))
        withExtendedLifetime(publishing) {}
        await program.stop()
    }

    @Test("the preview shows the messages, including those of rules")
    func preview() async throws {
        let program = try await EmbeddedProgram(sections: Self.sections)
        #expect(try await eventually { try await program.corewire.metrics.preview().count == 2 })
        let messages = try await program.corewire.metrics.preview()
        #expect(messages.map(\.type) == [.initial, .security])
        #expect(messages.last?.results.map(\.id) == ["clock"])
        await program.stop()
    }

    @Test("a publisher registered at start gets the init message")
    func atStart() async throws {
        let publisher = Collecting()
        let folder = try TemporaryFolder(short: true)
        try folder.write(
            """
            version: 1
            app: { id: com.example.embedded }
            environment: dev
            environments: { dev: { backend: embedded } }
            metrics: { url: "https://metrics.example.com/metrics" }
            """,
            to: "services.yaml"
        )
        let path = folder.url.path
        var configuration = Corewire.Configuration(file: "\(path)/services.yaml")
        configuration.embeddedServers = .included
        configuration.publisher = publisher
        let corewire = try await Corewire.start(
            configuration,
            in: Environment([
                "XDG_STATE_HOME": "\(path)/s", "XDG_RUNTIME_DIR": "\(path)/r", "XDG_CACHE_HOME": "\(path)/c",
            ])
        )
        #expect(await eventually { publisher.taken.withLock { $0 } == ["init"] })
        await corewire.stop()
    }

    private final class Collecting: MetricsPublisher {
        let taken = Mutex<[String]>([])
        func publish(_ message: Corewire.MetricsMessage) async throws {
            taken.withLock { $0.append(message.type.rawValue) }
        }
    }

    @Test(
        "a type that the file does not list is not sent; a missing section is reported; nothing is sent after the stop"
    )
    func refused() async throws {
        let program = try await EmbeddedProgram(
            sections: #"metrics: { url: "https://metrics.example.com/metrics", types: [security] }"#
        )
        await #expect {
            try await program.corewire.metrics.send(.initial)
        } throws: { error in
            let error = error as? CorewireError
            return error?.code == .notDeclared && error?.setting?.path == "metrics.types"
        }
        // No rules have run, and so there is nothing to send.
        try await program.corewire.metrics.send(.security)
        await program.stop()
        await #expect {
            try await program.corewire.metrics.send()
        } throws: { error in
            (error as? CorewireError)?.code == .stopped
        }
        let without = try await EmbeddedProgram(sections: "persistence: {}")
        await #expect {
            try await without.corewire.metrics.preview()
        } throws: { error in
            (error as? CorewireError)?.code == .noService
        }
        await without.stop()
    }
}
