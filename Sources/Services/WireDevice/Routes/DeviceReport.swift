import WireBase
import WireConfig
package import WireHTTP
package import WireService

/// How the device is, as it is told.
struct DeviceReport: Sendable {
    enum Registration: String, CaseIterable {
        /// The server knows it as it is.
        case registered
        /// The server is to be told.
        case pending
        /// The server does not take it.
        case refused
        /// It waits for somebody to ask.
        case onRequest
        case removed
        /// Servers are not told.
        case never
    }

    let record: DeviceRecord
    let registration: Registration
    let reason: String?

    init(_ record: DeviceRecord, _ rule: RegistrationRule) {
        self.record = record
        if rule == .never {
            (registration, reason) = (.never, nil)
        } else if record.isRemoved {
            (registration, reason) = (.removed, "it was removed, until somebody registers it")
        } else if record.isSaved {
            (registration, reason) = (.registered, nil)
        } else if let refusal = record.refusal, record.refused == record.revision {
            (registration, reason) = (.refused, refusal)
        } else if rule == .onRequest {
            let reason = record.device.id == nil ? "nobody has asked for it" : "it has changed since it was saved"
            (registration, self.reason) = (.onRequest, reason)
        } else {
            (registration, reason) = (.pending, "it waits in the outbox: 'corewire outbox list' tells for what")
        }
    }
}

extension DeviceReport: JSONObject {
    static let shape = JSONShape<Self>(
        "Device",
        "What is known of this device.",
        [
            .member("id", "What the server calls it.") { $0.record.device.id },
            .member("alias", "The name people know it by.") { $0.record.device.alias },
            .member("email", "The address of whoever uses it.") { $0.record.device.email },
            .member("tags", "What it is, by name.") { $0.record.device.tags },
            .member("tokens", "Where pushes reach it.") { $0.record.device.tokens },
            .member(
                "registration",
                "Whether the server knows it.",
                as: .words(Registration.allCases.map(\.rawValue))
            ) { $0.registration.rawValue },
            .member("reason", "Why the server does not know it as it is.") { $0.reason },
            .member("since", "Since when the server knows it, in milliseconds since 1970.", as: .moment) {
                $0.record.since
            },
            .member("saved", "When it was saved there last, in milliseconds since 1970.", as: .moment) {
                $0.record.savedAt
            },
            .member("revision", "Grows with each change of it.", as: .count()) { $0.record.revision },
        ]
    )
}

extension DeviceTag: JSONObject {
    package static let shape = JSONShape<Self>(
        "DeviceTag",
        "Something the device is or has.",
        [
            .member("name", "Its name, of which there is one.") { $0.name },
            .member("value", "Its value.") { $0.value },
            .member("kind", "'system' for what corewire found out.", as: .words(["custom", "system"])) {
                $0.kind == .system ? "system" : "custom"
            },
            .member("id", "What the server calls it.") { $0.id },
        ]
    )
}

extension DeviceToken: JSONObject {
    package static let shape = JSONShape<Self>(
        "DeviceToken",
        "Where pushes of a platform reach the device.",
        [
            .member("platform", "The platform.") { $0.platform },
            // Whoever has all of it can push; who compares needs no more than its end.
            .member("ending", "The last characters of the token.") {
                $0.token.utf8.count >= 24 ? String($0.token.suffix(4)) : ""
            },
        ]
    )
}
