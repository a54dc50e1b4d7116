package import WireBase
import WireConfig
package import WireHTTP

/// What happens to add-ons.
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
        case .failed: "An add-on did not start, or its program has failed."
        case .late: "An add-on has not answered in time, and is asked nothing until it does."
        case .dropped: "An add-on does not read what it is sent, and misses some of it."
        case .nonsense:
            "The program of an add-on has written something that is no message, or an answer that is not accepted."
        case .quiet: "Lines of an add-on's standard error were left out: there were too many."
        }
    }
}

/// What an event of an add-on carries.
package struct AddonEvent: JSONRecord {
    package let addon, reason: String
    package let origin: ValueOrigin?

    package init(_ addon: String, because reason: String, at origin: ValueOrigin? = nil) {
        (self.addon, self.reason, self.origin) = (addon, reason, origin)
    }
}

extension AddonEvent {
    package static let form = JSONForm<Self>("AddonEvent", "What an event of an add-on carries.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        addon = try members.required("addon", \.addon, "The add-on.")
        reason = try members.required("reason", \.reason, "What happened, in words.")
        origin = try members.optional("config", \.origin, "Where the services file declares it.")
    }
}
