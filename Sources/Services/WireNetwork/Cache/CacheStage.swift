import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireService
import WireSyncContract

/// The stage of the HTTP cache, a private cache of one user (RFC 9111).
///
/// The offline policy, the server and the request decide whether a stored response is used. Concurrent requests are not
/// combined: each caller reads its response at its own pace, and must not wait for another one.
struct CacheStage: Stage {
    let responseCache: ResponseCache
    /// Nil where the file has no section that gives tokens.
    let tokens: (any AccessTokens)?
    let clock: TimeSource
    let places: Places
    let metrics: NetworkMetrics
    /// Whether the machine has no link to a server.
    let isCutOff: @Sendable (WebURL) -> Bool

    func send(_ pipelineRequest: PipelineRequest, next: NextStage) async throws(CallFailure) -> ServerAnswer {
        let answer = try await answer(pipelineRequest, next)
        metrics.count(CacheFact.Word(of: answer))
        return answer
    }

    private func answer(_ pipelineRequest: PipelineRequest, _ next: NextStage) async throws(CallFailure) -> ServerAnswer
    {
        let call = pipelineRequest.call
        let policy = call.offlinePolicy ?? pipelineRequest.settings.offlinePolicy
        // A WebSocket has no response to store.
        switch call.body {
        case .upgrade, .connection: return try await next(pipelineRequest).telling(.bypass)
        case .none, .bytes, .stream: break
        }
        let request = CacheDirectives(request: call.fields)
        guard call.method == .get || call.method == .head else {
            if policy == .returnLocalDataDontLoad { throw refusal(pipelineRequest, Self.writes(call.method)) }
            return try await change(pipelineRequest, next)
        }
        if let refusal = refusal(ofWhatIsStoredFor: call) {
            guard policy == .returnLocalDataDontLoad else { return try await next(pipelineRequest).telling(.bypass) }
            throw CallFailure(.noToken(refusal.reason), refusal.guidance, wasNotSent: true, origin: refusal.origin)
        }
        if policy == .none || (policy == .loadAndStoreLocalData && !call.mayBeStored) {
            guard !request.onlyIfCached else {
                throw refusal(
                    pipelineRequest,
                    "no response is stored for this request"
                )
            }
            return try await next(pipelineRequest).telling(.bypass)
        }
        guard let place = responseCache.place(of: pipelineRequest.url, for: pipelineRequest) else {
            if policy == .returnLocalDataDontLoad { throw refusal(pipelineRequest, "the cache cannot be read") }
            return try await next(pipelineRequest).telling(.bypass)
        }
        let rules = CachePolicy(
            request: request,
            maxAge: pipelineRequest.settings.cache.maxAge.inMicroseconds / 1_000
        )
        let stored = responseCache.find(at: place)
        if policy == .returnLocalDataDontLoad { return try local(pipelineRequest, stored, rules) }
        return try await Loading(
            stage: self,
            pipelineRequest: pipelineRequest,
            place: place,
            rules: rules,
            stored: stored
        )
        .answer(next)
    }

    /// Sends a request that may change a resource, and removes invalidated responses (RFC 9111, section 4.4).
    private func change(_ pipelineRequest: PipelineRequest, _ next: NextStage) async throws(CallFailure) -> ServerAnswer
    {
        let answer = try await next(pipelineRequest)
        if !pipelineRequest.call.method.isSafe, (200..<400).contains(answer.status.code) {
            var changed = [pipelineRequest.url]
            for name in ["Location", "Content-Location"] {
                guard let text = answer.fields[name], let url = pipelineRequest.url.plainly(resolving: text),
                    url.origin == pipelineRequest.url.origin, !changed.contains(url)
                else { continue }
                changed.append(url)
            }
            for url in changed {
                if let place = responseCache.place(of: url, for: pipelineRequest) {
                    await responseCache.forgetAll(at: place)
                }
            }
        }
        return answer.telling(.bypass)
    }

    /// Answers from the cache alone.
    private func local(
        _ pipelineRequest: PipelineRequest,
        _ stored: ResponseCache.Stored?,
        _ rules: CachePolicy
    ) throws(CallFailure) -> ServerAnswer {
        guard pipelineRequest.call.hasOnlyStoredConditions else {
            throw refusal(pipelineRequest, "only the server can evaluate the conditions of this request")
        }
        guard let stored else {
            throw refusal(
                pipelineRequest,
                "no response is stored for this request",
                help: "send it once with the offline policy 'loadAndStoreLocalData' while the server can be reached"
            )
        }
        switch rules.fallback(on: stored.head, at: clock.wall(), for: .unasked) {
        case .refuse(let reason): throw refusal(pipelineRequest, reason)
        case .give(let age, let isStale):
            let fact = isStale ? CacheFact.stale(age: age, because: "policy") : .hit(age: age)
            return ServerAnswer(stored, to: pipelineRequest.call, fact, attempts: 0, waited: .zero)
        }
    }

    // MARK: Refusals

