package import WireBase
package import WireHTTP

/// WebSocket frames by libwslay.
package struct WslayFraming: WebSocketFraming {
    package init() {}

    package func begin(as role: WebSocketRole, limit: ByteCount, acceptsBinary: Bool) -> (any WebSocketFrames)? {
        guard let context = WslayContext(role, limit: limit.bytes, acceptsBinary: acceptsBinary) else { return nil }
        return WslayFrames(context)
    }
}
