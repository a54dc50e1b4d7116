import WireBase
import WireConfig
import WireDeviceContract
import WireMQTT
import WireService
import WireStore

/// What the client calls itself at the broker, and what it reads there: the templates with their values.
struct MQTTIdentity: Sendable {
    let clientID: String
    let filters: [TopicFilter]
    let statusTopic: TopicName?

    /// The variables of the templates.
    static let variables = ["deviceId", "user", "app", "stream"]

    init(of stream: MQTTStream, _ session: StreamSession) async throws(StreamEnd) {
        let host = session.present.host
        let device: String
        do throws(StoreFailure) { device = try await DeviceAlias.find(in: host) } catch {
            throw StreamEnd(error.reason)
        }
        let values = [
            "deviceId": device, "user": session.user?.subject, "app": host.app?.id.text, "stream": session.name,
        ]
        func fill(_ template: Template, _ key: String, isTopic: Bool) throws(StreamEnd) -> String {
            for name in template.variables where isTopic && values[name]??.isPartOfTopic == false {
                throw StreamEnd(.refused, "the value of \(name.quoted) cannot be part of a topic", at: session.place)
            }
            do throws(TemplateFilling.Failure) {
                return try TemplateFilling { name in (values[name] ?? nil).map(JSONValue.string) }.fill(template)
            } catch {
                throw StreamEnd(.refused, "'\(key)': \(error)", at: session.place)
            }
        }
        var clientID = try fill(stream.clientID, "clientId", isTopic: false)
        if stream.followsUsers, let user = session.user, !stream.clientID.variables.contains("user") {
            // The broker must not give the messages of one user to the next.
            clientID += "-\(session.present.digest("\(user.issuer) \(user.subject)").prefix(12))"
        }
        guard (1...Self.longestID).contains(clientID.utf8.count) else {
            throw StreamEnd(.refused, "'clientId' is empty or too long", at: session.place)
        }
        self.clientID = clientID
        var filters: [TopicFilter] = []
        for topic in stream.topics {
            guard let filter = TopicFilter(try fill(topic, "topics", isTopic: true)) else {
                throw StreamEnd(.refused, "'topics' has an invalid filter", at: session.place)
            }
            if !filters.contains(filter) { filters.append(filter) }
        }
        self.filters = filters
        statusTopic = try stream.status.map { status throws(StreamEnd) in
            guard let topic = TopicName(try fill(status.topic, "status.topic", isTopic: true)) else {
                throw StreamEnd(.refused, "'status.topic' is not the name of a topic", at: session.place)
            }
            return topic
        }
    }

    private static let longestID = 1_024
}

extension String {
    /// Whether the text can be a part of one level of a topic, so that it does not lead to other topics.
    fileprivate var isPartOfTopic: Bool { !isEmpty && utf8.allSatisfy { !"/+#\u{0}".utf8.contains($0) } }
}
