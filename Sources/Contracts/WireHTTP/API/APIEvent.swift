/// Declares events of the stream `/v1/events`: names, descriptions, and the type of their payload.
///
/// ```swift
/// package enum TaskEvents: String, APIEvent {
///     package typealias Payload = TaskEvent
///     case started = "task.started"
///     package var help: String { "A run of a task begins." }
/// }
/// ```
package protocol APIEvent: RawRepresentable<String>, CaseIterable, Sendable {
    /// The type of the member `data`.
    associatedtype Payload: JSONCodable
    /// When the event is emitted, as a sentence.
    var help: String { get }
}

extension APIEvent {
    package static var described: [EventDescription] {
        allCases.map { EventDescription($0.rawValue, $0.help, Payload.schema) }
    }
}

/// The description of an event in the API documentation.
package struct EventDescription: Sendable {
    let name, help: String
    let payload: JSONSchema

    fileprivate init(_ name: String, _ help: String, _ payload: JSONSchema) {
        (self.name, self.help, self.payload) = (name, help, payload)
    }
}
