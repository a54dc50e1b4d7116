import WireBase
import WireHTTP
import WireService
import WireStateContract

/// The app's store as other services write it.
struct OfferedState: StateWriting {
    let service: PersistenceService

    func write(_ text: String, under key: String, in namespace: String) async throws(Fault) {
        _ = try await Fault.wrapping { () async throws(StateFailure) in
            let type = "text/plain; charset=utf-8"
            // One store makes it durable with whatever follows.
            let isDurable = service.present.host.stores.all.count > 1
            return try await service.put(Array(text.utf8), type: type, under: key, in: namespace, isDurable: isDurable)
        }
    }
}
