import CorewireCLI
import WireBase
import WireConfig
import WireHost
import WireHTTP
import WireTransfer

/// `corewire push send`: sends one notification, and reports the response.
enum PushSendCommand {
    private static let limit = Duration.seconds(30)
    private static let largestAnswer = ByteCount.kibibytes(64)

    static func run(_ invocation: Invocation) async throws -> ExitStatus {
        let showing = try Display(invocation)
        let push = try OutgoingPush(invocation)
        switch push.destination {
        case .webPush(let destination): return try await post(WebPushPost(push, to: destination), showing)
        case .ntfy(let destination): return try await post(NtfyPost(push, to: destination), showing)
        case .mqtt(let destination): return try await MQTTPost(push, to: destination).send(within: limit, showing)
        }
    }

    private static func post(_ message: any PushMessage, _ showing: Display) async throws -> ExitStatus {
        var request = message.request
        request.deadline = limit
        let client = try CommandClient.make(orFail: "the notification cannot be sent")
        let answer: IncomingResponse
        let body: [UInt8]
        do throws(TransferFailure) { answer = try await client.send(request) } catch {
            await client.stop()
            throw Self.failure(error, isRecognizedByID: message.isRecognizedByID)
        }
        body = (try? await answer.body.collect(upTo: largestAnswer)) ?? []
        await client.stop()
        guard (200..<300).contains(answer.status.code) else {
            throw message.refusal(PushRefusal(answer, body, at: TimeSource.host.wall()))
        }
        let id = try message.id(in: body)
        let json = JSONValue.members(["status": .integer(answer.status.code), "id": id.map(JSONValue.string)])
        showing.show(json) { "sent\n" }
        return .success
    }

    static func failure(_ failure: TransferFailure, isRecognizedByID: Bool = true) -> Failure {
        let status: ExitStatus =
            switch failure.kind {
            case .unresolved, .unreachable, .timeout, .interrupted, .exhausted: .temporary
            default: .problemsFound
            }
        let mayHaveArrived = [.timeout, .interrupted].contains(failure.kind) && !failure.wasNotSent
        return lost(
            failure.reason,
            mayHaveArrived: mayHaveArrived,
            isRecognizedByID: isRecognizedByID,
            status: status
        )
    }

    /// The failure of a message without a response.
    static func lost(
        _ reason: String,
        mayHaveArrived: Bool,
        isRecognizedByID: Bool = true,
        status: ExitStatus = .temporary
    ) -> Failure {
        let repeating = isRecognizedByID ? "; with the same --id it is shown once" : ""
        return Failure(
            message: mayHaveArrived ? "no response: \(reason)" : "not sent: \(reason)",
            status: status,
            help: mayHaveArrived ? "the message may have been sent\(repeating)" : nil
        )
    }
}

/// A message in the form of its service.
protocol PushMessage {
    var request: OutgoingRequest { get }
    /// Whether a receiver takes a message with the same id for a repetition.
    var isRecognizedByID: Bool { get }
    /// The id of the message, its own or that in a response; nil where it has none.
    func id(in body: [UInt8]) throws(Failure) -> String?
    /// Why the service has rejected the message.
    func refusal(_ refusal: PushRefusal) -> Failure
}

/// A response that is not a success.
struct PushRefusal {
    let status: Status
    private let pause: Duration?
    /// What the service says.
    private let reason: String?

    init(_ response: IncomingResponse, _ body: [UInt8], at now: Int64) {
        status = response.status
        pause = response.fields.retryAfter(at: now).flatMap { $0 <= .seconds(86_400) ? $0 : nil }
        let json = try? JSONValue(parsing: body, named: "response")
        let texts = ["error", "message", "reason"].lazy.compactMap { json?[$0]?.string }
        let phrase = response.status.phrase
        reason = texts.first { !$0.isEmpty && $0 != phrase }?.shown(upTo: 200)
    }

    /// The failure that all services have in common.
    func failure(of service: String) -> Failure {
        let told = "\(service) responded with status \(status.shown)\(reason.map { ": \($0)" } ?? "")"
        switch status {
        case .contentTooLarge:
            return Failure(message: "the message is too long for \(service)", status: .problemsFound, help: told)
        case .tooManyRequests:
            return Failure(message: "\(service) has received too many messages", status: .temporary, help: later)
        case _ where status.isTransient: return Failure(message: told, status: .temporary, help: later)
        case _ where (300..<400).contains(status.code):
            return Failure(message: told + ", a redirect; not followed", status: .problemsFound)
        default: return Failure(message: told, status: .problemsFound)
        }
    }

    private var later: String { pause.map { "try again in \($0.components.seconds) s" } ?? "try again later" }
}
