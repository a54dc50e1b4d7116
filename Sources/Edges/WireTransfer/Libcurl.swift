import CCurl
import Synchronization
import WireBase
import WireHTTP

/// The library, loaded and initialized at the first use, once for each process.
enum Libcurl {
    private static let isReady = Mutex(false)

    /// Makes the functions of the library usable; one that cannot be loaded now may be the next time.
    static func load() throws(TransferFailure) {
        try isReady.withLock { isReady throws(TransferFailure) in
            if isReady { return }
            if let missing = unsafe wire_load() {
                let reason = unsafe String(cString: missing)
                throw failure("libcurl cannot be loaded: \(reason); install libcurl4")
            }
            guard wire_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK else { throw refusal }
            isReady = true
        }
    }

    static var refusal: TransferFailure { failure("libcurl could not be started") }

    private static func failure(_ reason: String) -> TransferFailure {
        TransferFailure(.exhausted, reason, wasNotSent: true)
    }
}
