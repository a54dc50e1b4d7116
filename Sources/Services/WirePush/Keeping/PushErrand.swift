import WireBase
import WireConfig
import WireDeviceContract
import WireHTTP
import WirePushContract
import WireService

/// Something a push server is to be told, as it is kept with the request that waits; never a token, never a key.
package struct PushErrand: Sendable {
    package enum Kind: String, JSONWord, PlainCodable {
        case register, update, unregister, suspend, unsuspend
        case delivery, open, dismiss
        case mobileEvent, profile
        case status

        /// Whether it changes how the server knows this device.
        var isOfRegistration: Bool {
            switch self {
            case .register, .update, .unregister, .suspend, .unsuspend: true
            default: false
            }
        }

        /// Whether the device can be reached by it afterwards.
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
    /// Whose it is.
    var tag: String
    /// By whom it is ended, where that is another one: whoever uses the device now.
    var by: String?
    /// When it was wished for, in milliseconds since 1970.
    var time: Int64
    /// What the server is to know after it; nil for what is no registration.
    var target: String?
    /// Which of the things asked of it this is.
    var revision = 0
    /// What was removed since it was asked makes it void.
    var epoch = ""
    /// Whether it says more than the file does.
    var hasWords = false
    /// The push it is about.
    var push: String?
    /// What came of it where nobody knew yet: the provider it came by.
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

    /// What the request is known by, here and at the server: whichever process of the group makes it, it is one request.
    func id(at install: InstallIdentity) async throws(Fault) -> String {
        try await install.id(of: "push", registrar, tag, epoch, kind.event?.rawValue ?? "", push ?? "\(revision)")
    }

    /// Requests of one lane arrive in their order; what happened to pushes holds up no registration.
    var lane: String {
        // A registration is ended before its successor begins.
        let tag = by ?? tag
        return switch kind {
        case .register, .update, .unregister, .suspend, .unsuspend, .profile, .status: "push \(registrar) \(tag)"
        case .delivery, .open, .dismiss: "push events \(registrar) \(tag)"
        case .mobileEvent: "push mobile events \(registrar) \(tag)"
        }
    }
}
