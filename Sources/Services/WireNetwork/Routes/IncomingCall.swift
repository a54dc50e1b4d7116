import Synchronization
import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract

/// A request of an app to be forwarded, with the options in its header fields.
struct IncomingCall: Sendable {
    let call: ServerCall
    private let counted: CountedBody?

    /// A body up to this size is read before it is sent, so that it can be sent again.
    private static let small = 65_536

    init(_ request: Request, _ body: any BodyReader, upTo limit: ByteCount) async throws {
        var call = ServerCall(request.method, try Self.destination(request), from: "app")
        call.fields = HeaderFilter.sent(request.fields)
        call.apply(try RequestOptions(request))
        call.tokenRights = request.rights.tokens
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

    /// Whether the body has exceeded the limit.
    var isTooLarge: Bool { counted?.isTooLarge ?? false }

    /// The raw target after `/v1/network/`.
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
            throw Problem(.badRequest, "malformed-target", "the request cannot be forwarded", detail: flaw)
        }
        return .path(path, query: query)
    }
}

/// A body that is counted while it is streamed.
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
