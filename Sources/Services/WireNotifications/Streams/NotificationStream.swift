import WireBase
package import WireConfig
import WireNetworkContract
import WireService

/// A server that sends notifications over a stream.
package struct NotificationStream: Sendable {
    let source: any StreamSource

    /// The types of streams, in the order of the schema.
    static let types: [any StreamSource.Type] = [
        EventStream.self, JSONLinesStream.self, WebSocketStream.self, NtfyStream.self, GotifyStream.self,
        MQTTStream.self,
    ]
}

extension NotificationStream: OneOf {
    package static var discriminator: String? { "type" }
    package static var defaultAlternative: String? { EventStream.word }
    package static var alternatives: [Alternative<Self>] { types.map { alternative($0) } }

    private static func alternative<Source: StreamSource>(_ type: Source.Type) -> Alternative<Self> {
        Alternative(type.word, type.help) { (settings: Source) in Self(source: settings) }
    }
}

/// A type of stream: its settings, their rules and its reader.
///
/// ``NotificationStream/types`` lists the types, from which the schema and the reference are generated.
protocol StreamSource: NotificationSource, Record {
    /// The value of `type`.
    static var word: String { get }
    /// The type in one phrase.
    static var help: String { get }

    var url: Address { get }
    /// The location of the URL in the file.
    var urlPlace: Place { get }
    /// The rules across its keys, which are at `path`.
    func check(_ path: String, _ checks: inout Checks)
}

extension StreamSource {
    func origin(of name: String, in places: Places) -> ValueOrigin? {
        places.origin(of: urlPlace, "notifications.streams.\(name).url")
    }
}

/// A server that sends notifications over a connection, which is reopened whenever it ends.
protocol NotificationSource: Sendable {
    /// The user that the stream needs; nil for what its token needs.
    var needs: [UserNeed]? { get }
    /// The token of its requests.
    var token: ServerCall.Authorization { get }
    /// What to change in the file where the server rejects its credentials; nil where they are not in the file.
    var credentialHelp: String? { get }
    /// The settings that a connection depends on: while they stay the same, it stays open.
    var connectionSettings: [String?] { get }
    /// The server to which a position belongs, where it means nothing at another one.
    var positionScope: String? { get }
    /// The maximum size of a position, where requests carry it.
    var largestPosition: ByteCount? { get }
    /// How long the server may repeat a message after it was stored here.
    var repeats: Duration? { get }
    /// The location of the server's URL in the file, where the source has a name.
    func origin(of name: String, in places: Places) -> ValueOrigin?

    /// Reads until the connection ends, or `leave` fires.
    func read(_ session: StreamSession, by requests: any ServerClient, until leave: OneShot) async -> StreamEnd
}

extension NotificationSource {
    var credentialHelp: String? { nil }
    var positionScope: String? { nil }
    var largestPosition: ByteCount? { nil }
    var repeats: Duration? { nil }

    /// Whether this one continues with the server's positions, or its session, of another one.
    func continues(as other: any NotificationSource) -> Bool {
        type(of: self) == type(of: other) && positionScope == other.positionScope
    }

    /// Whether both can use the same connection.
    func isSame(as other: any NotificationSource) -> Bool {
        type(of: self) == type(of: other) && connectionSettings == other.connectionSettings
    }

    /// Whether each user has a connection of their own.
    var followsUsers: Bool { token.isOfUser || needs?.contains(.user) == true }

    func waitsForUser(_ presence: any UserPresence) -> Bool {
        needs?.contains(.user) ?? !presence.allowsAnonymous
    }
}