    /// The refusal of a token applies to responses that it fetched: a locked session withholds them, too.
    private func refusal(ofWhatIsStoredFor call: ServerCall) -> TokenRefusal? {
        switch call.authorization {
        case .none: nil
        case .usual: tokens?.refusal(nil)
        case .token(let mode): tokens?.refusal(mode)
        }
    }

    private static func writes(_ method: Method) -> String {
        "\(method.name) requires the server"
    }

    /// The failure of a request that must be answered from the cache.
    fileprivate func refusal(_ pipelineRequest: PipelineRequest, _ reason: String, help: String? = nil) -> CallFailure {
        let isOfFile =
            pipelineRequest.call.offlinePolicy == nil
            && pipelineRequest.settings.offlinePolicy == .returnLocalDataDontLoad
        return CallFailure(
            .notStored,
            reason,
            help: help,
            wasNotSent: true,
            origin: isOfFile ? places.origin(of: pipelineRequest.settings.$offlinePolicy, "network.offlinePolicy") : nil
        )
    }

    fileprivate var now: Int64 { clock.wall() }
    fileprivate var moment: Duration { clock.monotonic() }
}

/// A GET or HEAD that the cache may answer or store.
private struct Loading {
    let stage: CacheStage
    let pipelineRequest: PipelineRequest
    let place: ResponseCache.Place
    let rules: CachePolicy
    let stored: ResponseCache.Stored?

    func answer(_ next: NextStage) async throws(CallFailure) -> ServerAnswer {
        guard let stored else {
            if rules.request.onlyIfCached {
                throw stage.refusal(pipelineRequest, "no response is stored (Cache-Control: only-if-cached)")
            }
            return try await load(next)
        }
        switch rules.verdict(on: stored.head, at: stage.now) {
        case .use(let age, let isStale):
            return give(stored, isStale ? .stale(age: age, because: "request") : .hit(age: age))
        case _ where rules.request.onlyIfCached:
            throw stage.refusal(
                pipelineRequest,
                "the stored response is not fresh enough (Cache-Control: only-if-cached)"
            )
        case .load: return try await ask(stored, [:], next)
        case .validate(let conditions):
            // A HEAD has no body to save.
            return try await ask(stored, pipelineRequest.call.method == .get ? conditions : [:], next)
        }
    }

    private func give(
        _ stored: ResponseCache.Stored,
        _ fact: CacheFact,
        attempts: Int = 0,
        waited: Duration = .zero
    ) -> ServerAnswer {
        ServerAnswer(stored, to: pipelineRequest.call, fact, attempts: attempts, waited: waited)
    }

    // MARK: Without a stored response

    private func load(_ next: NextStage) async throws(CallFailure) -> ServerAnswer {
        let began = stage.moment
        return copied(try await next(pipelineRequest), since: began)
    }

    // MARK: With a stored response

    private func ask(
        _ stored: ResponseCache.Stored,
        _ conditions: Fields,
        _ next: NextStage
    ) async throws(CallFailure) -> ServerAnswer {
        var pipelineRequest = pipelineRequest
        if !conditions.all.isEmpty {
            // The caller's own conditions are evaluated on the result.
            for name in ["If-None-Match", "If-Modified-Since"] { pipelineRequest.call.fields[name] = conditions[name] }
        }
        // With a usable stored response, the request does not wait for the network.
        if case .give(let age, _) = rules.fallback(on: stored.head, at: stage.now, for: .unasked) {
            if stage.isCutOff(pipelineRequest.url) { return give(stored, .stale(age: age, because: "offline")) }
            pipelineRequest.call.waitsForNetwork = false
        }
        let began = stage.moment
        let answer: ServerAnswer
        do throws(CallFailure) {
            answer = try await next(pipelineRequest)
        } catch {
            return try instead(of: error, stored)
        }
        if answer.status.code >= 500 { return instead(of: answer, stored, since: began) }
        if answer.status == .notModified, !conditions.all.isEmpty {
            return try await confirmed(answer, stored, since: began, next)
        }
        if pipelineRequest.call.method == .head { await compare(answer, stored) }
        return copied(answer, since: began)
    }

    /// The stored response in place of a failure.
    private func instead(of failure: CallFailure, _ stored: ResponseCache.Stored) throws(CallFailure) -> ServerAnswer {
        guard let because = failure.word else { throw failure }
        switch rules.fallback(on: stored.head, at: stage.now, for: .unasked) {
        case .refuse(let reason):
            throw CallFailure(
                failure.kind,
                "\(failure.reason); \(reason)",
                help: failure.help,
                wasNotSent: failure.wasNotSent,
                retryAfter: failure.retryAfter,
                origin: failure.origin
            )
        case .give(let age, _):
            return give(stored, .stale(age: age, because: because), attempts: failure.wasNotSent ? 0 : 1)
        }
    }

    /// The stored response in place of a server's error, whose body is discarded.
    private func instead(of answer: ServerAnswer, _ stored: ResponseCache.Stored, since began: Duration) -> ServerAnswer
    {
        switch rules.fallback(on: stored.head, at: stage.now, for: .error) {
        case .refuse: copied(answer, since: began)
        case .give(let age, _):
            give(
                stored,
                .stale(age: age, because: "status-\(answer.status.code)"),
                attempts: answer.attempts,
                waited: answer.waited
            )
        }
    }

