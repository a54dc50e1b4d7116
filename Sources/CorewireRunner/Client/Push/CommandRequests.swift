import CorewireCLI
import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireTransfer

/// Sends the requests of a command, which follow no services file.
struct CommandRequests: ServerClient {
    let client: TransferClient

    func url(of address: Address) -> WebURL? { address.absolute }

    func send(_ call: ServerCall) async throws(CallFailure) -> ServerAnswer {
        guard case .address(let address) = call.destination, let url = address.absolute else {
            throw CallFailure(.noAddress, "expected a whole URL", wasNotSent: true)
        }
        var request = OutgoingRequest(call.method, url.description)
        (request.fields, request.body) = (call.fields, call.body)
        // A connection may rest; how long is up to its command.
        if call.isLong { request.idleTimeout = .seconds(86_400) }
        do throws(TransferFailure) {
            let response = try await client.send(request)
            return ServerAnswer(status: response.status, fields: response.fields, body: response.body)
        } catch {
            throw CallFailure(.transfer(error.kind), error.reason, wasNotSent: true)
        }
    }

    static func failure(_ failure: CallFailure) -> Failure {
        if case .transfer(let kind) = failure.kind {
            return PushSendCommand.failure(TransferFailure(kind, failure.reason, wasNotSent: failure.wasNotSent))
        }
        return Failure(message: "not sent: \(failure.reason)", status: .problemsFound)
    }
}
