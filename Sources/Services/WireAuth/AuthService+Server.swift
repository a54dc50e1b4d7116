import Synchronization
import WireAuthContract
import WireBase
import WireConfig
import WireDeviceContract
import WireService
import WireStore

/// The identity server, resolved when the service starts.
final class DeferredServer: IdentityServer {
    private let make: @Sendable () throws -> any IdentityServer
    private let found = Mutex<(any IdentityServer)?>(nil)

    init(_ make: @escaping @Sendable () throws -> any IdentityServer) { self.make = make }

    func find() throws {
        let server = try make()
        found.withLock { $0 = server }
    }

    private var server: any IdentityServer {
        get throws(SignInFailure) {
            guard let server = found.withLock({ $0 }) else {
                throw SignInFailure(.temporarilyUnavailable, "the service has not started yet")
            }
            return server
        }
    }

    func beginAuthorization(redirectURI: String) async throws(SignInFailure) -> PendingAuthorization {
        try await server.beginAuthorization(redirectURI: redirectURI)
    }
    func finish(_ pending: PendingAuthorization, callback: String) async throws(SignInFailure) -> Grant {
        try await server.finish(pending, callback: callback)
    }
    func beginDevice() async throws(SignInFailure) -> PendingDevice { try await server.beginDevice() }
    func poll(_ pending: inout PendingDevice) async throws(SignInFailure) -> Grant? {
        try await server.poll(&pending)
    }
    func signIn(name: String, password: Secret<String>) async throws(SignInFailure) -> Grant {
        try await server.signIn(name: name, password: password)
    }
    func signIn(network: String, token: Secret<String>) async throws(SignInFailure) -> Grant {
        try await server.signIn(network: network, token: token)
    }
    func signInApp() async throws(SignInFailure) -> Grant { try await server.signInApp() }
    func refresh(_ grant: Grant) async throws(SignInFailure) -> Grant { try await server.refresh(grant) }
    func revoke(_ grant: Grant) async throws(SignInFailure) -> Revocation { try await server.revoke(grant) }
    func endOfSession(_ grant: Grant, state: String) async throws(SignInFailure) -> String? {
        try await server.endOfSession(grant, state: state)
    }
}

extension ServerLink {
    /// The identity server of the environment, over the program's network client.
    func server(_ settings: AuthSection, _ host: AuthHost) throws -> any IdentityServer {
        guard let client = host.find(.httpClient), let signatures = host.find(.signatures),
            let secrecy = host.find(.secrecy)
        else { throw MissingCapability("this program has no client for identity servers") }
        return try Self.declared(settings, host) { () throws(SignInFailure) in
            try IdentityServers.server(
                settings,
                environment: host.facts.name,
                baseURL: host.facts.baseURL,
                embedded: embedded?(),
                // Resolved at each use: the section 'device' may be added later, or not at all.
                device: { () async throws(SignInFailure) in
                    do throws(StoreFailure) { return try await DeviceAlias.find(in: host) } catch {
                        throw SignInFailure(.offline, "the name of the device cannot be read: \(error.reason)")
                    }
                },
                OpenIDServer.Dependencies(
                    client: client,
                    signatures: signatures,
                    secrecy: secrecy,
                    clock: host.clock,
                    cache: host.stores.cache
                )
            )
        }
    }
}
