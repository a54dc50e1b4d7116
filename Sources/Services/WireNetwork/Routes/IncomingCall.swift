import Synchronization
import WireBase
import WireConfig
import WireHTTP
import WireService

/// A request of an app that is to go on, with what its fields say of the way.
struct IncomingCall: Sendable {
    let call: ServerCall
    private let counted: CountedBody?

    /// What is no larger is read before it is sent, so that it can be sent again.
    private static let small = 65_536

    init(_ request: Request, _ body: any BodyReader, upTo limit: ByteCount) async throws {
        var call = ServerCall(request.method, try Self.destination(request), from: "app")
        call.fields = Hygiene.sent(request.fields)
        let fields = PipelineFields(request.fields)
        call.authorization = try fields.authorization()
        call.tokenRights = request.rights.tokens
        call.retries = try fields.retries()
        call.timeout = try fields.timeout()
        call.offlinePolicy = try fields.offlinePolicy()
        call.isRepeatable = request.fields["Idempotency-Key"] != nil
        call.isLong = request.fields["Accept"]?.contains("text/event-stream") ?? false
        let length = request.fields["Content-Length"].flatMap { Int($0) }
        var counted: CountedBody?
        if let length, length <= Self.small {
            if length > 0 { call.body = .bytes(try await body.collect(upTo: .bytes(Self.small))) }
        } else if request.bringsBody {
            let reader = CountedBody(body, upTo: limit)
            call.body = .stream(length: length, reader)
            counted = reader
        }
        self.call = call
        self.counted = counted
    }

    /// Whether its body turned out to be larger than it may be.
    var isTooLarge: Bool { counted?.isTooLarge ?? false }

    /// What follows `/v1/network/`, as it came.
    private static func destination(_ request: Request) throws(Problem) -> ServerCall.Destination {
        let text = request.target.text
        let mark = text.utf8.firstIndex(of: UInt8(ascii: "?"))
        var start = text.startIndex
        for _ in 0..<3 {
            guard let slash = text.utf8[start...].firstIndex(of: UInt8(ascii: "/")) else { break }
            start = text.utf8.index(after: slash)
        }
        let path = String(text[start..<max(start, mark ?? text.endIndex)])
        let query = mark.map { String(text[text.utf8.index(after: $0)...]) }
        if let flaw = TargetPath.flaw(below: path, query: query) {
            throw Problem(.badRequest, "malformed-target", "the request cannot be passed on", detail: flaw)
        }
        return .path(path, query: query)
    }
}

/// The fields by which an app says how a request is to go.
struct PipelineFields {
    private let fields: Fields

    init(_ fields: Fields) {
        self.fields = fields
    }

    func authorization() throws(Problem) -> ServerCall.Authorization {
        guard let text = try single("Corewire-Token") else { return .usual }
        if text == "none" { return .none }
        if let mode = TokenMode(rawValue: text) { return .token(mode) }
        throw .field("Corewire-Token", text, among: TokenMode.allCases.map(\.rawValue) + ["none"])
    }

    func retries() throws(Problem) -> Int? {
        guard let text = try single("Corewire-Retries") else { return nil }
        guard !text.isEmpty, text.utf8.allSatisfy(\.isDigit), let number = Int(text), number <= 10 else {
            throw .field("Corewire-Retries", "found \(text.quoted), expected 0 to 10")
        }
        return number
    }

    func timeout() throws(Problem) -> Duration? {
        guard let text = try single("Corewire-Timeout") else { return nil }
        guard let duration = try? Duration(parsing: text), (.milliseconds(100) ... .seconds(3_600)).contains(duration)
        else {
            throw .field("Corewire-Timeout", "found \(text.quoted), expected a duration from 100ms to 1h, such as 5s")
        }
        return duration
    }

    func offlinePolicy() throws(Problem) -> OfflinePolicy? {
        guard let text = try single("Corewire-Offline-Policy") else { return nil }
        if let policy = OfflinePolicy(rawValue: text) { return policy }
        throw .field("Corewire-Offline-Policy", text, among: OfflinePolicy.allCases.map(\.rawValue))
    }

    /// The value of a field that may be there once: of two, nobody knows which is meant.
    private func single(_ name: String) throws(Problem) -> String? {
        guard let value = fields[name] else { return nil }
        let count = fields.values(of: name).count
        guard count == 1 else { throw .field(name, "it is there \(count) times") }
        return value
    }
}

/// A body that is passed on as it comes, and counted.
private final class CountedBody: BodyReader {
    private let body: any BodyReader
    private let limit: ByteCount
    private let count = Atomic(0)

    init(_ body: any BodyReader, upTo limit: ByteCount) {
        (self.body, self.limit) = (body, limit)
    }

    var isTooLarge: Bool { count.load(ordering: .relaxed) > limit.bytes }

    func read() async throws -> [UInt8]? {
        guard let bytes = try await body.read() else { return nil }
        let total = count.add(bytes.count, ordering: .relaxed).newValue
        guard total <= limit.bytes else { throw BodyTooLarge(limit: limit) }
        return bytes
    }
}

extension Problem {
    static func field(_ name: String, _ detail: String) -> Problem {
        Problem(.badRequest, "malformed-field", "a field is not as expected", detail: "'\(name)': \(detail)")
    }

    fileprivate static func field(_ name: String, _ found: String, among words: [String]) -> Problem {
        let hint = Nearest.name(to: found, among: words).map { ", did you mean \($0.quoted)?" } ?? ""
        return field(name, "found \(found.shown(upTo: 40).quoted), expected \(words.listed())\(hint)")
    }
}
