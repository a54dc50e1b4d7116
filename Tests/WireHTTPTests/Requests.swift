import Testing
import WireConfig
import WireHTTP

/// A request as a test writes it.
func request(
    _ method: Method,
    _ target: String,
    _ fields: Fields = [:],
    body: String = ""
) throws -> Request {
    let parsed = try #require(Target(parsing: target))
    var request = Request(method: method, target: parsed, fields: fields, caller: .address("127.0.0.1"))
    request.body = Array(body.utf8)
    if !body.isEmpty, request.fields["Content-Length"] == nil {
        var fields = fields
        fields["Content-Length"] = "\(body.utf8.count)"
        var whole = Request(method: method, target: parsed, fields: fields, caller: request.caller)
        whole.body = request.body
        return whole
    }
    return request
}

extension Response {
    var text: String {
        switch body {
        case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
        case .shared(let shared): String(decoding: shared.bytes, as: UTF8.self)
        case .stream, .upgrade: "(stream)"
        }
    }
}

extension Exchange {
    /// What answers, once the body is there.
    func response(to request: Request) async -> Response {
        switch plan {
        case .answer(let response): response
        case .collect(_, let collector):
            switch collector(request) {
            case .now(let response): response
            case .later(let work): await work()
            }
        case .stream(_, let work): await work(request, NoBody())
        }
    }
}

private struct NoBody: BodyReader {
    func read() async throws -> [UInt8]? { nil }
}
