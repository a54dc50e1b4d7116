import WireBase
import WireHost
import WireService

extension Corewire {
    /// The scope of stored data to remove; more may be added.
    public struct ClearingScope: Sendable, Hashable {
        let scope: WireService.ClearingScope

        /// The data of all users of this device in the current environment; the signed-in user is signed out.
        public static let user = Self(scope: .user)
        /// All data of the current environment.
        public static let environment = Self(scope: .environment)
        /// All data of all environments.
        public static let all = Self(scope: .all)
    }

    /// The result of clearing one service.
    public struct Cleared: Sendable {
        /// The service; `store`, the last one, is the store itself.
        public let service: String
        /// The number of removed items by kind, as text for users; empty where clearing failed as a whole.
        public let removed: [(what: String, count: Int)]
        /// Why clearing failed, or some data is left; nil where it succeeded.
        public let reason: String?
        /// What to do about the failure.
        public let help: String?
    }

    /// Stops current work and removes stored data, as `corewire clear` does; returns the result by service.
    ///
    /// Clears all services, or the named ones; unknown names are ignored. Removed data is erased from the disk when
    /// this returns. Where a service fails the result says so; call again to continue. A dry run returns what would be
    /// removed, without what only servers know, and changes nothing.
    @concurrent
    @discardableResult
    public func clear(_ scope: ClearingScope, services: [String]? = nil, dryRun: Bool = false) async -> [Cleared] {
        let eraser = Eraser(stores, isDryRun: dryRun)
        return await clearings.clear(scope.scope, of: services, with: eraser, .host).map { answer in
            Cleared(
                service: answer.service,
                removed: (answer.removed ?? []).map { ($0.what, $0.count) },
                reason: answer.reason,
                help: answer.help
            )
        }
    }
}
