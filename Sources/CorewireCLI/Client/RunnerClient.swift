package import WireBase
package import WireConfig
package import WireHost
package import WireHTTP

/// Speaks to a running runner over its socket, for one command.
///
/// ```swift
/// let client = try RunnerClient(invocation)
/// let status = try await client.perform(RunnerCalls.status, NoInput()).answer
/// ```
package struct RunnerClient: Sendable {
    package let socket: FoundSocket

    /// How much of an answer is taken.
    package static let limit = ByteCount.mebibytes(32)
    /// How long the runner may think about what only looks, and about what changes the services.
    package static let lookLimit = Duration.seconds(10)
    package static let changeLimit = Duration.seconds(900)

    package init(_ invocation: Invocation, environment: Environment = .lent()) throws {
        socket = try SocketFinder(invocation, environment).find()
    }

    /// Asks, and takes the whole answer, whatever it says.
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

    /// Reads of a body that was left to be read, with what can go wrong told as it is for whole answers.
    package func read<Read>(_ body: any BodyReader, _ read: (any BodyReader) async throws -> Read) async throws -> Read
    {
        do {
            return try await read(body)
        } catch let error as BodyTooLarge {
            throw Failure(message: "the answer of the runner is larger than \(error.limit)", status: .protocolError)
        } catch let failure as TransferFailure {
            throw lost(failure)
        }
    }

    /// Asks, with JSON as the body.
    package func tell(_ method: Method, _ path: String, _ body: JSONValue, fields: Fields = [:]) async throws
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

    /// Asks, and leaves the body of the answer to be read as it comes.
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

    // MARK: No answer

    private func lost(_ failure: TransferFailure) -> any Error {
        switch failure.kind {
        case .cancelled: CancellationError()
        case .unreachable, .unresolved: unreachable(failure)
        case .timeout:
            Failure(
                message: "the runner at \(socket.path.quoted) did not answer in time",
                status: .unavailable,
                help: "'corewire doctor' looks at it; its log may tell more"
            )
        case .interrupted:
            Failure(
                message: "the runner at \(socket.path.quoted) closed the connection before it had answered",
                status: .unavailable,
                help: "it may have been stopped: see 'corewire status', and its log"
            )
        case .protocolError: Failure.foreign(socket)
        default: Failure(message: failure.reason, status: .internalError)
        }
    }

    /// Says why nobody answers, and what to do about it.
    private func unreachable(_ failure: TransferFailure) -> Failure {
        let path = socket.path.quoted
        switch SocketProbe.ask(socket.path) {
        case .forbidden:
            let owner = FileFacts.of(socket.path).map { ", it belongs to user \($0.owner)" } ?? ""
            return Failure(
                message: "the socket \(path) lets this user, \(HostFacts.user), in no further\(owner)",
                status: .noPermission,
                help: "become that user or root, or let this one in with 'api.access' in the services file"
            )
        case .missing: return notRunning("no runner\(called): there is no socket at \(path)\(elsewhere)")
        case .abandoned:
            return notRunning("no runner\(called): nobody listens at \(path), which a former one left behind")
        case .noSocket: return notRunning("no runner\(called): \(path) is not a socket")
        case .listening: return notRunning("the runner at \(path) takes no connection now: \(failure.reason)")
        case .other(let reason): return notRunning("no connection to \(path): \(reason)")
        }
    }

    private var called: String { socket.app.map { " of \($0.quoted)" } ?? "" }

    private var elsewhere: String {
        socket.others.isEmpty ? "" : " nor at \(socket.others.map(\.quoted).joined(separator: " nor at "))"
    }

    private func notRunning(_ message: String) -> Failure {
        Failure(
            message: message,
            status: .unavailable,
            help: socket.isNamed
                ? "start one with 'corewire run', or leave --socket and COREWIRE_SOCKET away to let it be found"
                : "start one with 'corewire run', or name its socket with --socket"
        )
    }
}

extension Failure {
    /// Somebody answers, and it is no runner.
    package static func foreign(_ socket: FoundSocket) -> Failure {
        Failure(
            message: "what answers at \(socket.path.quoted) is not a runner of corewire",
            status: .protocolError,
            help: "name the socket of one with --socket"
        )
    }
}
