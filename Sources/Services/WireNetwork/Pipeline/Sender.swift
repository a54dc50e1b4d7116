import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireService

/// Builds and sends requests, and follows redirects as the file allows.
struct Sender: Sendable {
    let client: any HTTPClient
    let addresses: ServerAddresses
    /// The fields of every request to the base URL.
    let declared: Fields

    /// The maximum number of redirects.
    private static let most = 10

    func send(_ pipelineRequest: PipelineRequest, within limit: Duration) async -> Result<
        IncomingResponse, TransferFailure
    > {
        var request = request(pipelineRequest)
        request.headDeadline = limit
        let most = pipelineRequest.settings.redirects == .follow && rule(pipelineRequest).leaves ? Self.most : 0
        var (followed, repeats) = (0, 0)
        do throws(TransferFailure) {
            while true {
                var response = try await client.send(request)
                repeats += response.repeats
                response.repeats = repeats
                guard followed < most, let next = Following.request(after: response, of: request) else {
                    return .success(response)
                }
                (request, followed) = (next, followed + 1)
            }
        } catch {
            // After a redirect, the first server has received the request.
            var failure = TransferFailure(error.kind, error.reason, wasNotSent: followed == 0 && error.wasNotSent)
            failure.repeats = repeats + error.repeats
            failure.isOfNetworkChange = error.isOfNetworkChange
            return .failure(failure)
        }
    }

    private func request(_ pipelineRequest: PipelineRequest) -> OutgoingRequest {
        let (call, settings) = (pipelineRequest.call, pipelineRequest.settings)
        let timeout = call.timeout ?? settings.timeout
        var request = OutgoingRequest(call.method, pipelineRequest.url.description)
        request.fields = call.fields
        if !declared.all.isEmpty, addresses.isOwn(pipelineRequest.url) {
            for field in declared.all { request.fields[field.name] = field.value }
        }
        request.body = call.body
        request.connectTimeout = min(settings.connectTimeout, timeout)
        request.headTimeout = timeout
        request.idleTimeout = call.isLong ? .seconds(86_400) : max(timeout, .seconds(60))
        request.redirects = rule(pipelineRequest).atServer
        request.isTimed = true
        return request
    }

    /// The redirects that the HTTP client follows, and whether one may lead to another server.
    private func rule(_ pipelineRequest: PipelineRequest) -> (atServer: OutgoingRequest.Redirects, leaves: Bool) {
        guard pipelineRequest.settings.redirects != .never else { return (.none, false) }
        switch pipelineRequest.call.redirects {
        case .none: return (.none, false)
        case .unchanged where !pipelineRequest.call.method.isSafe: return (.unchanged(upTo: Self.most), false)
        case .usual, .unchanged: return (.sameHost(upTo: Self.most), true)
        }
    }
}

/// Redirects to other hosts: new requests without data of the first one.
enum Following {
    /// The next request; nil where the response is final.
    static func request(after response: IncomingResponse, of former: OutgoingRequest) -> OutgoingRequest? {
        let locations = response.fields.values(of: "Location")
        guard [301, 302, 303, 307, 308].contains(response.status.code), locations.count == 1,
            let here = try? WebURL(parsing: response.url), let url = here.resolving(locations[0])
        else { return nil }
        // Never from https to http.
        guard url.scheme == here.scheme || url.scheme == "https" else { return nil }
        var next = former
        let becomesGet =
            response.status.code == 303
            ? former.method != .get && former.method != .head : former.method == .post && response.status.code < 303
        if becomesGet { (next.method, next.body) = (.get, .none) }
        // A body is for the first server alone.
        guard case .none = next.body else { return nil }
        next.url = url.description
        next.fields = Fields()
        for field in former.fields.all where harmless.contains(where: { field.name.isSameField(as: $0) }) {
            next.fields.add(field.name, field.value)
        }
        return next
    }

    /// An allowlist, since the names of fields with tokens cannot all be listed.
    private static let harmless = [
        "Accept", "Accept-Encoding", "Accept-Language", "Cache-Control", "If-Modified-Since", "If-None-Match",
        "If-Range",
        "Range", "User-Agent",
    ]
}
