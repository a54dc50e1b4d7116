import CWslay
import WireHTTP

/// The input and output of libwslay: bytes on one side, events on the other.
///
/// libwslay holds its address, so it must live as long as the context.
final class Wire {
    private let limit: Int
    private var incoming: [UInt8] = []
    private var offset = 0
    private var outgoing: [UInt8] = []
    private var events: [WebSocketEvent] = []
    private let acceptsBinary: Bool
    /// The received part of a message.
    private var payload: [UInt8] = []
    private var isControl = false
    /// The received part of a close frame, and its length.
    private var closing: (bytes: [UInt8], length: Int)?
    /// Whether the final event was emitted.
    private(set) var isOver = false

    init(limit: Int, acceptsBinary: Bool) { (self.limit, self.acceptsBinary) = (limit, acceptsBinary) }

    func arrive(_ bytes: [UInt8]) { (incoming, offset) = (bytes, 0) }

    func takeEvents() -> [WebSocketEvent] {
        defer { events = [] }
        return events
    }

    func give(_ bytes: [UInt8]) { outgoing += bytes }

    func takeOutgoing() -> [UInt8] {
        defer { outgoing = [] }
        return outgoing
    }

    /// Ends the input.
    func end() {
        isOver = true
        payload = []
    }

    /// Refuses the input with a close.
    func refuse(_ close: WebSocketClose) {
        guard !isOver else { return }
        events.append(.refused(close))
        end()
    }

    // MARK: Callbacks of libwslay

    fileprivate func read(_ room: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(room.count, incoming.count - offset)
        unsafe room.copyBytes(from: incoming[offset..<offset + count])
        offset += count
        return count
    }

    fileprivate func write(_ bytes: UnsafeRawBufferPointer) { unsafe outgoing.append(contentsOf: bytes) }

    /// Returns the close code for a frame that is refused by its head, before its payload.
    fileprivate func begin(_ opcode: UInt8, _ length: UInt64) -> WebSocketClose? {
        isControl = opcode & 0x8 != 0
        let isClose = opcode == UInt8(WSLAY_CONNECTION_CLOSE.rawValue)
        closing = isClose ? ([], Int(clamping: length)) : nil
        guard !isControl else { return nil }
        if opcode == UInt8(WSLAY_BINARY_FRAME.rawValue), !acceptsBinary {
            return WebSocketClose(1_003, "only text is accepted")
        }
        guard length <= UInt64(max(0, limit - payload.count)) else {
            return WebSocketClose(1_009, "no more than \(limit) bytes are accepted")
        }
        return nil
    }

    /// Accepts a part of a frame; returns a close that libwslay would report as a protocol error.
    fileprivate func part(_ bytes: UnsafeRawBufferPointer) -> WebSocketClose? {
        guard !isOver else { return nil }
        if !isControl { unsafe payload.append(contentsOf: bytes) }
        guard closing != nil else { return nil }
        unsafe closing?.bytes.append(contentsOf: bytes)
        guard let closing, closing.bytes.count == closing.length, closing.length >= 2 else { return nil }
        let code = Int(closing.bytes[0]) << 8 | Int(closing.bytes[1])
        guard Self.laterCodes.contains(code), let reason = String(validating: closing.bytes.dropFirst(2), as: UTF8.self)
        else { return nil }
        events.append(.closed(WebSocketClose(code, reason)))
        end()
        return WebSocketClose(code, "")
    }

    /// The codes registered after RFC 6455: service restart, try again later, bad gateway.
    private static let laterCodes = 1_012...1_014

    fileprivate func message(_ opcode: UInt8, _ code: Int, _ bytes: UnsafeRawBufferPointer) {
        guard !isOver else { return }
        switch UInt32(opcode) {
        case WSLAY_TEXT_FRAME.rawValue:
            // libwslay has validated it, and refuses invalid UTF-8.
            events.append(.text(String(decoding: payload, as: UTF8.self)))
            payload.removeAll(keepingCapacity: payload.count <= 65_536)
        case WSLAY_BINARY_FRAME.rawValue:
            events.append(.binary(payload))
            payload = []
        case WSLAY_CONNECTION_CLOSE.rawValue:
            let reason = unsafe String(decoding: bytes.dropFirst(2), as: UTF8.self)
            events.append(.closed(code == 0 ? .none : WebSocketClose(code, reason)))
            end()
        default: events.append(.sign)
        }
    }
}

extension Wire {
    private static func at(_ context: UnsafeMutableRawPointer?) -> Wire? {
        guard let context = unsafe context else { return nil }
        return unsafe Unmanaged<Wire>.fromOpaque(context).takeUnretainedValue()
    }

    /// The callbacks of libwslay, with the address of the wire.
    static var callbacks: wslay_event_callbacks {
        unsafe wslay_event_callbacks(
            recv_callback: { context, bytes, count, _, wire in
                let room = unsafe UnsafeMutableRawBufferPointer(start: bytes, count: count)
                let read = unsafe Wire.at(wire)?.read(room) ?? 0
                guard read == 0 else { return read }
                unsafe wslay_event_set_error(context, Int32(WSLAY_ERR_WOULDBLOCK.rawValue))
                return -1
            },
            send_callback: { _, bytes, count, _, wire in
                unsafe Wire.at(wire)?.write(UnsafeRawBufferPointer(start: bytes, count: count))
                return count
            },
            genmask_callback: { _, bytes, count, _ in
                // The system's generator, since masks must be unpredictable to protect proxies.
                var random = SystemRandomNumberGenerator()
                for index in 0..<count { unsafe bytes?[index] = random.next() }
                return 0
            },
            on_frame_recv_start_callback: { context, frame, wire in
                guard let frame = unsafe frame?.pointee, let wire = unsafe Wire.at(wire),
                    let close = wire.begin(frame.opcode, frame.payload_length)
                else { return }
                let reason = Array(close.reason.utf8)
                unsafe wslay_event_queue_close(context, UInt16(close.code), reason, reason.count)
                unsafe wslay_event_shutdown_read(context)
                wire.refuse(close)
            },
            on_frame_recv_chunk_callback: { context, part, wire in
                guard let part = unsafe part?.pointee, let wire = unsafe Wire.at(wire),
                    let close = unsafe wire.part(UnsafeRawBufferPointer(start: part.data, count: part.data_length))
                else { return }
                unsafe wslay_event_queue_close(context, UInt16(close.code), nil, 0)
                unsafe wslay_event_shutdown_read(context)
            },
            on_frame_recv_end_callback: nil,
            on_msg_recv_callback: { _, message, wire in
                guard let message = unsafe message?.pointee else { return }
                unsafe Wire.at(wire)?.message(
                    message.opcode,
                    Int(message.status_code),
                    UnsafeRawBufferPointer(start: message.msg, count: message.msg_length)
                )
            }
        )
    }
}
