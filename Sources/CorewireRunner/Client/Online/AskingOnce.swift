import Synchronization
import WireBase
import WireConfig
import WireHTTP

/// Sends each distinct request once and shares its response, within a total timeout.
///
/// For small requests and responses, which are cached.
final class AskingOnce: HTTPClient {
    private struct Question: Hashable {
        let method: String
        let url: String
        let body: [UInt8]

        init(_ request: OutgoingRequest) {
            (method, url) = (request.method.name, request.url)
            if case .bytes(let bytes) = request.body { body = bytes } else { body = [] }
        }
    }

    private struct Answer {
        let status: Status
        let fields: Fields
        let bytes: [UInt8]
        let url: String
    }

    private typealias Outcome = Result<Answer, TransferFailure>

    private enum Entry {
        case asked([CheckedContinuation<Outcome, Never>])
        case answered(Outcome)
    }

    /// One byte more than any limit, so that callers still notice a body that is too large.
    private static let mostBytes = ByteCount.mebibytes(16).bytes + 1

    private let client: any HTTPClient
    private let budget: QuestionBudget
    private let entries = Mutex<[Question: Entry]>([:])

    init(_ client: any HTTPClient, within budget: QuestionBudget) {
        (self.client, self.budget) = (client, budget)
    }

    func send(_ request: OutgoingRequest) async throws(TransferFailure) -> IncomingResponse {
        let question = Question(request)
        let isFirst = entries.withLock { entries in
            guard entries[question] == nil else { return false }
            entries[question] = .asked([])
            return true
        }
        let outcome = isFirst ? await ask(request, question) : await outcome(of: question)
        let answer = try outcome.get()
        return IncomingResponse(
            status: answer.status,
            fields: answer.fields,
            body: BufferedBody(answer.bytes),
            url: answer.url
        )
    }

    private func ask(_ request: OutgoingRequest, _ question: Question) async -> Outcome {
        let outcome = await answer(to: request)
        let waiters = entries.withLock { entries in
            defer { entries[question] = .answered(outcome) }
            if case .asked(let waiters) = entries[question] { return waiters }
            return []
        }
        for waiter in waiters { waiter.resume(returning: outcome) }
        return outcome
    }

    private func outcome(of question: Question) async -> Outcome {
        await withCheckedContinuation { waiter in
            let known: Outcome? = entries.withLock { entries in
                switch entries[question] {
                case .answered(let outcome): return outcome
                case .asked(let waiters):
                    entries[question] = .asked(waiters + [waiter])
                    return nil
                case nil: return .failure(TransferFailure(.cancelled, "the request was not sent", wasNotSent: true))
                }
            }
            if let known { waiter.resume(returning: known) }
        }
    }

    private func answer(to request: OutgoingRequest) async -> Outcome {
        let limit = budget.next
        guard limit > .zero else {
            let reason = "\(Self.origin(of: request.url)) was not checked before the total timeout"
            return .failure(TransferFailure(.timeout, reason, wasNotSent: true))
        }
        var request = request
        (request.connectTimeout, request.headTimeout, request.idleTimeout) = (limit, limit, limit)
        request.deadline = limit
        do throws(TransferFailure) {
            let response = try await client.send(request)
            return .success(
                Answer(
                    status: response.status,
                    fields: response.fields,
                    bytes: try await Self.bytes(of: response.body),
                    url: response.url
                )
            )
        } catch {
            guard error.kind == .timeout else { return .failure(error) }
            let time = limit == QuestionBudget.each ? "within 5 seconds" : "in the remaining time"
            let reason = "\(Self.origin(of: request.url)) did not respond \(time)"
            return .failure(TransferFailure(.timeout, reason, wasNotSent: error.wasNotSent))
        }
    }

    private static func bytes(of body: any BodyReader) async throws(TransferFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        do {
            while bytes.count < mostBytes, let more = try await body.read() { bytes += more }
        } catch let failure as TransferFailure {
            throw failure
        } catch {
            throw TransferFailure(.interrupted, "the response is incomplete", wasNotSent: false)
        }
        return Array(bytes.prefix(mostBytes))
    }

    private static func origin(of text: String) -> String {
        guard let url = try? WebURL(parsing: text) else { return "the server" }
        let host = url.host.contains(":") ? "[\(url.host)]" : url.host
        return "\(url.scheme)://\(host)" + (url.port.map { $0 == 443 ? "" : ":\($0)" } ?? "")
    }
}

/// A collected body.
private final class BufferedBody: BodyReader {
    private let bytes: Mutex<[UInt8]?>

    init(_ bytes: [UInt8]) {
        self.bytes = Mutex(bytes)
    }

    func read() async throws -> [UInt8]? {
        bytes.withLock { $0.take() }
    }
}
