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
        clientID = try fill(stream.clientID, "clientId", isTopic: false)
        var filters: [TopicFilter] = []
        for topic in stream.topics {
            guard let filter = TopicFilter(try fill(topic, "topics", isTopic: true)) else {
                throw StreamEnd(.refused, "'topics' has an invalid filter", at: session.place)
            }
            if !filters.contains(filter) { filters.append(filter) }
        }
        self.filters = filters
        statusTopic = try stream.status.flatMap { status throws(StreamEnd) in
            TopicName(try fill(status.topic, "status.topic", isTopic: true))
        }
    }
}

extension String {
    /// Whether the text can be a part of one level of a topic, so that it does not lead to other topics.
    fileprivate var isPartOfTopic: Bool { !isEmpty && utf8.allSatisfy { !"/+#\u{0}".utf8.contains($0) } }
}
