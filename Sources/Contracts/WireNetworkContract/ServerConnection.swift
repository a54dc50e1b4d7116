package import WireBase
import WireConfig
import WireHTTP

/// A connection to a server of the file, for a protocol without HTTP.
///
/// One task receives; any task may send. Releasing the connection closes it.
package final class ServerConnection: Sendable {
    private let body: any BodyReader
    private let outlet: SocketOutlet
    private let clock: TimeSource

    /// The size limit of the send buffer.
    fileprivate static let mostWaiting = ByteCount.mebibytes(1)

    fileprivate init(_ body: any BodyReader, _ outlet: SocketOutlet, _ clock: TimeSource) {
        (self.body, self.outlet, self.clock) = (body, outlet, clock)
    }

    deinit { outlet.end() }

    /// Returns the next bytes, or nil where the server has closed the connection; throws where it was lost.
    package func receive() async throws(Fault) -> [UInt8]? {
        do { return try await body.read() } catch {
            throw Fault((error as? TransferFailure)?.reason ?? "the connection was cut")
        }
    }

    /// Sends bytes; false where the server does not read.
    package func send(_ bytes: [UInt8]) -> Bool { outlet.give(bytes) }

    /// Sends the remaining bytes and waits briefly for the server to close the connection.
    package func leave(within patience: Duration) async { await outlet.leave(body, within: patience, clock) }
}

extension ServerClient {
    /// Connects to the server of an `mqtt` or `mqtts` URL; the options of the call apply to the connection.
    package func connect(_ call: ServerCall, clock: TimeSource) async throws(CallFailure) -> ServerConnection {
        let outlet = SocketOutlet(limit: ServerConnection.mostWaiting)
        var call = call
        (call.body, call.isLong) = (.connection(outlet), true)
        return ServerConnection(try await send(call).body, outlet, clock)
    }
}
