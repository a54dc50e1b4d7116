import CWslay
import WireHTTP

/// libwslay's state of a connection, with its input and output.
@safe struct WslayContext: ~Copyable {
    enum Kind {
        case text, binary, ping
    }

    private let role: WebSocketRole
    private let raw: wslay_event_context_ptr
    private let wire: Wire

    /// Nil without memory.
    init?(_ role: WebSocketRole, limit: Int, acceptsBinary: Bool = false) {
        self.role = role
        wire = Wire(limit: limit, acceptsBinary: acceptsBinary)
        var callbacks = Wire.callbacks
        var raw: wslay_event_context_ptr?
        // The context holds the wire's address, and the wire lives as long as this object.
        let address = unsafe Unmanaged.passUnretained(wire).toOpaque()
        let result =
            switch role {
            case .client: unsafe wslay_event_context_client_init(&raw, &callbacks, address)
            case .server: unsafe wslay_event_context_server_init(&raw, &callbacks, address)
            }
        guard result == 0, let raw = unsafe raw else { return nil }
        unsafe self.raw = raw
        // The wire collects the parts of messages in one buffer; libwslay would allocate each of them.
        unsafe wslay_event_config_set_no_buffering(raw, 1)
    }

    deinit { unsafe wslay_event_context_free(raw) }

    // MARK: Receiving

    func consume(_ bytes: [UInt8]) -> [WebSocketEvent] {
        wire.arrive(bytes)
        let result = unsafe wslay_event_recv(raw)
        guard result == 0 else {
            breakOff(WebSocketClose(result == Int32(WSLAY_ERR_NOMEM.rawValue) ? 1_011 : 1_002))
            return wire.takeEvents()
        }
        flush()
        if !wire.isOver, unsafe wslay_event_get_read_enabled(raw) == 0 {
            // libwslay closes on a protocol error, and reports the code once it is sent.
            wire.refuse(WebSocketClose(Int(unsafe wslay_event_get_status_code_sent(raw))))
        }
        return wire.takeEvents()
    }

    /// Ends a connection with an unreadable frame, for which libwslay has no close code.
    private func breakOff(_ close: WebSocketClose) {
        let before = wire.takeOutgoing()
        flush()
        _ = wire.takeOutgoing()
        wire.give(before)
        if !wire.isOver, let other = WslayContext(role, limit: 0), other.close(close) {
            wire.give(other.takeOutgoing())
        }
        wire.refuse(close)
    }

    // MARK: Sending

    func queue(_ kind: Kind, _ bytes: [UInt8]) -> Bool {
        guard unsafe wslay_event_get_write_enabled(raw) != 0, unsafe wslay_event_get_close_sent(raw) == 0 else {
            return false
        }
        let opcode =
            switch kind {
            case .text: WSLAY_TEXT_FRAME
            case .binary: WSLAY_BINARY_FRAME
            case .ping: WSLAY_PING
            }
        let isQueued = unsafe bytes.withUnsafeBufferPointer { bytes in
            var message = unsafe wslay_event_msg(
                opcode: UInt8(opcode.rawValue),
                msg: bytes.baseAddress,
                msg_length: bytes.count
            )
            return unsafe wslay_event_queue_msg(raw, &message) == 0
        }
        flush()
        return isQueued
    }

    func close(_ close: WebSocketClose) -> Bool {
        // A control frame has 125 bytes, two of them for the code.
        var reason = Substring(close.reason)
        while reason.utf8.count > 123 { reason.removeLast() }
        let bytes = Array(reason.utf8)
        let isQueued = unsafe wslay_event_queue_close(raw, UInt16(clamping: close.code), bytes, bytes.count) == 0
        flush()
        return isQueued
    }

    func takeOutgoing() -> [UInt8] { wire.takeOutgoing() }

    /// Converts queued frames to bytes at once, since senders count bytes.
    private func flush() { _ = unsafe wslay_event_send(raw) }
}
