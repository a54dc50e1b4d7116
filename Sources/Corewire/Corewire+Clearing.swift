import WireBase
import WireHost
import WireService

extension Corewire {
    /// What is removed of what services keep; more may be added.
    public struct ClearingScope: Sendable, Hashable {
        let scope: WireService.ClearingScope

        /// What is of the people who use this device, in the environment that runs; whoever is signed in is signed out.
        public static let user = Self(scope: .user)
        /// Whatever is kept for the environment that runs.
        public static let environment = Self(scope: .environment)
        /// Whatever is kept for any environment.
        public static let all = Self(scope: .all)
    }

    /// What became of what one service kept.
    public struct Cleared: Sendable {
        /// The service; `store`, the last one, is the store itself.
        public let service: String
        /// How much there was of each kind, in words for people; empty where it is still there.
        public let removed: [(what: String, count: Int)]
        /// Why it is still there; nil where it is gone.
        public let reason: String?
        /// What can be done about that.
        public let help: String?
    }

    /// Ends what is under way and removes what services keep, as `corewire clear` does; tells each what there was.
    ///
    /// Of all services, or of those that are named; a name that none has is passed over. What is gone is gone from the disk
    /// when this returns. Where some of it is still there the answer says which, and to ask again goes on.
    @concurrent
    @discardableResult
    public func clear(_ scope: ClearingScope, services: [String]? = nil) async -> [Cleared] {
        await clearings.clear(scope.scope, of: services, in: stores, .host).map { answer in
            Cleared(
                service: answer.service,
                removed: (answer.removed ?? []).map { ($0.what, $0.count) },
                reason: answer.reason,
                help: answer.help
            )
        }
    }
}
