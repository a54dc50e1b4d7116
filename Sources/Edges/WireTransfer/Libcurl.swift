import CCurl
import WireBase
import WireHTTP

/// The library, loaded and initialized at the first use, once for each process.
enum Libcurl {
    /// What is missing; nil where all of it was found.
    private static let missing = unsafe wire_load().map { unsafe String(cString: $0) }
    private static let isReady = missing == nil && wire_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK

    /// Makes the functions of the library usable.
    static func load() throws(TransferFailure) {
        guard isReady else { throw refusal }
    }

    static var refusal: TransferFailure {
        let reason = missing.map { "\($0.quoted) could not be loaded; install libcurl4" }
        return TransferFailure(.exhausted, reason ?? "libcurl could not be started", wasNotSent: true)
    }
}
