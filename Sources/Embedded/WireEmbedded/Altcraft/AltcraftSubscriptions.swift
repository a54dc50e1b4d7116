import WireBackends
import WireBase
import WireConfig
import WireHTTP

/// Subscribing, unsubscribing and resuming, and the results of these.
struct AltcraftSubscriptions: Sendable {
    let context: PushRequestContext

    private var profiles: AltcraftProfiles { AltcraftProfiles(context: context) }
    private typealias Subscription = AltcraftProfile.Subscription

    // MARK: Subscribing

    /// The body of a request to subscribe, suspend or unsubscribe; its `status` decides which.
    private struct Order {
        let token: String
        let provider: String
        let status: Subscription.Status
        let fields: [(key: String, value: JSONValue)]
        let categories: [JSONValue]?
        let profileFields: JSONValue?
        let replaces: Bool

        init(_ members: inout JSONMembers) throws(Problem) {
            _ = try members.integer("time", in: 0...Int(Int32.max) * 8)
            let outer = try members.text("subscription_id")
            let inner = try members.object("subscription") { inner throws(Problem) in try Inner(&inner) }
            guard let inner else { throw members.failure("'subscription' is missing", "subscription") }
            guard inner.token == outer else {
                throw members.failure("it differs from the one in 'subscription'", "subscription_id")
            }
            (token, provider, status) = (inner.token, inner.provider, inner.status)
            (fields, categories) = (inner.fields, inner.categories)
            profileFields = try members.value("profile_fields")
            replaces = try members.booleanIfAny("replace") ?? false
            // The embedded platform has no triggers.
            _ = try members.booleanIfAny("skip_triggers")
        }
    }

    private struct Inner {
        let token: String
        let provider: String
        let status: Subscription.Status
        let fields: [(key: String, value: JSONValue)]
        let categories: [JSONValue]?

        init(_ members: inout JSONMembers) throws(Problem) {
            token = try members.text("subscription_id")
            provider = try members.text("provider")
            status = try members.word("status", as: Subscription.Status.self) ?? .subscribed
            fields = try members.object("fields") { fields throws(Problem) in try fields.all() } ?? []
            guard fields.count <= 200, fields.allSatisfy({ $0.value.array == nil && $0.value.members == nil }) else {
                throw members.failure("expected 200 plain values at most", "fields")
            }
            categories = try members.objects("cats", AltcraftSubscriptions.category)
            guard (categories?.count ?? 0) <= 200 else { throw members.failure("expected 200 at most", "cats") }
        }
    }

    private static func category(_ members: inout JSONMembers) throws(Problem) -> JSONValue {
        let name = try members.text("name")
        guard (1...255).contains(name.utf8.count) else { throw members.failure("expected 1 to 255 bytes", "name") }
        return .members([
            "name": .string(name), "title": .string(try members.textIfAny("title") ?? name),
            "steady": .boolean(try members.booleanIfAny("steady") ?? false),
            "active": .boolean(try members.booleanIfAny("active") ?? true),
        ])
    }

    func subscribe(_ request: Request, _ caller: AltcraftCaller) async throws -> Response {
        let isSync = try request.isSync()
        let order = try request.altcraftJSON { members throws(Problem) in try Order(&members) }
        let provider = try AltcraftProvider.checked(order.provider, "subscription.provider", context.admitted)
        let token = try AltcraftProvider.checkedToken(order.token, "subscription_id")
        guard try request.altcraftProvider(context.admitted) == provider else {
            throw EmbeddedError.altcraft(.badRequest, "provider: it differs from the subscription's")
        }
        var profile = try await profiles.profile(of: caller, making: provider, token)
        var subscription = try profile.subscription(provider, token) ?? make(provider, token)
        subscription.status = order.status
        subscription.fields = order.fields
        if let categories = order.categories { subscription.categories = categories }
        subscription.changed = context.now.integer ?? 0
        profile.apply(subscription)
        profile.fields = try AltcraftFields(order.profileFields).applied(to: profile.fields)
        try await profiles.keep(profile)
        if order.replaces { try await end(provider, token, but: profile.id) }
        return .altcraft(isSync ? profile.json(subscription) : nil)
    }

    private func make(_ provider: String, _ token: String) throws -> Subscription {
        Subscription(
            token: token,
            provider: provider,
            hash: try context.machine.key("subscription/\(provider)/\(token)")
        )
    }

    /// Ends the subscriptions that other profiles have with the same device.
    private func end(_ provider: String, _ token: String, but id: String) async throws {
        for var other in try await profiles.subscribers(provider, token) where other.id != id {
            guard var subscription = other.subscription(provider, token), subscription.status != .unsubscribed else {
                continue
            }
            subscription.status = .unsubscribed
            other.apply(subscription)
            try await profiles.keep(other)
        }
    }

    // MARK: Changing

