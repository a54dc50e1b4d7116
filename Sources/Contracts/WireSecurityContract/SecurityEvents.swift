import WireHTTP

/// The events of security rules.
package enum SecurityEvents: String, APIEvent {
    package typealias Payload = SecurityRuleReport

    case changed = "security.changed"

    package var help: String { "The result of a security rule has changed." }
}
