import Synchronization
import WireBackendContract
import WireBase
import WireService

/// The registrars and applications that the file declares to the push servers; separate for each environment.
final class PushAdmissions: Sendable {
    struct Registrar: Sendable {
        /// The path below the base URL.
        let path: [String]
        let header: String
        let key: Secret<String>

        /// The name of its records.
        var name: String { path.joined(separator: "/") }
    }

    struct Admitted: Sendable {
        /// The variants in the order of declaration.
        var variants: [(id: String, secret: Secret<String>)] = []
        var roleTokens: [Secret<String>] = []
        /// Altcraft's names of the provider for Web Push.
        var webPush: Set<String> = []
        var registrars: [Registrar] = []
        /// The server of each registrar of the file, by the registrar's name.
        var named: [String: Registered] = [:]
    }

    /// The server that serves a registrar, with the part of it.
    enum Registered: Sendable {
        case ups(variant: String), altcraft, health(path: String), halo

        var server: PushOrder.Server {
            switch self {
            case .ups: .ups
            case .altcraft: .altcraft
            case .health: .health
            case .halo: .halo
            }
        }
    }

    private let known = Mutex<[String: Admitted]>([:])
    /// The largest number of each kind.
    private static let limit = 1_000

    subscript(environment: String) -> Admitted { known.withLock { $0[environment] ?? Admitted() } }

    func admit(variant: String, _ secret: Secret<String>, in environment: String) {
        change(environment) { admitted in
            if let index = admitted.variants.firstIndex(where: { $0.id == variant }) {
                admitted.variants[index].secret = secret
                return
            }
            guard admitted.variants.count < Self.limit else { return }
            admitted.variants.append((variant, secret))
        }
    }

    /// Records the server of a registrar of the file, replacing an earlier one.
    func name(_ registrar: String, _ standing: Registered, in environment: String) {
        change(environment) { admitted in
            guard admitted.named.count < Self.limit || admitted.named[registrar] != nil else { return }
            admitted.named[registrar] = standing
        }
    }

    func admit(roleToken: Secret<String>, in environment: String) {
        change(environment) { admitted in
            let isKnown = admitted.roleTokens.contains { $0.reveal() == roleToken.reveal() }
            guard !isKnown, admitted.roleTokens.count < Self.limit else { return }
            admitted.roleTokens.append(roleToken)
        }
    }

    func admit(webPush: String, in environment: String) {
        change(environment) { admitted in
            guard admitted.webPush.count < Self.limit else { return }
            admitted.webPush.insert(webPush)
        }
    }

    func admit(_ registrar: Registrar, in environment: String) {
        change(environment) { admitted in
            admitted.registrars.removeAll { $0.path == registrar.path && $0.header == registrar.header }
            guard admitted.registrars.count < Self.limit else { return }
            admitted.registrars.append(registrar)
        }
    }

    private func change(_ environment: String, _ change: (inout Admitted) -> Void) {
        known.withLock { change(&$0[environment, default: Admitted()]) }
    }
}
