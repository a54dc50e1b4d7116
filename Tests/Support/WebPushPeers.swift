import Foundation
package import Testing

/// Receivers of Web Push and a sender, made of others' parts: see `Tests/PushServers/webpush_peers.py`.
package struct WebPushPeers: Sendable {
    package static let areThere = ScriptedServer.hasModules("websockets.asyncio.client, pywebpush, http_ece")

    /// A notification as a receiver gets it.
    package struct Notified: Sendable, Equatable {
        package let channel: String
        package let version: String
        /// The decrypted content; empty for a message without one.
        package let content: String
    }

    package let process: ScriptedServer

    /// Starts the peers of a server, by the address of its WebSocket.
    package init(of address: String) async throws {
        process = try await ScriptedServer(push: "webpush_peers", [address])
    }

    package func tell(_ command: String) async throws { try await process.tell(command) }

    /// Connects a receiver; returns its uaid.
    package func greet(_ name: String, _ uaid: String = "", mute: Bool = false) async throws -> String {
        let before = process.count("hello \(name) ")
        try await tell("open \(name)\(mute ? " mute" : "")")
        try await tell("hello \(name)\(uaid.isEmpty ? "" : " \(uaid)")")
        let line = try await process.saw("hello \(name) 200 ", times: before + 1)
        return String(line.split(separator: " ").last ?? "")
    }

    /// Registers a channel; returns its endpoint.
    package func register(_ name: String, _ channel: String, key: String = "") async throws -> String {
        let before = process.count("registered \(name) \(channel) ")
        try await tell("register \(name) \(channel)\(key.isEmpty ? "" : " \(key)")")
        let line = try await process.saw("registered \(name) \(channel) ", times: before + 1)
        let words = line.split(separator: " ")
        return words.count == 5 && words[3] == "200" ? String(words[4]) : ""
    }

    /// Sends with pywebpush; returns the status, with the error number or the place of the message.
    @discardableResult
    package func push(_ name: String, _ endpoint: String, _ options: String) async throws -> String {
        try await tell("push \(name) \(endpoint) {\(options)}")
        return String(try #require(process.all.last { $0.hasPrefix("pushed ") }).dropFirst("pushed ".count))
    }

    /// The notifications of a receiver so far.
    package func notified(_ name: String) -> [Notified] {
        process.all.filter { $0.hasPrefix("notified \(name) ") }.map { line in
            let words = line.split(separator: " ", maxSplits: 4).map(String.init)
            return Notified(channel: words[2], version: words[3], content: words.count > 4 ? words[4] : "")
        }
    }

    /// The notifications of a receiver, once there are so many.
    package func notified(_ name: String, times: Int, _ location: SourceLocation = #_sourceLocation) async throws
        -> [Notified]
    {
        try await process.saw("notified \(name) ", times: times, location)
        return notified(name)
    }

    /// Makes the server answer a receiver, so that all earlier messages to it have come.
    package func settle(_ name: String) async throws {
        let before = process.count("registered \(name) ")
        let channel = "00000000-0000-4000-8000-000000000000"
        try await tell(#"say \#(name) {"messageType":"register","channelID":"\#(channel)","key":"unusable"}"#)
        try await process.saw("registered \(name) ", times: before + 1)
    }

    package func acknowledge(_ name: String, _ notified: some Sequence<Notified>) async throws {
        try await tell("ack \(name) \(notified.map(\.version).joined(separator: " "))")
    }
}
