import WireBase
import WireConfig
import WireHTTP

/// The profiles of an environment, found by caller and by the push tokens of devices.
struct AltcraftProfiles: Sendable {
    let context: PushRequestContext

    /// Returns the profile that a request is about, or nil where there is none yet.
    func profile(of caller: AltcraftCaller, provider: String?, token: String?) async throws -> AltcraftProfile? {
        if let matching = caller.matching, matching.device == nil { return try await find(matching.profile) }
        let device = caller.matching?.device ?? provider.flatMap { provider in token.map { (provider, $0) } }
        guard let device else { return nil }
        return try await subscribers(device.0, device.1).first { $0.isAnonymous }
    }

    /// Returns the profile that a request is about, creating it if necessary.
    func profile(of caller: AltcraftCaller, making provider: String, _ token: String) async throws -> AltcraftProfile {
        if let known = try await profile(of: caller, provider: provider, token: token) { return known }
        if let matching = caller.matching, matching.device == nil {
            return AltcraftProfile(id: matching.profile, isAnonymous: false)
        }
        return AltcraftProfile(id: try EnvironmentContent.newID(context.machine), isAnonymous: true)
    }

    func find(_ id: String) async throws -> AltcraftProfile? {
        try await context.records.find(id, on: .profiles).flatMap(AltcraftProfile.init)
    }

    /// Returns the profiles that have a push token, whatever the state of the subscription.
    func subscribers(_ provider: String, _ token: String) async throws -> [AltcraftProfile] {
        let prefix = try self.prefix(provider, token)
        return try await context.records.keys(on: .subscribers, prefix: prefix, limit: 1_000)
            .asyncCompactMap { key in try await find(String(key.dropFirst(prefix.utf8.count))) }
            .filter { $0.subscription(provider, token) != nil }
    }

    private func prefix(_ provider: String, _ token: String) throws -> String {
        try context.machine.key("\(provider)\n\(token)") + "/"
    }

    /// Stores a profile durably, and removes it from the index of push tokens it no longer has.
    func keep(_ profile: AltcraftProfile) async throws {
        let former = try await find(profile.id)?.subscriptions ?? []
        for new in profile.subscriptions
        where former.allSatisfy({ $0.provider != new.provider || $0.token != new.token }) {
            let key = try prefix(new.provider, new.token) + profile.id
            try await context.records.put(.object([]), key, on: .subscribers)
        }
        try await context.records.put(profile.json, profile.id, on: .profiles)
        for old in former where profile.subscription(old.provider, old.token) == nil {
            try await context.records.remove(prefix(old.provider, old.token) + profile.id, on: .subscribers)
        }
    }
}
