import CCurl
import WireHTTP

/// libcurl's set of transfers that one thread drives, with the connections it keeps.
///
/// Unchecked: the pointer never changes, the one function that other threads call on it is `curl_multi_wakeup`, which
/// libcurl allows from any thread, and every other call is made by the thread that runs the engine, as is every use of the
/// sockets; the last of both is here, when nothing else has this any more.
@safe final class Multi: @unchecked Sendable {
    private let raw: UnsafeMutableRawPointer
    /// libcurl has its address for as long as a connection exists.
    let sockets: OpenSockets

    /// libcurl asks for this once in a process, before anything else.
    private static let isReady = curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK

    init(_ options: TransferOptions) throws(TransferFailure) {
        guard Self.isReady, let raw = unsafe curl_multi_init() else {
            throw TransferFailure(.exhausted, "libcurl could not be started", wasNotSent: true)
        }
        unsafe self.raw = raw
        sockets = OpenSockets(options.routes)
        _ = unsafe wire_multi_set_long(raw, CURLMOPT_MAX_HOST_CONNECTIONS, options.connectionsPerHost)
        _ = unsafe wire_multi_set_long(raw, CURLMOPT_MAX_TOTAL_CONNECTIONS, options.connections)
        _ = unsafe wire_multi_set_long(raw, CURLMOPT_MAXCONNECTS, options.connections)
        _ = unsafe wire_multi_set_long(raw, CURLMOPT_PIPELINING, Int(CURLPIPE_NOTHING))
    }

    deinit {
        unsafe curl_multi_cleanup(raw)
        withExtendedLifetime(sockets) {}
    }

    /// From any thread: the wait that is under way, or the next one, ends at once.
    func wake() {
        _ = unsafe curl_multi_wakeup(raw)
    }

    // MARK: The engine's thread only

    /// Does what can be done without waiting.
    func perform() {
        var running: Int32 = 0
        _ = unsafe curl_multi_perform(raw, &running)
    }

    /// Waits for the network, for a wake, or for so many milliseconds.
    func wait(upTo milliseconds: Int32) {
        _ = unsafe curl_multi_poll(raw, nil, 0, milliseconds, nil)
    }

    func add(_ easy: borrowing Easy) -> Bool {
        unsafe curl_multi_add_handle(raw, easy.raw) == CURLM_OK
    }

    func remove(_ easy: borrowing Easy) {
        _ = unsafe curl_multi_remove_handle(raw, easy.raw)
    }

    /// The next transfer that has ended.
    func nextEnd() -> (id: UInt, code: CURLcode)? {
        var code = CURLE_OK
        guard let easy = unsafe wire_multi_next_end(raw, &code) else { return nil }
        return (UInt(bitPattern: easy), code)
    }
}
