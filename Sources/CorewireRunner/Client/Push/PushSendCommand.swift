import CorewireCLI
import WireBase
import WireConfig
import WireHTTP
import WireTransfer

/// `corewire push send`: sends one notification, and reports the response.
enum PushSendCommand {
    private static let limit = Duration.seconds(30)
    private static let largestAnswer = ByteCount.kibibytes(64)

    static func run(_ invocation: Invocation) async throws -> ExitStatus {
        let showing = try Display(invocation)
        let order = try PushOrder(invocation)
        let message: any PushMessage =
            switch order.destination {
            case .webPush(let destination): try WebPushMessage(order, to: destination)
            case .ntfy(let destination): NtfyPost(order, to: destination)
            }
        var request = message.request
        request.deadline = limit
        let client = try CommandClient.make(orFail: "the notification cannot be sent")
        let answer: IncomingResponse
        let body: [UInt8]
        do throws(TransferFailure) { answer = try await client.send(request) } catch {
            await client.stop()
            throw Self.failure(error)
        }
        body = (try? await answer.body.collect(upTo: largestAnswer)) ?? []
        await client.stop()
        guard (200..<300).contains(answer.status.code) else { throw message.refusal(PushRefusal(answer)) }
        let id = message.id(in: body)
        let json = JSONValue.members(["status": .integer(answer.status.code), "id": id.map(JSONValue.string)])
        showing.show(json) { "sent\n" }
        return .success
    }

    private static func failure(_ failure: TransferFailure) -> Failure {
        let status: ExitStatus =
            switch failure.kind {
            case .unresolved, .unreachable, .timeout, .interrupted, .exhausted: .temporary
            default: .problemsFound
            }
        return Failure(message: "not sent: \(failure.reason)", status: status)
    }
}

/// A message as its service takes it.
protocol PushMessage {
    var request: OutgoingRequest { get }
    /// The id of the message in a response; nil where the service gives none.
    func id(in body: [UInt8]) -> String?
    /// Why the service has rejected the message.
    func refusal(_ refusal: PushRefusal) -> Failure
}

/// A response that is not a success.
struct PushRefusal {
    let status: Status
    private let pause: Int?

    init(_ response: IncomingResponse) {
        status = response.status
        pause = response.fields["Retry-After"].flatMap { Int($0) }.flatMap { (0...86_400).contains($0) ? $0 : nil }
    }

    /// The failure that all services have in common.
    func failure(of service: String) -> Failure {
        let told = "\(service) responded with status \(status.shown)"
        switch status {
        case .contentTooLarge:
            return Failure(message: "the message is too long for \(service)", status: .problemsFound, help: told)
        case .tooManyRequests:
            return Failure(message: "\(service) has received too many messages", status: .temporary, help: later)
        case _ where status.isTransient: return Failure(message: told, status: .temporary, help: later)
        default: return Failure(message: told + status.redirectNote, status: .problemsFound)
        }
    }

    private var later: String { pause.map { "try again in \($0) s" } ?? "try again later" }
}
