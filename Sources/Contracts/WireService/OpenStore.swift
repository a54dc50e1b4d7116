package import WireBase
import WireConfig

/// The store settings with which the process opened its store; they cannot change while it runs.
package struct OpenStore: Sendable {
    package let directory: String?
    private let key: Secret<String>?
    private let previousKey: Secret<String>?
    /// The settings of the database that the runners of a group share.
    private let shared: Secret<String>?

    package init(
        directory: String?,
        key: Secret<String>?,
        previousKey: Secret<String>?,
        shared: Secret<String>? = nil
    ) {
        self.directory = directory
        self.key = key
        self.previousKey = previousKey
        self.shared = shared
    }

    package func hasSameDatabase(as other: OpenStore) -> Bool { shared?.reveal() == other.shared?.reveal() }

    package func hasSameKey(as other: OpenStore) -> Bool { key?.reveal() == other.key?.reveal() }
}

extension OpenStore: Equatable {
    package static func == (left: Self, right: Self) -> Bool {
        left.directory == right.directory && left.hasSameKey(as: right)
            && left.previousKey?.reveal() == right.previousKey?.reveal() && left.hasSameDatabase(as: right)
    }
}

extension Ability where Value == OpenStore {
    package static var openStore: Self { Self(Provision(.runner, "open store")) }
}
