import WireConfig
package import WireService

/// Claims of a user besides names (OpenID Connect Core, section 5.1).
extension SignedInUser {
    package var isEmailVerified: Bool { claims["email_verified"]?.boolean ?? false }

    /// The roles of the user at all clients: Keycloak's realm roles, or the claim `roles`, each once.
    package var roles: [String] {
        let plain = claims["roles"]?.array?.compactMap(\.string) ?? []
        return (GrantedUser.roles(claims["realm_access"]) + plain).reduce(into: []) { roles, role in
            if !roles.contains(role) { roles.append(role) }
        }
    }

    /// The roles of the user at one client (Keycloak).
    package func roles(at client: String) -> [String] { GrantedUser.roles(claims["resource_access"]?[client]) }
}
