/// Events of the stream `/v1/events`, declared once: what each is called, when it is emitted, and what all of them carry.
///
/// ```swift
/// package enum TaskEvents: String, APIEvent {
///     package typealias Payload = TaskEvent
///     case started = "task.started"
///     package var help: String { "A run of a task begins." }
/// }
/// ```
package protocol APIEvent: RawRepresentable<String>, CaseIterable, Sendable {
    /// What stands in the member `data`.
    associatedtype Payload: JSONCodable
    /// When it is emitted, in a sentence.
    var help: String { get }
}

extension APIEvent {
    package static var described: [EventDescription] {
        allCases.map { EventDescription($0.rawValue, $0.help, Payload.schema) }
    }
}

/// An event as the descriptions of the local API have it.
package struct EventDescription: Sendable {
    let name, help: String
    let payload: JSONSchema

    fileprivate init(_ name: String, _ help: String, _ payload: JSONSchema) {
        (self.name, self.help, self.payload) = (name, help, payload)
    }
}
