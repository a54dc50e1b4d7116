package import WireBase
import WireConfig
package import WireHTTP
package import WireService

/// The payload of a notification event, except for shown notifications.
package struct NotificationEvent: JSONRecord {
    package var id, way, registrar: String?
    package var isSilent, isUpdate: Bool?
    package var title, body, link, button: String?
    package var result: HandlerRecord.Result?
    package var reason, refused: String?
    package var handlers: [Handler]?
    /// The disconnected app.
    package var handler: String?
    package var scope: ClearingScope?
    package var answer: NotificationPermission.Answer?
    package var stream: String?
    /// The services file value that causes the event.
    package var origin: ValueOrigin?

    package init(_ id: String? = nil) { self.id = id }
    package init(ofStream stream: String) { self.stream = stream }

    /// The result of a handler.
    package struct Handler: JSONRecord {
        package let name: String
        package let result: HandlerRecord.Result
        package let attempts: Int
        package let took: Int64

        package init(_ record: HandlerRecord) {
            (name, result, attempts, took) = (record.name, record.result, record.attempts, record.duration)
        }
    }
}

extension NotificationEvent {
    package static let form = JSONForm<Self>("NotificationEvent", "The payload of a notification event.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.optional("id", \.id, "The notification.")
        way = try members.optional("way", \.way, "The source of the notification.")
        registrar = try members.optional("registrar", \.registrar, "The registrar.")
        isSilent = try members.optional("silent", \.isSilent, "Whether the notification is silent.")
        isUpdate = try members.optional(
            "update",
            \.isUpdate,
            "Whether the notification updates an earlier one with the same id."
        )
        title = try members.optional("title", \.title, "The title.")
        body = try members.optional("body", \.body, "The text.")
        link = try members.optional("link", \.link, "The link to open on a tap.")
        button = try members.optional("button", \.button, "The button that was tapped.")
        result = try members.optional("result", \.result, "The combined result of the handlers.")
        reason = try members.optional("reason", \.reason, "Why the notification was not handled or not shown.")
        refused = try members.optional("refused", \.refused, "Why the tapped link is not opened.")
        handlers = try members.optional("handlers", \.handlers, "The results of the handlers.")
        handler = try members.optional("handler", \.handler, "The disconnected app.")
        scope = try members.optional("scope", \.scope, "The scope of the removal.")
        answer = try members.optional("answer", \.answer, "The permission.")
        stream = try members.optional("stream", \.stream, "The stream.")
        origin = try members.optional("config", \.origin, "The value of the services file that causes the failure.")
    }
}

extension NotificationEvent.Handler {
    package static let form = JSONForm<Self>("NotificationEventHandler", "The result of a handler.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        name = try members.required("name", \.name, "The handler.")
        result = try members.required("result", \.result, "The result.")
        attempts = try members.required("attempts", \.attempts, "The number of attempts.", .count)
        took = try members.required("milliseconds", \.took, "The duration of the last attempt.", .schema(.count()))
    }
}
