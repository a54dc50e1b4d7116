import WireHTTP

/// What changes about the trust in the machine.
package enum SecurityEvents: String, APIEvent {
    package typealias Payload = SecurityRuleReport

    case changed = "security.changed"

    package var help: String { "A security rule has another result than before." }
}
