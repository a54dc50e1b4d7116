import Corewire
import CorewireEmbedded
import Foundation
import Support
import Testing
import WireHost

@Suite("Embedded services")
struct CorewireTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder(short: true)
        try write(retries: 2)
    }

    private func write(retries: Int, key: String = "retries") throws {
        try folder.write(
            """
            version: 1
            app: { id: com.example.embedded }
            environment: dev
            environments:
              dev: { backend: embedded }
              prod: { baseUrl: "https://api.example.com" }
            network: { \(key): \(retries) }
            api: { socket: auto }
            """,
            to: "services.yaml"
        )
    }

    private var host: Environment {
        let path = folder.url.path
        return Environment([
            "XDG_STATE_HOME": "\(path)/s", "XDG_RUNTIME_DIR": "\(path)/r", "XDG_CACHE_HOME": "\(path)/c",
        ])
    }

    private func start(_ environment: String? = nil) async throws -> Corewire {
        var configuration = Corewire.Configuration(
            file: folder.url.appendingPathComponent("services.yaml").path,
            environment: environment
        )
        configuration.embeddedServers = .included
        return try await Corewire.start(configuration, in: host)
    }

    @Test("services start, report their state, and stop; then they can start again")
    func life() async throws {
        let corewire = try await start("prod")
        #expect(corewire.environment == "prod")
        let status = corewire.status
        #expect(status.isReady)
        #expect(status.app == "com.example.embedded")
        #expect(status.environments == ["dev", "prod"])
        #expect(status.services.first { $0.name == "api" }?.state == .ready)
        await corewire.stop()
        await corewire.stop()
        #expect(!corewire.status.isReady)
        let error = await #expect(throws: CorewireError.self) { try await corewire.reload() }
        #expect(error?.code == .stopped)
    }

    @Test("a switch and a reload work, and subscribers get the events")
    func changes() async throws {
        let corewire = try await start()
        let events = corewire.events
        #expect(try await corewire.use(environment: "prod").generation == 2)
        try write(retries: 3)
        #expect(try await corewire.reload().generation == 3)
        #expect(try await corewire.reload().generation == 3, "nothing has changed")
        #expect(corewire.environment == "prod")
        await corewire.stop()
        var names: [String] = []
        for await event in events where event.name.hasPrefix("generation.") { names.append(event.name) }
        #expect(names == ["generation.applied", "generation.applied", "generation.unchanged"])
    }

    @Test("an invalid file is rejected with its problems, and the services continue")
    func refusal() async throws {
        let corewire = try await start()
        try write(retries: 2, key: "retires")
        let error = await #expect(throws: CorewireError.self) { try await corewire.reload() }
        #expect(error?.code == .invalidFile)
        #expect(error?.diagnostics?.contains("unknown key 'retires'") == true)
        #expect(corewire.status.isReady)
        #expect(corewire.status.refusal?.contains("unknown key 'retires'") == true)
        await corewire.stop()
        let unstarted = await #expect(throws: CorewireError.self) { try await start() }
        #expect(unstarted?.code == .invalidFile)
        #expect(unstarted?.diagnostics?.contains("services.yaml:7:12") == true)
    }

    @Test("a start is rejected while another runner has the app, and for a missing file")
    func taken() async throws {
        let corewire = try await start()
        let error = await #expect(throws: CorewireError.self) { try await start() }
        #expect(error?.code == .appIsRunning)
        await corewire.stop()
        let missing = Corewire.Configuration(file: "/nowhere/services.yaml")
        let unreadable = await #expect(throws: CorewireError.self) { try await Corewire.start(missing, in: host) }
        #expect(unreadable?.code == .unreadableFile)
    }

    @Test("an embedded environment is rejected without the embedded servers; other environments run")
    func notInstalled() async throws {
        let file = folder.url.appendingPathComponent("services.yaml").path
        let deployed = Corewire.Configuration(file: file)
        let error = await #expect(throws: CorewireError.self) { try await Corewire.start(deployed, in: host) }
        #expect(error?.code == .invalidFile)
        #expect(error?.help?.contains("import CorewireEmbedded") == true)
        let corewire = try await Corewire.start(.init(file: file, environment: "prod"), in: host)
        let refused = await #expect(throws: CorewireError.self) { try await corewire.use(environment: "dev") }
        #expect("\(try #require(refused))".contains("the embedded servers are not installed"))
        #expect(corewire.environment == "prod")
        await corewire.stop()
    }

    @Test("services stop when they are released")
    func letGo() async throws {
        var corewire: Corewire? = try await start()
        let events = try #require(corewire).events
        corewire = nil
        var names: [String] = []
        for await event in events { names.append(event.name) }
        #expect(names.contains("runner.stopping"), "\(names)")
    }
}
