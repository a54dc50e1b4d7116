import WireBase
import WireHost
package import WireHTTP

/// A minimal HTTP/1.1 client for Unix sockets, with one connection for each request.
///
/// Commands use it because it loads no further library.
package enum SocketClient {
    /// Returns once the head of the response has arrived; the body is streamed.
    ///
    /// Cancelling the task, or releasing the body, closes the connection.
    package static func send(_ request: SocketRequest, to path: String) async throws(TransferFailure)
        -> IncomingResponse
    {
        let bytes = try request.bytes()
        let stream: UnixStream
        do throws(UnixStream.Failure) {
            stream = try await UnixStream.connect(to: path, within: request.connectLimit)
        } catch {
            throw TransferFailure(error, isConnected: false)
        }
        let answer = SocketAnswer(to: request.method, on: stream, silence: request.silence)
        let head = try await answer.head(to: bytes, within: request.headLimit)
        return IncomingResponse(status: head.status, fields: head.fields, body: answer, url: request.target)
    }
}
