import WireBackendContract
import WireConfig
package import WireHTTP
package import WireService

/// Replaces the embedded servers in a program without them, and says so to callers of the local API.
package final class MissingServers: Service {
    package typealias Settings = BackendsSection

    package static var traits: ServiceTraits { .embeddedServers }
    package static let operations = MissingRoutes.operations
    package var routes: [Route] { MissingRoutes().routes }
    private let host: ServiceHost

    private init(_ host: ServiceHost) { self.host = host }

    package static func prepare(_ settings: BackendsSection, in host: ServiceHost) async throws -> MissingServers {
        guard host.facts.backend == .remote else { throw MissingCapability(BackendsSection.notInstalled) }
        return MissingServers(host)
    }

    package static func effect(of new: BackendsSection, after old: BackendsSection) -> SettingsEffect { .kept }

    package func start() async throws { host.report(.inert(BackendsSection.reasonToRest)) }
}

private struct MissingRoutes: RouteGroup {
    static let table: [RouteEntry<MissingRoutes>] = [
        .missing(BackendCalls.servers), .missing(BackendCalls.issuer), .missing(BackendCalls.rotate),
        .missing(BackendCalls.faults), .missing(BackendCalls.fault), .missing(BackendCalls.endFaults),
        .missing(BackendCalls.endFault), .missing(BackendCalls.push),
        .init(BackendCalls.sendPush) { _ in .work { _ throws(Problem) in throw Problem(MissingRoutes.failure) } },
        .missing(BackendCalls.metrics), .missing(BackendCalls.versions), .missing(BackendCalls.say),
    ]

    fileprivate static var failure: BackendFailure { BackendFailure(.notEmbedded, BackendsSection.notInstalled) }
}

extension RouteEntry<MissingRoutes> {
    fileprivate static func missing<Input, Answer>(_ call: APICall<Input, Answer, BackendFailureKind>) -> Self {
        .call(call) { _ in { _ throws(BackendFailure) in throw MissingRoutes.failure } }
    }
}

extension ServiceTraits {
    /// The traits of the embedded servers' service, installed or missing.
    package static var embeddedServers: ServiceTraits {
        var traits = ServiceTraits()
        traits.spansEnvironments = true
        // The environment decides whether the service serves, and whose data.
        traits.followsEnvironment = true
        return traits
    }
}

extension BackendsSection {
    /// The reason for which the servers do not run in an environment that is not embedded.
    package static let reasonToRest =
        "embedded servers run only in environments with 'backend: embedded'"

    /// The reason for which a program without the servers cannot run an embedded environment.
    package static let notInstalled =
        "the embedded servers are not installed; use the development runner, corewire-dev-runner"
}
