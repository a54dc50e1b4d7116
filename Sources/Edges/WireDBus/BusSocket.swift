import CSDBus
import Glibc
import WireBase
import WireMessageBus

/// A connection of sd-bus, used by one thread.
@safe struct BusSocket: ~Copyable {
    private let handle: OpaquePointer
    private let library: SystemdLibrary

    private init(_ handle: OpaquePointer, _ library: SystemdLibrary) {
        unsafe self.handle = unsafe handle
        self.library = library
    }

    /// Starts connecting without waiting.
    static func open(_ address: String) throws(BusFailure) -> BusSocket {
        let library = try SystemdLibrary.loaded.get()
        var handle: OpaquePointer?
        guard unsafe library.functions.sd_bus_new(&handle) >= 0, let handle = unsafe handle else {
            throw BusFailure(.absent, "not enough memory for a connection")
        }
        // Released with the socket, whatever fails.
        let socket = unsafe BusSocket(handle, library)
        let functions = library.functions
        for result in unsafe [
            functions.sd_bus_set_address(handle, address), functions.sd_bus_set_bus_client(handle, 1),
            functions.sd_bus_negotiate_fds(handle, 0), functions.sd_bus_start(handle),
        ] where result < 0 {
            throw BusFailure(.absent, SystemdLibrary.text(of: result))
        }
        return socket
    }

    deinit { _ = unsafe library.functions.sd_bus_close_unref(handle) }

    /// Whether the bus has accepted the connection and assigned a name.
    var isReady: Bool { unsafe library.functions.sd_bus_is_ready(handle) > 0 }

    var name: String {
        var name: UnsafePointer<CChar>?
        guard unsafe library.functions.sd_bus_get_unique_name(handle, &name) >= 0 else { return "" }
        return unsafe name.map { unsafe String(cString: $0) } ?? ""
    }

    /// Reads and writes without blocking; returns whether there was work, and a received message.
    func process() throws(BusFailure) -> (isBusy: Bool, message: BusMessage?) {
        var message: OpaquePointer?
        let result = unsafe library.functions.sd_bus_process(handle, &message)
        guard result >= 0 else { throw BusFailure(.lost, SystemdLibrary.text(of: result)) }
        return (result > 0, unsafe message.map { unsafe BusMessage($0, library) })
    }

    /// Waits until the connection has work, the wakeup is signalled, or the deadline.
    func wait(_ wakeup: CInt, until due: UInt64) throws(BusFailure) {
        let (descriptor, events) = unsafe (
            library.functions.sd_bus_get_fd(handle), library.functions.sd_bus_get_events(handle)
        )
        guard descriptor >= 0, events >= 0 else { throw BusFailure(.lost, "the connection is closed") }
        var own: UInt64 = 0
        var due = due
        if unsafe library.functions.sd_bus_get_timeout(handle, &own) >= 0, own < UInt64.max / 1_000 {
            due = min(due, own * 1_000)
        }
        var waited = [
            pollfd(fd: descriptor, events: Int16(truncatingIfNeeded: events), revents: 0),
            pollfd(fd: wakeup, events: Int16(POLLIN), revents: 0),
        ]
        let now = Monotonic.now
        // A minute at most, and never less than the rest.
        let wait = due <= now ? 0 : min((due - now) / 1_000_000 + 1, 60_000)
        _ = unsafe poll(&waited, 2, CInt(wait))
        var rings: UInt64 = 0
        if waited[1].revents != 0 { _ = unsafe read(wakeup, &rings, MemoryLayout<UInt64>.size) }
    }

    // MARK: Sending

    /// Sends a call; returns the serial that its reply refers to.
    func send(_ call: BusCall) throws(BusFailure) -> UInt64 {
        var message: OpaquePointer?
        let result = unsafe library.functions.sd_bus_message_new_method_call(
            handle,
            &message,
            call.destination,
            call.path,
            call.interface,
            call.member
        )
        var cookie: UInt64 = 0
        let whole = try unsafe filled(result, message, call.arguments)
        try BusMessage.check(
            sent: unsafe library.functions.sd_bus_send(handle, whole.handle, &cookie),
            "a call cannot be sent"
        )
        return cookie
    }

    func send(_ signal: BusSignal) throws(BusFailure) {
        var message: OpaquePointer?
        let result = unsafe library.functions.sd_bus_message_new_signal(
            handle,
            &message,
            signal.path,
            signal.interface,
            signal.member
        )
        try send(try unsafe filled(result, message, signal.values))
    }

    func send(_ answer: BusIncomingCall.Answer, to call: BusMessage) throws(BusFailure) {
        var message: OpaquePointer?
        switch answer {
        case .values(let values):
            let result = unsafe library.functions.sd_bus_message_new_method_return(call.handle, &message)
            try send(try unsafe filled(result, message, values))
        case .error(let name, let text):
            let result = unsafe name.withCString { name in
                unsafe text.withCString { text in
                    var error = unsafe sd_bus_error(name: name, message: text, _need_free: 0)
                    return unsafe library.functions.sd_bus_message_new_method_error(call.handle, &message, &error)
                }
            }
            try send(try unsafe filled(result, message, []))
        }
    }

    private func filled(_ result: CInt, _ message: OpaquePointer?, _ values: [BusValue]) throws(BusFailure)
        -> BusMessage
    {
        try BusMessage.check(result, "a message has an invalid name or path")
        guard let message = unsafe message else { throw BusFailure(.invalid, "not enough memory for a message") }
        let whole = unsafe BusMessage(message, library)
        try whole.append(values)
        return whole
    }

    private func send(_ message: BusMessage) throws(BusFailure) {
        try BusMessage.check(
            sent: unsafe library.functions.sd_bus_send(handle, message.handle, nil),
            "a message cannot be sent"
        )
    }
}
