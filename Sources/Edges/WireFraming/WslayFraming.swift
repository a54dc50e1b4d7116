package import WireBase
package import WireHTTP

/// WebSocket frames by libwslay.
package struct WslayFraming: WebSocketFraming {
    package init() {}

    package func begin(limit: ByteCount) -> (any WebSocketFrames)? {
        guard let context = WslayContext(limit: limit.bytes) else { return nil }
        return WslayFrames(context)
    }
}
