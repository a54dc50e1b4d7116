import WireBackendContract
import WireConfig
package import WireHTTP
package import WireService

/// Stands for the embedded servers in a program that does not have them: it says so to callers of the local API.
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
    /// How the embedded servers take part, those that are installed and those that are missing.
    package static var embeddedServers: ServiceTraits {
        var traits = ServiceTraits()
        traits.spansEnvironments = true
        // Where it serves depends on what the environment is, and whose memory it serves on which one.
        traits.followsEnvironment = true
        return traits
    }
}

extension BackendsSection {
    /// Why the servers do nothing in an environment that is not embedded.
    package static let reasonToRest =
        "the environment has servers of its own, these are for 'backend: embedded' only"

    /// Why nothing runs in an embedded environment of a program without the servers.
    package static let notInstalled =
        "the embedded servers are not installed: they come with the runner for development, corewire-dev-runner"
}
