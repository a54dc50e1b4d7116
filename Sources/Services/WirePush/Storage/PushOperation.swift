import WireBase
import WireConfig
import WireDeviceContract
import WireHTTP
import WirePushContract
import WireService

/// A queued request to a push server as it is stored; it never holds a token or a key.
package struct PushOperation: Sendable {
    package enum Kind: String, JSONWord, PlainCodable {
        case register, update, unregister, suspend, unsuspend
        case delivery, open, dismiss
        case mobileEvent, profile
        case status

        /// Whether it changes the registration of this device.
        var isOfRegistration: Bool {
            switch self {
            case .register, .update, .unregister, .suspend, .unsuspend: true
            default: false
            }
        }

        /// Whether the server can reach the device afterwards.
        var begins: Bool { self == .register || self == .update || self == .unsuspend }

        init(_ event: PushEvent) {
            switch event {
            case .delivery: self = .delivery
            case .open: self = .open
            case .dismiss: self = .dismiss
            }
        }

        var event: PushEvent? {
            switch self {
            case .delivery: .delivery
            case .open: .open
            case .dismiss: .dismiss
            default: nil
            }
        }
    }

    package var kind: Kind
    package var registrar: String
    /// The tag of the owner.
    var tag: String
    /// The tag of the user in whose name another user's registration ends: the present user of the device.
    var by: String?
    /// The time of the call, in milliseconds since 1970.
    var time: Int64
    /// The facts that the server has afterwards; nil for requests that are no registration.
    var target: String?
    /// The number of this request among those to the same server.
    var revision = 0
    /// Void after a removal that came later than the request.
    var epoch = ""
    /// Whether a caller has added to the settings of the file.
    var hasWords = false
    /// The id of the push it is about.
    var push: String?
    /// The provider of the push, where the owner was unknown.
    var provider: PushProvider?

    init(_ kind: Kind, _ registrar: String, tag: String, time: Int64) {
        (self.kind, self.registrar, self.tag, self.time) = (kind, registrar, tag, time)
    }

    var note: JSONValue {
        .members([
            "kind": .string(kind.rawValue), "registrar": .string(registrar), "tag": .string(tag),
            "time": .integer(Int(time)), "target": target.map(JSONValue.string),
            "by": by.map(JSONValue.string), "revision": .integer(revision), "epoch": .string(epoch),
            "words": hasWords ? .boolean(true) : nil, "push": push.map(JSONValue.string),
            "provider": provider.map { .string($0.rawValue) },
        ])
    }

    init?(note: JSONValue) {
        guard let kind = note["kind"]?.string.flatMap(Kind.init(rawValue:)), let name = note["registrar"]?.string,
            let tag = note["tag"]?.string
        else { return nil }
        self.init(kind, name, tag: tag, time: Int64(note["time"]?.integer ?? 0))
        epoch = note["epoch"]?.string ?? ""
        by = note["by"]?.string
        hasWords = note["words"]?.boolean ?? false
        revision = note["revision"]?.integer ?? 0
        (target, push) = (note["target"]?.string, note["push"]?.string)
        provider = note["provider"]?.string.flatMap { PushProvider(rawValue: $0) }
    }

    /// The id of the request, here and at the server: the same whichever process of the group makes it.
    func id(at install: InstallIdentity) async throws(Fault) -> String {
        try await install.id(of: "push", registrar, tag, epoch, kind.event?.rawValue ?? "", push ?? "\(revision)")
    }

    /// Requests of one lane arrive in order; reports about pushes do not delay registrations.
    var lane: String {
        // The former user's registration ends before the next one begins.
        let tag = by ?? tag
        return switch kind {
        case .register, .update, .unregister, .suspend, .unsuspend, .profile, .status: "push \(registrar) \(tag)"
        case .delivery, .open, .dismiss: "push events \(registrar) \(tag)"
        case .mobileEvent: "push mobile events \(registrar) \(tag)"
        }
    }
}