    /// The stored response, validated by a 304 (RFC 9111, section 4.3.3).
    private func confirmed(
        _ answer: ServerAnswer,
        _ stored: ResponseCache.Stored,
        since began: Duration,
        _ next: NextStage
    ) async throws(CallFailure) -> ServerAnswer {
        if let tag = answer.fields["ETag"].flatMap({ EntityTag(parsing: $0) }), let own = stored.head.tag,
            tag.value != own.value
        {
            // The 304 is for another response: request the whole one.
            await stage.responseCache.forget(stored)
            var whole = pipelineRequest
            for name in ["If-None-Match", "If-Modified-Since"] { whole.call.fields[name] = nil }
            let began = stage.moment
            return copied(try await next(whole), since: began)
        }
        let came = stage.now
        let asked = came - way(of: answer, since: began)
        let (head, directives) = stored.head.confirmed(by: answer.fields, asked: asked, came: came)
        if Storability.allows(rules.request, head.status, head.fields, directives) {
            await stage.responseCache.keep(head, for: stored, at: place)
        } else if !rules.request.noStore {
            // A response that may no longer be stored is used this once.
            await stage.responseCache.forget(stored)
        }
        return give(
            stored.with(head),
            .confirmed(age: head.freshness.initialAge),
            attempts: answer.attempts,
            waited: answer.waited
        )
    }

    /// Marks a stored response as stale where a HEAD shows a change (RFC 9111, section 4.3.5).
    private func compare(_ answer: ServerAnswer, _ stored: ResponseCache.Stored) async {
        guard answer.status == .ok, stored.head.status == .ok, stored.head.freshness.lifetime > 0 else { return }
        let isOther = ["ETag", "Last-Modified", "Content-Length"].contains { name in
            guard let new = answer.fields[name] else { return false }
            return new != stored.head.fields[name]
        }
        guard isOther else { return }
        var head = stored.head
        head.freshness = Freshness(lifetime: 0, initialAge: head.freshness.initialAge)
        await stage.responseCache.keep(head, for: stored, at: place)
    }

    // MARK: Storing

    /// The time from the request to the response, without earlier waits.
    private func way(of answer: ServerAnswer, since began: Duration) -> Int64 {
        max(0, (stage.moment - began - answer.waited).inMicroseconds / 1_000)
    }

    /// A response of the server that is copied to the cache while it is read.
    private func copied(_ answer: ServerAnswer, since began: Duration) -> ServerAnswer {
        var answer = answer.telling(.miss)
        let directives = CacheDirectives(answer.fields.values(of: "Cache-Control"))
        guard pipelineRequest.call.method == .get,
            Storability.allows(rules.request, answer.status, answer.fields, directives)
        else { return answer }
        let came = stage.now
        let asked = came - way(of: answer, since: began)
        var head = StoredHead(answer.status, answer.fields, directives, asked: asked, came: came)
        // Without a date the age could not be computed later (RFC 9110, section 6.6.1).
        if head.fields["Date"] == nil { head.fields["Date"] = HTTPDate(milliseconds: came).description }
        // The encoded length: a decoder on the way drops both fields.
        let length = answer.fields["Content-Length"].flatMap { Int($0) }
        answer.body = CopiedBody(answer.body, upTo: limit, length: length) { [stage, place, head] bytes in
            await stage.responseCache.keep(head, bytes, at: place)
        }
        return answer
    }

    /// No response takes more than a quarter of the cache.
    private var limit: ByteCount { min(.mebibytes(16), .bytes(pipelineRequest.settings.cache.maxSize.bytes / 4)) }
}

extension CallFailure {
    /// The reason for using a stored response after this failure; nil where none may be used.
    ///
    /// Without a sign-in, or with a locked session, no user's data may be used; a wrong key must be noticed; and limits
    /// of the file hold.
    fileprivate var word: String? {
        switch kind {
        case .offline: "offline"
        case .resting: "resting"
        case .busy: "busy"
        case .timeout: "timeout"
        case .noToken(.unavailable): "token"
        case .noToken, .notStored, .noAddress, .forbidden, .ended, .cancelled: nil
        case .transfer(let kind):
            switch kind {
            case .invalidURL, .invalidRequest, .forbidden, .pin, .cancelled: nil
            default: kind.rawValue
            }
        }
    }
}

extension ServerCall {
    /// Whether the cache may be used for this request.
    fileprivate var mayBeStored: Bool {
        !isLong && body.isNone && fields["Range"] == nil && hasOnlyStoredConditions
    }

    /// Whether the cache can evaluate all conditions of the request (RFC 9111, section 4.3.2).
    fileprivate var hasOnlyStoredConditions: Bool {
        fields["If-Match"] == nil && fields["If-Unmodified-Since"] == nil && fields["If-Range"] == nil
    }
}

extension OutgoingRequest.Body {
    fileprivate var isNone: Bool {
        if case .none = self { true } else { false }
    }
}