    /// Replaces the push token of a device.
    func update(_ request: Request, _ caller: AltcraftCaller) async throws -> Response {
        let isSync = try request.isSync()
        let order = try request.altcraftJSON { members throws(Problem) in
            (
                oldToken: try members.text("old_token"), oldProvider: try members.text("old_provider"),
                newToken: try members.text("new_token"), newProvider: try members.text("new_provider")
            )
        }
        let old = try AltcraftProvider.checked(order.oldProvider, "old_provider", context.admitted)
        let new = try AltcraftProvider.checked(order.newProvider, "new_provider", context.admitted)
        let token = try AltcraftProvider.checkedToken(order.newToken, "new_token")
        guard try request.altcraftProvider(context.admitted) == new,
            try request.queryText("subscription_id") == order.oldToken
        else {
            throw EmbeddedError.altcraft(.badRequest, "the query names another provider or token than the body")
        }
        // The token belongs to the device: all profiles with the device get the new one.
        let known = try await profiles.subscribers(old, order.oldToken)
        let asking = try await profiles.profile(of: caller, provider: old, token: order.oldToken)
        guard let asking, asking.subscription(old, order.oldToken) != nil else {
            throw EmbeddedError.altcraft(.notFound, "no subscription has the old token")
        }
        var told: JSONValue?
        for var profile in known {
            guard var subscription = profile.subscription(old, order.oldToken) else { continue }
            profile.subscriptions.removeAll { $0.provider == old && $0.token == order.oldToken }
            (subscription.provider, subscription.token) = (new, token)
            subscription.changed = context.now.integer ?? 0
            profile.apply(subscription)
            try await profiles.keep(profile)
            if profile.id == asking.id { told = profile.json(subscription) }
        }
        return .altcraft(isSync ? told : nil)
    }

    /// Resumes the suspended subscription of this device; responds with `null` where there is none.
    func unsuspend(_ request: Request, _ caller: AltcraftCaller) async throws -> Response {
        let order = try request.altcraftJSON { members throws(Problem) in
            let named = try members.object("subscription") { inner throws(Problem) in
                (token: try inner.text("subscription_id"), provider: try inner.text("provider"))
            }
            guard let named else { throw members.failure("'subscription' is missing", "subscription") }
            return (
                token: named.token, provider: named.provider, replaces: try members.booleanIfAny("replace") ?? false
            )
        }
        let provider = try AltcraftProvider.checked(order.provider, "subscription.provider", context.admitted)
        guard try request.altcraftProvider(context.admitted) ?? provider == provider,
            try request.queryText("subscription_id") ?? order.token == order.token
        else { throw EmbeddedError.altcraft(.badRequest, "the query names another provider or token than the body") }
        let person = caller.matching.flatMap { $0.device == nil ? $0.profile : nil }
        let suspended = try await profiles.subscribers(provider, order.token)
            .filter { person == nil || $0.id == person }
            .filter { $0.subscription(provider, order.token)?.status == .suspended }
            .max { ($0.latest()?.changed ?? 0) < ($1.latest()?.changed ?? 0) }
        guard var profile = suspended, var subscription = profile.subscription(provider, order.token) else {
            return .altcraft(.null)
        }
        subscription.status = .subscribed
        subscription.changed = context.now.integer ?? 0
        profile.apply(subscription)
        try await profiles.keep(profile)
        if order.replaces { try await end(provider, order.token, but: profile.id) }
        return .altcraft(profile.json(subscription))
    }

    func updateProfile(_ request: Request, _ caller: AltcraftCaller) async throws -> Response {
        let fields = try request.altcraftJSON { members throws(Problem) in
            let fields = try members.value("profile_fields")
            guard fields != nil else { throw members.failure("'profile_fields' is missing", "profile_fields") }
            _ = try members.booleanIfAny("skip_triggers")
            return fields
        }
        guard var profile = try await self.profile(request, caller) else {
            throw EmbeddedError.altcraft(.notFound, "unknown profile")
        }
        profile.fields = try AltcraftFields(fields).applied(to: profile.fields)
        try await profiles.keep(profile)
        return .altcraft()
    }

    // MARK: Reading

    /// Responds with the latest subscription, the latest of a provider, or the one with a token, as the query
    /// selects.
    func status(_ request: Request) async throws -> Response {
        let caller = try await AltcraftCaller(request, context)
        let (provider, token) = (
            try request.altcraftProvider(context.admitted), try request.queryText("subscription_id")
        )
        guard token == nil || provider != nil else {
            throw EmbeddedError.altcraft(.badRequest, "subscription_id: 'provider' is missing")
        }
        guard let profile = try await self.profile(request, caller) else { return .altcraft(.null) }
        let subscription =
            if let provider, let token { profile.subscription(provider, token) } else { profile.latest(of: provider) }
        return .altcraft(profile.json(subscription))
    }

    /// Returns the profile of a user, or the profile of a device without a user.
    private func profile(_ request: Request, _ caller: AltcraftCaller) async throws -> AltcraftProfile? {
        let (provider, token) = (
            try request.altcraftProvider(context.admitted), try request.queryText("subscription_id")
        )
        if caller.matching == nil, provider == nil || token == nil {
            throw EmbeddedError.altcraft(
                .badRequest,
                "a request with a role token needs 'provider' and 'subscription_id'"
            )
        }
        return try await profiles.profile(of: caller, provider: provider, token: token)
    }
}
