import CorewireCLI
import WireBase
import WireConfig
import WireHTTP
import WireNotificationContract
import WirePushContract

extension OutgoingPush {
    /// The message with all parts, for receivers that read a push as JSON.
    func message(_ id: String) -> JSONValue {
        var content = notification
        (content.category, content.urgency) = (categories.first, urgency.map(\.shown))
        (content.id, content.isSilent) = (nil, nil)
        var members = content.json.members ?? []
        if notification.isSilent == true {
            // With texts in the data alone it is not shown.
            let data = content.data?.members ?? []
            let texts = members.filter { $0.key != "data" && content.data?[$0.key] == nil }
            members = [("data", .object(texts + data))]
        }
        return .object(members + [("messageId", .string(id))])
    }
}

extension OutgoingPush.Urgency {
    /// The urgency of the notification.
    fileprivate var shown: PushUrgency {
        switch self {
        case .veryLow, .low: .low
        case .normal, .high: .normal
        case .critical: .critical
        }
    }
}
