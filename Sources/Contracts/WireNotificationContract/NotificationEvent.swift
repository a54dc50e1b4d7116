package import WireBase
import WireConfig
package import WireHTTP
package import WireService

/// What an event of notifications says, but for one that is shown.
package struct NotificationEvent: JSONRecord {
    package var id, way, registrar: String?
    package var isSilent, isUpdate: Bool?
    package var title, body, link, button: String?
    package var result: HandlerRecord.Result?
    package var reason, refused: String?
    package var handlers: [Handler]?
    /// The app that was let go.
    package var handler: String?
    package var scope: ClearingScope?
    package var answer: NotificationPermission.Answer?
    package var stream: String?
    /// The value of the services file that wants it so.
    package var origin: ValueOrigin?

    package init(_ id: String? = nil) { self.id = id }
    package init(ofStream stream: String) { self.stream = stream }

    /// What a handler came to.
    package struct Handler: JSONRecord {
        package let name: String
        package let result: HandlerRecord.Result
        package let attempts: Int
        package let took: Int64

        package init(_ record: HandlerRecord) {
            (name, result, attempts, took) = (record.name, record.result, record.attempts, record.took)
        }
    }
}

extension NotificationEvent {
    package static let form = JSONForm<Self>("NotificationEvent", "What an event of notifications says.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.optional("id", \.id, "The notification.")
        way = try members.optional("way", \.way, "By which way it came.")
        registrar = try members.optional("registrar", \.registrar, "Whose it is.")
        isSilent = try members.optional("silent", \.isSilent, "Whether it is for the program alone.")
        isUpdate = try members.optional("update", \.isUpdate, "Whether it came before with other content.")
        title = try members.optional("title", \.title, "Its title.")
        body = try members.optional("body", \.body, "Its text.")
        link = try members.optional("link", \.link, "What a tap leads to.")
        button = try members.optional("button", \.button, "The button that was tapped.")
        result = try members.optional("result", \.result, "What all handlers came to.")
        reason = try members.optional("reason", \.reason, "Why it was not handled, or not shown.")
        refused = try members.optional("refused", \.refused, "Why the link of what was tapped is not opened.")
        handlers = try members.optional("handlers", \.handlers, "What each handler came to.")
        handler = try members.optional("handler", \.handler, "The app that was let go.")
        scope = try members.optional("scope", \.scope, "How much was removed.")
        answer = try members.optional("answer", \.answer, "Whether notifications may be shown.")
        stream = try members.optional("stream", \.stream, "The stream that is read, or is not.")
        origin = try members.optional("config", \.origin, "The value of the services file that wants it so.")
    }
}

extension NotificationEvent.Handler {
    package static let form = JSONForm<Self>("NotificationEventHandler", "What a handler came to.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        name = try members.required("name", \.name, "The handler.")
        result = try members.required("result", \.result, "What it came to.")
        attempts = try members.required("attempts", \.attempts, "How often it was begun.", .count)
        took = try members.required("milliseconds", \.took, "How long the last try took.", .schema(.count()))
    }
}
