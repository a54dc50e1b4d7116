import CCurl
import Glibc
import WireBase
import WireHTTP

/// libcurl's set of transfers that one thread drives, with the connections it keeps.
///
/// Only what has something is looked at: the sockets that epoll names, and what libcurl's timer is for. However many
/// transfers there are, the others cost nothing.
///
/// Unchecked: the pointers and descriptors never change, the one thing other threads do is to write to the bell, and every
/// other call is made by the thread that runs the engine, which alone has the timer.
@safe final class Multi: @unchecked Sendable {
    private let raw: UnsafeMutableRawPointer
    private let watch: Int32
    private let bell: Int32
    private let ready: UnsafeMutablePointer<wire_ready>
    /// When libcurl wants to be called, in monotonic nanoseconds.
    private var timer = Monotonic.never

    /// libcurl asks for this once in a process, before anything else.
    private static let isReady = curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK

    init(_ options: TransferOptions) throws(TransferFailure) {
        let (watch, bell) = (wire_watch(), wire_bell())
        guard Self.isReady, watch >= 0, bell >= 0, let raw = unsafe curl_multi_init() else {
            for descriptor in [watch, bell] where descriptor >= 0 { _ = close(descriptor) }
            throw TransferFailure(.exhausted, "libcurl could not be started", wasNotSent: true)
        }
        unsafe self.raw = raw
        (self.watch, self.bell) = (watch, bell)
        unsafe ready = .allocate(capacity: Int(WIRE_MOST_READY))
        wire_watch_socket(watch, bell, CURL_POLL_IN)
        _ = unsafe wire_multi_set_long(raw, CURLMOPT_MAX_HOST_CONNECTIONS, options.connectionsPerHost)
        _ = unsafe wire_multi_set_long(raw, CURLMOPT_MAX_TOTAL_CONNECTIONS, options.connections)
        _ = unsafe wire_multi_set_long(raw, CURLMOPT_MAXCONNECTS, options.connections)
        // As many as the server allows, within what the client does.
        _ = unsafe wire_multi_set_long(raw, CURLMOPT_MAX_CONCURRENT_STREAMS, options.transfers)
        _ = unsafe wire_multi_set_long(raw, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        _ = unsafe wire_multi_on_socket(
            raw,
            { _, descriptor, what, context, _ in
                unsafe Multi.at(context)?.watch(descriptor, for: what)
                return 0
            },
            context
        )
        _ = unsafe wire_multi_on_timer(
            raw,
            { _, milliseconds, context in
                unsafe Multi.at(context)?.set(timer: milliseconds)
                return 0
            },
            context
        )
    }

    deinit {
        // It would call back while it closes its connections.
        _ = unsafe wire_multi_on_socket(raw, nil, nil)
        _ = unsafe wire_multi_on_timer(raw, nil, nil)
        unsafe curl_multi_cleanup(raw)
        _ = close(watch)
        _ = close(bell)
        unsafe ready.deallocate()
    }

    private static func at(_ context: UnsafeMutableRawPointer?) -> Multi? {
        guard let context = unsafe context else { return nil }
        return unsafe Unmanaged<Multi>.fromOpaque(context).takeUnretainedValue()
    }

    /// From any thread: the wait that is under way, or the next one, ends at once.
    func wake() {
        var one: UInt64 = 1
        _ = unsafe write(bell, &one, MemoryLayout<UInt64>.size)
    }

    // MARK: What libcurl asks for

    private func watch(_ descriptor: curl_socket_t, for what: Int32) {
        wire_watch_socket(watch, descriptor, what)
    }

    private func set(timer milliseconds: Int) {
        timer = milliseconds < 0 ? Monotonic.never : Monotonic.after(.milliseconds(milliseconds))
    }

    // MARK: The engine's thread only

    /// Does what libcurl's timer is for, where its time has come.
    func perform() {
        // What is done can set it anew, to do something more at once; but sockets are not to wait for ever.
        for _ in 0..<8 {
            guard timer <= Monotonic.now else { return }
            timer = Monotonic.never
            act(CURL_SOCKET_TIMEOUT, 0)
        }
    }

    /// Waits for the network, for a wake, or for so many milliseconds, and does what the network has brought.
    func wait(upTo milliseconds: Int32) {
        let count = unsafe wire_watch_wait(watch, ready, min(milliseconds, untilTimer))
        for index in 0..<Int(count) {
            let one = unsafe ready[index]
            if one.descriptor == bell { silence() } else { act(one.descriptor, one.what) }
        }
    }

    private func act(_ descriptor: curl_socket_t, _ what: Int32) {
        var running: Int32 = 0
        _ = unsafe curl_multi_socket_action(raw, descriptor, what, &running)
    }

    private func silence() {
        var count: UInt64 = 0
        _ = unsafe read(bell, &count, MemoryLayout<UInt64>.size)
    }

    private var untilTimer: Int32 {
        guard timer != Monotonic.never else { return .max }
        let now = Monotonic.now
        return timer <= now ? 0 : Int32(clamping: (timer - now) / 1_000_000 + 1)
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
