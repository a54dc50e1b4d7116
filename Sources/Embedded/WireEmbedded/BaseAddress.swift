import Synchronization
import WireBackendContract
import WireBackends
import WireBase
import WireConfig

/// The shared address of the embedded servers, for other services.
final class BaseAddress: EmbeddedServers {
    private let present = Mutex((url: WebURL(known: "http://127.0.0.1"), origin: ValueOrigin?.none))

    var baseURL: WebURL { present.withLock { $0.url } }
    var origin: ValueOrigin? { present.withLock { $0.origin } }

    func become(_ url: WebURL, _ origin: ValueOrigin?) { present.withLock { $0 = (url, origin) } }
}
