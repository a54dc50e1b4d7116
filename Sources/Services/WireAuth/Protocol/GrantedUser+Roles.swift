import WireConfig

/// Keycloak's roles of a user.
extension GrantedUser {
    var realmRoles: [String] { Self.roles(claims["realm_access"]) }

    /// The roles at one client.
    func roles(at client: String) -> [String] { Self.roles(claims["resource_access"]?[client]) }

    func hasRealmRole(_ role: String) -> Bool { realmRoles.contains(role) }

    func hasRole(_ role: String, at client: String) -> Bool { roles(at: client).contains(role) }

    static func roles(_ value: JSONValue?) -> [String] {
        value?["roles"]?.array?.compactMap(\.string) ?? []
    }
}
