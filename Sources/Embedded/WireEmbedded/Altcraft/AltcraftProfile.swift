import WireBase
import WireConfig
import WireHTTP

/// A user of the platform, or a device on which no user has signed in.
struct AltcraftProfile: Sendable {
    let id: String
    /// Whether the profile belongs to a device without a user.
    let isAnonymous: Bool
    var fields: [(key: String, value: JSONValue)] = []
    var subscriptions: [Subscription] = []

    /// The largest number of subscriptions of a profile; beyond it the least recently changed one is removed.
    private static let most = 64

    struct Subscription: Sendable {
        enum Status: String, Sendable, CaseIterable { case subscribed, unsubscribed, suspended }

        var token: String
        var provider: String
        let hash: String
        var status = Status.subscribed
        var fields: [(key: String, value: JSONValue)] = []
        var categories: [JSONValue] = []
        /// Milliseconds since 1970.
        var changed = 0
    }

    init(id: String, isAnonymous: Bool) { (self.id, self.isAnonymous) = (id, isAnonymous) }

    func subscription(_ provider: String, _ token: String) -> Subscription? {
        subscriptions.first { $0.provider == provider && $0.token == token }
    }

    /// Returns the most recently changed subscription, of one provider or of all.
    func latest(of provider: String? = nil) -> Subscription? {
        subscriptions.filter { provider == nil || $0.provider == provider }.max { $0.changed < $1.changed }
    }

    /// Adds a subscription, replacing an earlier one of the same device.
    mutating func apply(_ subscription: Subscription) {
        subscriptions.removeAll { $0.provider == subscription.provider && $0.token == subscription.token }
        subscriptions.append(subscription)
        while subscriptions.count > Self.most,
            let oldest = subscriptions.indices.min(by: { left, right in
                subscriptions[left].changed < subscriptions[right].changed
            })
        {
            subscriptions.remove(at: oldest)
        }
    }

    /// The JSON form of the platform, with one of the subscriptions.
    func json(_ subscription: Subscription?) -> JSONValue {
        .members([
            "id": .string(id), "status": .string("active"), "is_test": .boolean(false),
            "subscription": subscription.map(\.told) ?? .null,
        ])
    }

    // MARK: Storage

    init?(_ json: JSONValue) {
        guard let id = json["id"]?.string, let isAnonymous = json["anonymous"]?.boolean else { return nil }
        self.init(id: id, isAnonymous: isAnonymous)
        fields = json["fields"]?.members ?? []
        subscriptions = (json["subscriptions"]?.array ?? []).compactMap(Subscription.init)
    }

    var json: JSONValue {
        .members([
            "id": .string(id), "anonymous": .boolean(isAnonymous), "fields": .object(fields),
            "subscriptions": .array(subscriptions.map(\.json)),
        ])
    }
}

extension AltcraftProfile.Subscription {
    var told: JSONValue {
        .members([
            "subscription_id": .string(token), "hash_id": .string(hash), "provider": .string(provider),
            "status": .string(status.rawValue), "fields": .object(fields), "cats": .array(categories),
        ])
    }

    fileprivate init?(_ json: JSONValue) {
        guard let token = json["subscription_id"]?.string, let provider = json["provider"]?.string,
            let hash = json["hash_id"]?.string, let changed = json["changed"]?.integer,
            let status = json["status"]?.string.flatMap(Status.init(rawValue:))
        else { return nil }
        self.init(token: token, provider: provider, hash: hash)
        (self.status, self.changed) = (status, changed)
        fields = json["fields"]?.members ?? []
        categories = json["cats"]?.array ?? []
    }

    fileprivate var json: JSONValue {
        guard case .object(let members) = told else { return told }
        return .object(members + [("changed", .integer(changed))])
    }

    /// Whether the subscription includes one of some categories.
    func wants(_ names: [String]) -> Bool {
        names.isEmpty
            || categories.contains { category in
                category["active"]?.boolean == true && names.contains(category["name"]?.string ?? "")
            }
    }
}
