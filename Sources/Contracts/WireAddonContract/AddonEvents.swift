package import WireBase
import WireConfig
package import WireHTTP

/// The events of add-ons.
package enum AddonEvents: String, APIEvent {
    package typealias Payload = AddonEvent

    case ready = "addon.ready"
    case ended = "addon.ended"
    case failed = "addon.failed"
    case late = "addon.late"
    case dropped = "addon.dropped"
    case nonsense = "addon.nonsense"
    case quiet = "addon.quiet"

    package var help: String {
        switch self {
        case .ready: "The program of an add-on has started."
        case .ended: "The program of an add-on has ended."
        case .failed: "An add-on did not start, or its program failed."
        case .late: "An add-on has not replied in time, and gets no hook calls until it replies."
        case .dropped: "An add-on does not read its messages, and some were dropped."
        case .nonsense:
            "The program of an add-on has written an invalid message or reply."
        case .quiet: "Lines of an add-on's standard error were dropped by the rate limit."
        }
    }
}

/// The payload of an add-on event.
package struct AddonEvent: JSONRecord {
    package let addon, reason: String
    package let origin: ValueOrigin?

    package init(_ addon: String, because reason: String, at origin: ValueOrigin? = nil) {
        (self.addon, self.reason, self.origin) = (addon, reason, origin)
    }
}

extension AddonEvent {
    package static let form = JSONForm<Self>("AddonEvent", "The payload of an add-on event.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        addon = try members.required("addon", \.addon, "The add-on.")
        reason = try members.required("reason", \.reason, "The reason.")
        origin = try members.optional("config", \.origin, "The declaration in the services file.")
    }
}
