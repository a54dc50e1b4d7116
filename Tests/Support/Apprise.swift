import Foundation
package import Testing

/// Sends messages with apprise, a program that knows more than a hundred services.
package enum Apprise {
    package static let isInstalled = ScriptedServer.hasModules("apprise")

    /// Sends a message to a service by its URL, at a path of its server.
    package static func send(
        _ title: String,
        _ body: String,
        to service: String,
        at path: String? = nil,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let script = Repository.root.appendingPathComponent("Tests/PushServers/apprise_sender.py").path
        let arguments = ["-B", script, service, title, body] + [path].compactMap(\.self)
        let run = try Program.run(ScriptedServer.python, arguments)
        #expect(run.status == 0, "\(run.errors)", sourceLocation: location)
    }
}
