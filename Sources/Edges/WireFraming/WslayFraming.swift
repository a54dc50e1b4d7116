package import WireBase
package import WireHTTP

/// WebSocket frames by libwslay.
package struct WslayFraming: WebSocketFraming {
    package init() {}

    package func begin(as role: WebSocketRole, limit: ByteCount) -> (any WebSocketFrames)? {
        guard let context = WslayContext(role, limit: limit.bytes) else { return nil }
        return WslayFrames(context)
    }
}
