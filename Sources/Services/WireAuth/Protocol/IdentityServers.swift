import WireService
import WireBase
import WireConfig

/// Makes the identity server of a section.
enum IdentityServers {
    static func server(
        _ section: AuthSection,
        environment: String?,
        baseURL: WebURL?,
        embedded: ServerSettings.Embedded? = nil,
        device: @escaping @Sendable () async throws(SignInFailure) -> String? = { nil },
        _ means: OpenIDServer.Dependencies
    ) throws(SignInFailure) -> any IdentityServer {
        let settings = try ServerSettings(section, environment: environment, baseURL: baseURL, embedded: embedded)
        guard settings.dialect == .halo else { return OpenIDServer(settings, means) }
        return HaloServer(settings, means.client, means.clock, device: device)
    }
}
