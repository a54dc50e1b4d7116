package import WireBase
package import WireConfig
package import WireHost
package import WireHTTP

/// A client of a running runner, over its socket.
///
/// ```swift
/// let client = try RunnerClient(invocation)
/// let status = try await client.perform(RunnerCalls.status, NoInput()).answer
/// ```
package struct RunnerClient: Sendable {
    package let socket: FoundSocket

    /// The maximum size of a response.
    package static let limit = ByteCount.mebibytes(32)
    /// The timeouts of reading requests and of changes.
    package static let lookLimit = Duration.seconds(10)
    package static let changeLimit = Duration.seconds(900)

    package init(_ invocation: Invocation, environment: Environment = .snapshot()) throws {
        socket = try SocketFinder(invocation, environment).find()
    }

    /// Sends a request and reads the whole response, of any status.
    package func ask(
        _ method: Method,
        _ path: String,
        body: [UInt8]? = nil,
        fields: Fields = [:],
        within limit: Duration = lookLimit,
        upTo size: ByteCount = limit
    ) async throws -> RunnerAnswer {
        let response = try await open(method, path, body: body, fields: fields, within: limit)
        let bytes = try await read(response.body) { try await $0.collect(upTo: size) }
        return RunnerAnswer(status: response.status, fields: response.fields, bytes: bytes, socket: socket)
    }

    /// Reads from a body, with the errors of whole responses.
    package func read<Read>(_ body: any BodyReader, _ read: (any BodyReader) async throws -> Read) async throws -> Read
    {
        do {
            return try await read(body)
        } catch let error as BodyTooLarge {
            throw Failure(message: "the response of the runner exceeds \(error.limit)", status: .protocolError)
        } catch let failure as TransferFailure {
            throw lost(failure)
        }
    }

    /// Sends a request with a JSON body.
    package func send(_ method: Method, _ path: String, _ body: JSONValue, fields: Fields = [:]) async throws
        -> RunnerAnswer
    {
        var fields = fields
        fields["Content-Type"] = "application/json"
        return try await ask(
            method,
            path,
            body: body.bytes(),
            fields: fields,
            within: Self.changeLimit
        )
    }

    /// Sends a request and leaves the body to be streamed.
    package func open(
        _ method: Method,
        _ path: String,
        body: [UInt8]? = nil,
        fields: Fields = [:],
        within limit: Duration = lookLimit,
        silence: Duration = .seconds(30)
    ) async throws -> IncomingResponse {
        var request = SocketRequest(method, path)
        request.fields = fields
        request.body = body
        request.headLimit = limit
        request.silence = silence
        do throws(TransferFailure) {
            return try await SocketClient.send(request, to: socket.path)
        } catch {
            throw lost(error)
        }
    }

    // MARK: Connection errors

    private func lost(_ failure: TransferFailure) -> any Error {
        switch failure.kind {
        case .cancelled: CancellationError()
        case .unreachable, .unresolved: unreachable(failure)
        case .timeout:
            Failure(
                message: "the runner at \(socket.path.quoted) did not respond in time",
                status: .unavailable,
                help: "run 'corewire doctor', and read the runner's log"
            )
        case .interrupted:
            Failure(
                message: "the runner at \(socket.path.quoted) closed the connection before the response",
                status: .unavailable,
                help: "run 'corewire status', and read the runner's log"
            )
        case .protocolError: Failure.foreign(socket)
        default: Failure(message: failure.reason, status: .internalError)
        }
    }

    /// The error for a socket without a runner, with the remedy.
    private func unreachable(_ failure: TransferFailure) -> Failure {
        let path = socket.path.quoted
        switch SocketProbe.ask(socket.path) {
        case .forbidden:
            let owner = FileFacts.of(socket.path).map { ", owned by user \($0.owner)" } ?? ""
            return Failure(
                message: "no access to the socket \(path) for user \(HostFacts.user)\(owner)",
                status: .noPermission,
                help: "run as the owner or root, or allow this user with 'api.access' in the services file"
            )
        case .missing: return notRunning("no runner\(called) runs: \(noSocket)")
        case .abandoned:
            return notRunning("no runner\(called): no process listens at \(path), a stale socket of an earlier runner")
        case .noSocket: return notRunning("no runner\(called): \(path) is not a socket")
        case .listening: return notRunning("the runner at \(path) does not accept connections: \(failure.reason)")
        case .other(let reason): return notRunning("no connection to \(path): \(reason)")
        }
    }

    private var called: String { socket.app.map { " of \($0.quoted)" } ?? "" }

    private var noSocket: String {
        let places = [socket.path] + socket.others
        return "\(places.listed("and")) \(places.count == 1 ? "does" : "do") not exist"
    }

    private func notRunning(_ message: String) -> Failure {
        Failure(
            message: message,
            status: .unavailable,
            help: socket.isNamed
                ? "start a runner with 'corewire run', or remove --socket and COREWIRE_SOCKET to find its socket automatically"
                : "start a runner with 'corewire run', or set its socket with --socket"
        )
    }
}

extension Failure {
    /// The error for a server that is no runner.
    package static func foreign(_ socket: FoundSocket) -> Failure {
        Failure(
            message: "the server at \(socket.path.quoted) is not a corewire runner",
            status: .protocolError,
            help: "set the socket of a runner with --socket"
        )
    }
}
