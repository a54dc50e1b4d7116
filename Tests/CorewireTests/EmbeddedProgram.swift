import Corewire
import CorewireEmbedded
import Foundation
import Support
import WireHost

/// Services inside the test, and their socket for everybody else.
struct EmbeddedProgram {
    static let sections = """
        persistence:
          maxValueSize: 4KiB
          namespaces:
            drafts: { ttl: 60s }
            few: { maxEntries: 1 }
            shared: { perEnvironment: false }
        """

    let corewire: Corewire
    private let folder: TemporaryFolder

    /// With files beside the services file, by their names.
    init(sections: String = sections, files: [String: String] = [:], addons: [any CorewireAddon] = []) async throws {
        folder = try TemporaryFolder(short: true)
        for (name, text) in files { try folder.write(text, to: name) }
        try Self.write(sections, to: folder)
        let path = folder.url.path
        var configuration = Corewire.Configuration(file: "\(path)/services.yaml")
        configuration.embeddedServers = .included
        configuration.addons = addons
        corewire = try await Corewire.start(
            configuration,
            in: Environment([
                "XDG_STATE_HOME": "\(path)/s", "XDG_RUNTIME_DIR": "\(path)/r", "XDG_CACHE_HOME": "\(path)/c",
            ])
        )
    }

    /// Writes the file anew; what it says then is taken over by a reload.
    func write(sections: String) throws { try Self.write(sections, to: folder) }

    private static func write(_ sections: String, to folder: TemporaryFolder) throws {
        try folder.write(
            """
            version: 1
            app: { id: com.example.embedded }
            environment: dev
            environments: { dev: { backend: embedded }, prod: { backend: embedded } }
            \(sections)
            api: { socket: auto }
            """,
            to: "services.yaml"
        )
    }

    func stop() async { await corewire.stop() }

    /// What any other program is answered.
    func ask(_ method: String, _ path: String, _ fields: [String] = [], text: String? = nil) async throws
        -> RawClient.Answer
    {
        var head = "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        for field in fields { head += "\(field)\r\n" }
        if let text { head += "Content-Length: \(text.utf8.count)\r\n" }
        let socket = folder.url.appendingPathComponent("r/corewire/com.example.embedded/api.sock").path
        let client = try await RawClient.connect(
            to: .unix(socket),
            sending: Array("\(head)\r\n\(text ?? "")".utf8)
        )
        let answer = try await client.answer(toHead: method == "HEAD")
        try await client.close()
        return answer
    }
}
