import Synchronization
import WireConfig
package import WireService

/// Where the server of metrics and of switched-off versions is that is built in, where one runs.
///
/// It is asked for by those who start before it: whoever guards the runner is there before all servers are.
package final class EmbeddedSecurity: Sendable {
    private let present = Mutex<String?>(nil)

    package init() {}

    /// Such as `http://127.0.0.1:7430`, without a slash at its end; nil while there is none.
    package var address: String? { present.withLock { $0 } }

    package func become(at address: String?) { present.withLock { $0 = address } }
}

extension Ability where Value == EmbeddedSecurity {
    package static var embeddedSecurity: Ability<EmbeddedSecurity> { Ability(Provision(.runner, "embedded security")) }
}
