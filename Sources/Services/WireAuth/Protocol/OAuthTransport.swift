import WireAuthContract
import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract

/// Sends requests to an identity server and reads responses within limits.
struct OAuthTransport: Sendable {
    let client: any HTTPClient

    /// The maximum size of token responses.
    static let limit = ByteCount.kibibytes(256)

    /// Fetches a public document; follows redirects at the same host.
    func get(_ url: String, upTo limit: ByteCount) async throws(SignInFailure) -> IdentityResponse {
        var request = OutgoingRequest(.get, url)
        request.fields["Accept"] = "application/json"
        request.redirects = .sameHost(upTo: 3)
        return try await send(request, upTo: limit)
    }

    /// Fetches a public document, with one retry.
    func get(_ url: String, upTo limit: ByteCount, _ retry: Retry) async throws(SignInFailure) -> IdentityResponse {
        try await retry.ask(where: \.isRetryable) { () async throws(SignInFailure) in
            let answer = try await get(url, upTo: limit)
            if [502, 503, 504].contains(answer.status.code) { try answer.expectDocument("an answer") }
            return answer
        }
    }

    /// Sends a token; redirects are not followed, so that no other server sees it.
    func get(_ url: String, showing token: Secret<String>) async throws(SignInFailure) -> IdentityResponse {
        var request = OutgoingRequest(.get, url)
        request.fields["Accept"] = "application/json, application/jwt"
        request.fields["Authorization"] = "Bearer \(token.reveal())"
        return try await send(request, upTo: Self.limit)
    }

    /// Posts a form with secrets; redirects are not followed.
    func post(
        _ form: [(name: String, value: String)],
        to url: String,
        credentials: Secret<String>? = nil
    ) async throws(SignInFailure) -> IdentityResponse {
        try await post(
            Array(FormText.encoded(form).utf8),
            as: "application/x-www-form-urlencoded",
            to: url,
            authorization: credentials
        )
    }

    func post(
        _ body: [UInt8],
        as type: String,
        to url: String,
        authorization: Secret<String>?
    ) async throws(SignInFailure) -> IdentityResponse {
        var request = OutgoingRequest(.post, url)
        request.fields["Accept"] = "application/json"
        request.fields["Content-Type"] = type
        if let authorization { request.fields["Authorization"] = authorization.reveal() }
        request.body = .bytes(body)
        return try await send(request, upTo: Self.limit)
    }

    private func send(_ request: OutgoingRequest, upTo limit: ByteCount) async throws(SignInFailure) -> IdentityResponse
    {
        var request = request
        request.deadline = .seconds(60)
        // Some gateways compress unasked; the limit applies to the decompressed body.
        request.decompresses = true
        // Other gateways take a request without one for a robot's.
        request.fields["User-Agent"] = "corewire"
        let response: IncomingResponse
        do throws(TransferFailure) {
            response = try await client.send(request)
        } catch {
            throw SignInFailure(error)
        }
        do {
            let bytes = try await response.body.collect(upTo: limit)
            return IdentityResponse(status: response.status, fields: response.fields, bytes: bytes)
        } catch let error as TransferFailure {
            var failure = SignInFailure(error)
            failure.mayHaveTakenEffect = true
            throw failure
        } catch is BodyTooLarge {
            throw IdentityResponse.strange("larger than \(limit)", status: response.status)
        } catch {
            var failure = SignInFailure(.offline, "the response was interrupted")
            failure.mayHaveTakenEffect = true
            throw failure
        }
    }
}

extension SignInFailure {
    /// The failure of a transfer.
    init(_ failure: TransferFailure) {
        let kind: Kind =
            switch failure.kind {
            case .tls, .pin: .untrusted
            case .cancelled: .abandoned
            case .invalidURL, .invalidRequest, .forbidden: .unsupported
            default: .offline
            }
        self.init(kind, failure.reason, setting: kind == .unsupported ? .url : nil)
        mayHaveTakenEffect = !failure.wasNotSent
        isOfConnection = failure.kind == .unreachable || failure.kind == .interrupted
    }
}

/// A complete response that is not validated yet.
struct IdentityResponse: Sendable {
    let status: Status
    let fields: Fields
    let bytes: [UInt8]

    var isSuccess: Bool { (200...299).contains(status.code) }

    var mediaType: MediaType? { fields["Content-Type"].flatMap { MediaType(parsing: $0) } }

    /// The body as a JSON object without duplicate names, within generous limits.
    func object() throws(SignInFailure) -> JSONValue {
        if let type = mediaType,
            ["text/html", "application/xhtml+xml", "text/xml", "application/xml"].contains(type.essence)
        {
            throw Self.strange("an HTML page, possibly of a proxy", status: status)
        }
        guard let value = Self.object(bytes) else { throw Self.strange("not a JSON object", status: status) }
        return value
    }

    static func object(_ bytes: [UInt8]) -> JSONValue? {
        var limits = ReadingLimits()
        limits.depth = 16
        limits.nodes = 50_000
        guard let value = try? JSONValue(parsing: bytes, named: "answer", limits: limits), value.members != nil else {
            return nil
        }
        return value
    }

    /// `Retry-After` in seconds (RFC 9110, section 10.2.3), a day at most.
    var retryAfter: Duration? {
        guard let text = fields["Retry-After"], !text.isEmpty, text.utf8.allSatisfy(\.isDigit) else { return nil }
        return .seconds(min(Int(text) ?? 86_400, 86_400))
    }

    static func strange(_ reason: String, status: Status) -> SignInFailure {
        var failure = SignInFailure(.wrongAnswer, "invalid response with status \(status.code): \(reason)")
        failure.status = status
        return failure
    }
}
