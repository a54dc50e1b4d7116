import WireBackends
import WireBase
import WireConfig
import WireHTTP
import WireSecrets

/// Responds with the request that has arrived.
struct EchoServer: BuiltInServer {
    let secrecy: any CryptoProvider

    var segments: [String] { ["echo"] }

    /// The largest body that is accepted.
    private static let limit = ByteCount.mebibytes(4)
    /// The largest part of a body that is returned, in bytes.
    private static let shown = 65_536

    func signs(at address: String) -> [EndpointInfo] {
        [EndpointInfo(title: "Echo: returns the request", places: ["\(address)/echo"])]
    }

    func exchange(for head: Request) -> Exchange {
        let hasBody = head.bringsBody
        guard hasBody else { return Exchange(.answer(answer(head))) }
        return Exchange(.collect(upTo: Self.limit) { .now(answer($0)) })
    }

    private func answer(_ request: Request) -> Response {
        var response = Response.json(
            .members([
                "method": .string(request.method.name), "path": .string(request.target.path),
                "query": Self.collected(request.target.query),
                "fields": Self.collected(request.fields.all.map { ($0.name, shown($0.name, $0.value)) }),
                "body": body(request),
            ])
        )
        response.fields["Cache-Control"] = "no-store"
        return response.guarded()
    }

    /// Groups names with all their values.
    private static func collected(_ items: [(name: String, value: String)]) -> JSONValue {
        var names: [String] = []
        for item in items where !names.contains(item.name) { names.append(item.name) }
        return .object(
            names.map { name in
                let values = items.filter { $0.name == name }.map { JSONValue.string($0.value) }
                return (name, values.count == 1 ? values[0] : .array(values))
            }
        )
    }

    /// Shortens credentials to their scheme and a digest, enough to notice a change.
    private func shown(_ name: String, _ value: String) -> String {
        guard Self.secrets.contains(where: { $0.isSameField(as: name) }) else { return value }
        let hasScheme = value.contains(" ") && Self.credentials.contains { $0.isSameField(as: name) }
        let scheme = hasScheme ? value.prefix { $0 != " " }.prefix(20) + " " : ""
        return "\(scheme)sha256:\(digest(Array(value.utf8)).prefix(16))"
    }

    private static let credentials = ["Authorization", "Proxy-Authorization"]
    private static let secrets = credentials + ["Cookie", "X-Api-Key"]

    private func body(_ request: Request) -> JSONValue? {
        guard !request.body.isEmpty else { return nil }
        let isShort = request.body.count <= Self.shown
        let type = request.fields["Content-Type"].flatMap { MediaType(parsing: $0) }
        let json =
            isShort && type?.isCovered(by: "application/json") ?? false
            ? try? JSONValue(parsing: request.body, named: "body") : nil
        let text = isShort && json == nil ? String(validating: request.body, as: UTF8.self) : nil
        let isBinary = isShort && json == nil && text == nil
        return .members([
            "size": .integer(request.body.count), "sha256": .string(digest(request.body)), "json": json,
            "text": text.map(JSONValue.string), "base64": isBinary ? .string(Base64.text(of: request.body)) : nil,
        ])
    }

    private func digest(_ bytes: [UInt8]) -> String {
        (try? secrecy.digest(bytes).hexadecimal) ?? ""
    }
}
