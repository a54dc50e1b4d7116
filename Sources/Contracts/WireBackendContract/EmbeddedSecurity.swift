import Synchronization
import WireConfig
package import WireService

/// The address of the embedded server for metrics and disabled versions, where one runs.
///
/// A separate type, because its users start before it: the security service is ready before all servers are.
package final class EmbeddedSecurity: Sendable {
    private let present = Mutex<String?>(nil)

    package init() {}

    /// The address without a trailing slash, such as `http://127.0.0.1:7430`; nil while there is none.
    package var address: String? { present.withLock { $0 } }

    package func update(at address: String?) { present.withLock { $0 = address } }
}

extension Ability where Value == EmbeddedSecurity {
    package static var embeddedSecurity: Ability<EmbeddedSecurity> { Ability(Provision(.runner, "embedded security")) }
}
