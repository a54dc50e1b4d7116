import WireBase
import WireHost
package import WireHTTP

/// Sends a request over a Unix socket, and reads the answer: HTTP/1.1, a connection for each request.
///
/// It brings no library that a command would have to load, which is why commands use it and no client of servers.
package enum SocketClient {
    /// Returns when the head of the answer has come; the body follows as it is read.
    ///
    /// Cancelling the task, or letting go of the body, ends the connection.
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
