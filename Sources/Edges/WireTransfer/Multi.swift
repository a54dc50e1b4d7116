import CCurl
import WireHTTP

/// libcurl's set of transfers and connections, driven by one thread.
///
/// Unchecked: the pointer never changes. Other threads call `curl_multi_wakeup` only, which libcurl allows from any
/// thread. All other calls, and all uses of the sockets, are made by the engine's thread, or by the deinitializer
/// once there are no other references.
@safe final class Multi: @unchecked Sendable {
    private let raw: UnsafeMutableRawPointer
    /// libcurl holds its address while a connection exists.
    let sockets: OpenSockets

    init(_ options: TransferOptions) throws(TransferFailure) {
        try Libcurl.load()
        guard let raw = unsafe wire_multi_init() else { throw Libcurl.refusal }
        unsafe self.raw = raw
        sockets = OpenSockets(options.routes)
        _ = unsafe wire_multi_set_long(raw, CURLMOPT_MAX_HOST_CONNECTIONS, options.connectionsPerHost)
        _ = unsafe wire_multi_set_long(raw, CURLMOPT_MAX_TOTAL_CONNECTIONS, options.connections)
        _ = unsafe wire_multi_set_long(raw, CURLMOPT_MAXCONNECTS, options.connections)
        _ = unsafe wire_multi_set_long(raw, CURLMOPT_PIPELINING, Int(CURLPIPE_NOTHING))
    }

    deinit {
        unsafe wire_multi_cleanup(raw)
        withExtendedLifetime(sockets) {}
    }

    /// Wakes the present or the next wait; from any thread.
    func wake() {
        _ = unsafe wire_multi_wakeup(raw)
    }

    // MARK: Engine's thread only

    /// Performs all work that needs no waiting.
    func perform() {
        var running: Int32 = 0
        _ = unsafe wire_multi_perform(raw, &running)
    }

    /// Waits for the network, including the sockets of connections, a wake-up or the timeout.
    func wait(upTo milliseconds: Int32, also sockets: inout [curl_waitfd]) {
        _ = unsafe sockets.withUnsafeMutableBufferPointer { sockets in
            unsafe wire_multi_poll(raw, sockets.baseAddress, UInt32(sockets.count), milliseconds, nil)
        }
    }

    func add(_ easy: borrowing Easy) -> Bool {
        unsafe wire_multi_add_handle(raw, easy.raw) == CURLM_OK
    }

    func remove(_ easy: borrowing Easy) {
        _ = unsafe wire_multi_remove_handle(raw, easy.raw)
    }

    /// Returns the next ended transfer.
    func nextEnd() -> (id: UInt, code: CURLcode)? {
        var code = CURLE_OK
        guard let easy = unsafe wire_multi_next_end(raw, &code) else { return nil }
        return (UInt(bitPattern: easy), code)
    }
}
