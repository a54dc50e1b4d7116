import WireBase
import WireConfig
import WireMQTT
import WireNetworkContract
import WireNotificationContract

/// Topics of an MQTT broker.
struct MQTTStream: StreamSource {
    @Setting var url: Address
    @Setting var version: MQTTVersion
    @Setting var clientID: Template
    @Setting var topics: [Template]
    @Setting var username: String?
    @Setting var password: Secret<String>?
    @Setting var qos: Int
    @Setting var sessionExpiry: Duration?
    @Setting var retained: RetainedRule
    @Setting var status: MQTTStatus?
    let fields: MessageFields
    @Setting var needs: [UserNeed]?
    @Setting var keepAlive: KeepAlive

    init(_ keys: inout Keys) {
        _url = keys.required(
            "url",
            "URL of the broker: mqtts:// over TLS, or wss:// over a WebSocket.",
            .takes(.broker),
            .example("mqtts://broker.example.com"),
            .standIn(at: "mqtt")
        )
        _version = keys.value("version", "Version of MQTT.", or: .v5)
        _clientID = keys.value(
            "clientId",
            "Id of the client at the broker, different for each device and stream; {{ deviceId }}, {{ user }}, {{ app }} "
                + "and {{ stream }} are available here and in topics.",
            or: Self.usualClientID,
            .example("\"cart-{{ deviceId }}\"")
        )
        _topics = keys.required(
            "topics",
            "Filters of the topics to read, with wildcards or shared.",
            .notEmpty,
            .example("[\"devices/{{ deviceId }}/push\", \"wards/3B/#\"]")
        )
        _username = keys.optional("username", "User name.", .example("cart-17"))
        _password = keys.optional(
            "password",
            "Password of the user.",
            .described(needs: "username"),
            .example("\"${env:MQTT_PASSWORD}\"")
        )
        _qos = keys.value(
            "qos",
            "Quality of service: 1 for messages that are sent again until they are stored, 0 for others.",
            or: 1,
            .in(0...2)
        )
        _sessionExpiry = keys.optional(
            "session",
            "Time for which the broker keeps messages for a client that is not connected. Default: 7d; with version "
                + "3.1.1 the broker decides.",
            .in(.zero ... .seconds(365 * 86_400)),
            .example("7d")
        )
        _retained = keys.value("retained", "Handling of the messages that the broker retains for topics.", or: .new)
        _status = keys.optional(
            "status",
            "Topic that tells whether the stream is connected.",
            .example("{ topic: \"devices/{{ deviceId }}/status\" }")
        )
        fields = MessageFields(
            &keys,
            id: "Field of a message, or user property, with its id, by which repeated messages are recognized.",
            usualID: nil
        )
        _needs = StreamKeys.needs(&keys)
        _keepAlive = keys.value("keepAlive", "Keep-alive of the connection.", or: .placeholder)
    }

    private static let usualClientID: Template = (try? Template(parsing: "{{ deviceId }}")) ?? .placeholder
}

extension MQTTStream {
    static let word = "mqtt"
    static let help = "Topics of an MQTT broker."

    var urlPlace: Place { $url }
    /// The token of the user is for the app's servers, not for this one.
    var token: ServerCall.Authorization { .none }
    var credentialHelp: String? {
        username == nil ? "the broker requires 'username' and 'password'" : "check 'username' and 'password'"
    }
    var connectionSettings: [String?] {
        [
            url.text, version.rawValue, clientID.text, topics.map(\.text).joined(separator: "\n"), username,
            password?.reveal(), "\(qos)", sessionExpiry.map { "\($0)" }, retained.rawValue, status?.topic.text,
            status?.online, status?.offline, needs.map { "\($0)" }, "\(keepAlive.every)",
            "\(keepAlive.within)",
        ] + fields.connectionSettings
    }
    /// Retained messages come again with each subscription.
    var repeats: Duration? { max(usedExpiry, .seconds(30 * 86_400)) }
    var positionScope: String? { "\(Self.word) \(url.text) \(clientID.text)" }

    /// The time for which the broker keeps the session.
    var usedExpiry: Duration { sessionExpiry ?? .seconds(7 * 86_400) }

    func read(_ session: StreamSession, by requests: any ServerClient, until leave: OneShot) async -> StreamEnd {
        await MQTTReader(stream: self, session: session, requests: requests).read(until: leave)
    }
}

/// The version of MQTT.
enum MQTTVersion: String, Choice {
    case v5 = "5"
    case v3 = "3.1.1"

    var help: String {
        switch self {
        case .v5: "MQTT 5"
        case .v3: "MQTT 3.1.1"
        }
    }

    var otherWords: [String] {
        switch self {
        case .v5: ["5.0", "v5"]
        case .v3: ["3", "3.1", "4", "v3", "v311"]
        }
    }

    var wire: ProtocolVersion {
        switch self {
        case .v5: .v5
        case .v3: .v3
        }
    }
}

/// The handling of the messages that the broker retains for topics.
enum RetainedRule: String, Choice {
    case new, ignore

    var help: String {
        switch self {
        case .new: "a retained message becomes a notification once"
        case .ignore: "retained messages are skipped"
        }
    }
}

/// The topic that tells whether the stream is connected; its messages are retained.
struct MQTTStatus: Record {
    @Setting var topic: Template
    @Setting var online: String
    @Setting var offline: String

    init(_ keys: inout Keys) {
        _topic = keys.required("topic", "The topic.", .example("\"devices/{{ deviceId }}/status\""))
        _online = keys.value("online", "Message while the stream is connected.", or: "online")
        _offline = keys.value(
            "offline",
            "Message afterwards; the broker publishes it when the connection is lost.",
            or: "offline"
        )
    }
}
