import CorewireCLI
import WireBase
import WireConfig
import WireHTTP
import WireNotificationContract

/// A notification as a message to an ntfy server.
struct NtfyPost: PushMessage {
    let request: OutgoingRequest
    /// The server makes the ids.
    let isRecognizedByID = false
    private let topic: String
    private let hasToken: Bool

    /// Sent as JSON: header fields cannot carry all characters.
    init(_ push: OutgoingPush, to destination: OutgoingPush.Ntfy) {
        let content = push.notification
        let tags = push.categories.map(JSONValue.string)
        let buttons = (content.buttons ?? []).map { button in
            JSONValue.members([
                "action": .string("view"), "label": .string(button.label), "url": button.link.map(JSONValue.string),
            ])
        }
        let message = JSONValue.members([
            "topic": .string(destination.topic), "title": content.title.map(JSONValue.string),
            "message": content.body.map(JSONValue.string), "priority": push.urgency.map { .integer($0.priority) },
            "tags": tags.isEmpty ? nil : .array(tags), "click": content.link.map(JSONValue.string),
            "attach": content.image.map(JSONValue.string), "sequence_id": content.collapseKey.map(JSONValue.string),
            "actions": buttons.isEmpty ? nil : .array(buttons),
        ])
        var request = OutgoingRequest(.post, destination.server.description)
        request.fields["Content-Type"] = "application/json"
        if let token = destination.token { request.fields["Authorization"] = "Bearer \(token.reveal())" }
        request.body = .bytes(message.bytes())
        self.request = request
        (topic, hasToken) = (destination.topic, destination.token != nil)
    }

    func id(in body: [UInt8]) throws(Failure) -> String? {
        let help = "--ntfy takes the URL of a topic: https://ntfy.example.com/topic"
        let response = try? JSONValue(parsing: body, named: "response")
        guard let id = response?["id"]?.string else {
            throw Failure(message: "the response is not that of an ntfy server", status: .problemsFound, help: help)
        }
        // A server takes the last part of a longer path for text, and the part before it for the topic.
        guard response?["topic"]?.string ?? topic == topic else {
            throw Failure(message: "the server has used another topic", status: .problemsFound, help: help)
        }
        return id.shown(upTo: 64)
    }

    func refusal(_ refusal: PushRefusal) -> Failure {
        guard [401, 403].contains(refusal.status.code) else { return refusal.failure(of: "the ntfy server") }
        return Failure(
            message: "the ntfy server does not allow this sender to write to the topic",
            status: .noPermission,
            help: hasToken ? nil : "use --token"
        )
    }
}

extension OutgoingPush.Urgency {
    /// The priority of ntfy, 1 to 5.
    fileprivate var priority: Int {
        switch self {
        case .veryLow: 1
        case .low: 2
        case .normal: 3
        case .high: 4
        case .critical: 5
        }
    }
}
