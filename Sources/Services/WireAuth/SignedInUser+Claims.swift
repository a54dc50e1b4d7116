import WireBase
import WireConfig
package import WireService

/// What identity servers say of a user, by the names the specifications give it (OpenID Connect Core, section 5.1).
extension SignedInUser {
    private func claim(_ names: String...) -> String? { names.firstFound { claims[$0]?.string } }

    /// A name to show.
    package var name: String? { claim("name", "preferred_username", "nickname", "email") }
    /// The name the user signs in with.
    package var userName: String? { claim("preferred_username", "name") }
    package var email: String? { claim("email") }
    package var isEmailVerified: Bool { claims["email_verified"]?.boolean ?? false }
    package var firstName: String? { claim("given_name") }
    package var lastName: String? { claim("family_name") }

    /// What the user may do anywhere: Keycloak's roles of the realm, or the claim `roles`, each once.
    package var roles: [String] {
        let plain = claims["roles"]?.array?.compactMap(\.string) ?? []
        return (GrantedUser.roles(claims["realm_access"]) + plain).reduce(into: []) { roles, role in
            if !roles.contains(role) { roles.append(role) }
        }
    }

    /// What the user may do at one client (Keycloak).
    package func roles(at client: String) -> [String] { GrantedUser.roles(claims["resource_access"]?[client]) }
}
