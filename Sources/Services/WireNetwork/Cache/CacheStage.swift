import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireService
import WireSyncContract

/// The step that answers from what is stored, where the offline policy, the server and the request allow it, and stores what
/// comes (RFC 9111, as the private cache of one user).
///
/// Requests that are under way at once are not put together: each caller reads its answer at its own pace, and one that
/// waited for another's would wait for somebody it does not know.
struct CacheStage: Stage {
    let shelf: AnswerShelf
    /// Nil where the file has no section that gives tokens.
    let tokens: (any AccessTokens)?
    let clock: Clockwork
    let places: Places
    let metrics: NetworkMetrics
    /// Whether the machine is known to have no link to a server.
    let isCutOff: @Sendable (WebURL) -> Bool

    func send(_ passage: Passage, onward: Onward) async throws(CallFailure) -> ServerAnswer {
        let answer = try await answer(passage, onward)
        metrics.count(CacheFact.Word(of: answer))
        return answer
    }

    private func answer(_ passage: Passage, _ onward: Onward) async throws(CallFailure) -> ServerAnswer {
        let call = passage.call
        let policy = call.offlinePolicy ?? passage.settings.offlinePolicy
        // What leaves HTTP brings no answer that anybody could store.
        if case .upgrade = call.body { return try await onward(passage).telling(.bypass) }
        let request = CacheDirectives(request: call.fields)
        guard call.method == .get || call.method == .head else {
            if policy == .returnLocalDataDontLoad { throw refusal(passage, Self.writes(call.method)) }
            return try await change(passage, onward)
        }
        if let refusal = refusal(ofWhatIsStoredFor: call) {
            guard policy == .returnLocalDataDontLoad else { return try await onward(passage).telling(.bypass) }
            throw CallFailure(.noToken(refusal.reason), refusal.guidance, wasNotSent: true, origin: refusal.origin)
        }
        if policy == .none || (policy == .loadAndStoreLocalData && !call.mayBeStored) {
            guard !request.onlyIfCached else {
                throw refusal(passage, "only what is stored was asked for, and nothing is stored for this request")
            }
            return try await onward(passage).telling(.bypass)
        }
        guard let place = shelf.place(of: passage.url, for: passage) else {
            if policy == .returnLocalDataDontLoad { throw refusal(passage, "what is stored cannot be read") }
            return try await onward(passage).telling(.bypass)
        }
        let rules = CachePolicy(
            request: request,
            maxAge: passage.settings.cache.maxAge.inMicroseconds / 1_000
        )
        let stored = shelf.find(at: place)
        if policy == .returnLocalDataDontLoad { return try local(passage, stored, rules) }
        return try await Loading(stage: self, passage: passage, place: place, rules: rules, stored: stored)
            .answer(onward)
    }

    /// Sends what may change something, and forgets what is stored of whatever it has changed (RFC 9111, section 4.4).
    private func change(_ passage: Passage, _ onward: Onward) async throws(CallFailure) -> ServerAnswer {
        let answer = try await onward(passage)
        if !passage.call.method.isSafe, (200..<400).contains(answer.status.code) {
            var changed = [passage.url]
            for name in ["Location", "Content-Location"] {
                guard let text = answer.fields[name], let url = passage.url.plainly(resolving: text),
                    url.origin == passage.url.origin, !changed.contains(url)
                else { continue }
                changed.append(url)
            }
            for url in changed {
                if let place = shelf.place(of: url, for: passage) { await shelf.forgetAll(at: place) }
            }
        }
        return answer.telling(.bypass)
    }

    /// Answers from what is stored and nothing else.
    private func local(
        _ passage: Passage,
        _ stored: AnswerShelf.Stored?,
        _ rules: CachePolicy
    ) throws(CallFailure) -> ServerAnswer {
        guard passage.call.hasOnlyStoredConditions else {
            throw refusal(passage, "the conditions of this request are the server's to judge, which is not asked")
        }
        guard let stored else { throw refusal(passage, "nothing is stored for this request") }
        switch rules.fallback(on: stored.head, at: clock.wall(), for: .unasked) {
        case .refuse(let reason): throw refusal(passage, reason)
        case .give(let age, let isStale):
            let fact = isStale ? CacheFact.stale(age: age, because: "policy") : .hit(age: age)
            return ServerAnswer(stored, to: passage.call, fact, attempts: 0, waited: .zero)
        }
    }

    // MARK: Refusals

    /// Why nothing is given that was got with the token a request asks for: whoever has locked the session has locked this.
    private func refusal(ofWhatIsStoredFor call: ServerCall) -> TokenRefusal? {
        switch call.authorization {
        case .none: nil
        case .usual: tokens?.refusal(nil)
        case .token(let mode): tokens?.refusal(mode)
        }
    }

    private static func writes(_ method: Method) -> String {
        "\(method.name) needs the server, and only what is stored is given"
    }

    /// Why nothing that is stored is given to a request that wants nothing else.
    fileprivate func refusal(_ passage: Passage, _ reason: String) -> CallFailure {
        let isOfFile = passage.call.offlinePolicy == nil
        let isLocal = (passage.call.offlinePolicy ?? passage.settings.offlinePolicy) == .returnLocalDataDontLoad
        return CallFailure(
            .notStored,
            reason,
            help: isLocal
                ? "send it once with the offline policy 'loadAndStoreLocalData' while the server can be reached" : nil,
            wasNotSent: true,
            origin: isOfFile && isLocal
                ? places.origin(of: passage.settings.$offlinePolicy, "network.offlinePolicy") : passage.call.place
        )
    }

    fileprivate var now: Int64 { clock.wall() }
    fileprivate var moment: Duration { clock.monotonic() }
}

/// A GET or HEAD that may be answered from the store, and whose answer may be stored.
private struct Loading {
    let stage: CacheStage
    let passage: Passage
    let place: AnswerShelf.Place
    let rules: CachePolicy
    let stored: AnswerShelf.Stored?

    func answer(_ onward: Onward) async throws(CallFailure) -> ServerAnswer {
        guard let stored else {
            if rules.request.onlyIfCached {
                throw stage.refusal(passage, "only what is stored was asked for, and nothing is")
            }
            return try await load(onward)
        }
        switch rules.verdict(on: stored.head, at: stage.now) {
        case .use(let age, let isStale):
            return give(stored, isStale ? .stale(age: age, because: "request") : .hit(age: age))
        case _ where rules.request.onlyIfCached:
            throw stage.refusal(passage, "only what is stored was asked for, and that is not fresh enough")
        case .load: return try await ask(stored, [:], onward)
        case .validate(let conditions):
            // To a HEAD the answer is as short without conditions.
            return try await ask(stored, passage.call.method == .get ? conditions : [:], onward)
        }
    }

    private func give(
        _ stored: AnswerShelf.Stored,
        _ fact: CacheFact,
        attempts: Int = 0,
        waited: Duration = .zero
    ) -> ServerAnswer {
        ServerAnswer(stored, to: passage.call, fact, attempts: attempts, waited: waited)
    }

    // MARK: With nothing stored

    private func load(_ onward: Onward) async throws(CallFailure) -> ServerAnswer {
        let began = stage.moment
        return copied(try await onward(passage), since: began)
    }

    // MARK: With something stored

    private func ask(
        _ stored: AnswerShelf.Stored,
        _ conditions: Fields,
        _ onward: Onward
    ) async throws(CallFailure) -> ServerAnswer {
        var passage = passage
        if !conditions.all.isEmpty {
            // The caller's own are held against the answer afterwards.
            for name in ["If-None-Match", "If-Modified-Since"] { passage.call.fields[name] = conditions[name] }
        }
        // What can be answered from the store does not wait for the network to return, nor for anything before it is sent.
        if case .give(let age, _) = rules.fallback(on: stored.head, at: stage.now, for: .unasked) {
            if stage.isCutOff(passage.url) { return give(stored, .stale(age: age, because: "offline")) }
            passage.call.waitsForNetwork = false
        }
        let began = stage.moment
        let answer: ServerAnswer
        do throws(CallFailure) {
            answer = try await onward(passage)
        } catch {
            return try instead(of: error, stored)
        }
        if answer.status.code >= 500 { return instead(of: answer, stored, since: began) }
        if answer.status == .notModified, !conditions.all.isEmpty {
            return try await confirmed(answer, stored, since: began, onward)
        }
        if passage.call.method == .head { await compare(answer, stored) }
        return copied(answer, since: began)
    }

    /// What is stored, where the server could not be asked.
    private func instead(of failure: CallFailure, _ stored: AnswerShelf.Stored) throws(CallFailure) -> ServerAnswer {
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

    /// What is stored, where the server has answered with an error; letting go of that one's body ends it.
    private func instead(of answer: ServerAnswer, _ stored: AnswerShelf.Stored, since began: Duration) -> ServerAnswer {
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

    /// What is stored, with what the server says of it now (RFC 9111, section 4.3.3).
    private func confirmed(
        _ answer: ServerAnswer,
        _ stored: AnswerShelf.Stored,
        since began: Duration,
        _ onward: Onward
    ) async throws(CallFailure) -> ServerAnswer {
        if let tag = answer.fields["ETag"].flatMap({ EntityTag(parsing: $0) }), let own = stored.head.tag,
            tag.value != own.value
        {
            // It confirms something else than what was asked about: it has to be sent whole.
            await stage.shelf.forget(stored)
            var whole = passage
            for name in ["If-None-Match", "If-Modified-Since"] { whole.call.fields[name] = nil }
            let began = stage.moment
            return copied(try await onward(whole), since: began)
        }
        let came = stage.now
        let asked = came - way(of: answer, since: began)
        let (head, directives) = stored.head.confirmed(by: answer.fields, asked: asked, came: came)
        if Storability.allows(rules.request, head.status, head.fields, directives) {
            await stage.shelf.keep(head, for: stored, at: place)
        } else if !rules.request.noStore {
            // What may be stored no longer is given this once.
            await stage.shelf.forget(stored)
        }
        return give(
            stored.with(head),
            .confirmed(age: head.freshness.initialAge),
            attempts: answer.attempts,
            waited: answer.waited
        )
    }

    /// Marks what is stored as stale where the head of it shows that it is another by now (RFC 9111, section 4.3.5).
    private func compare(_ answer: ServerAnswer, _ stored: AnswerShelf.Stored) async {
        guard answer.status == .ok, stored.head.status == .ok, stored.head.freshness.lifetime > 0 else { return }
        let isOther = ["ETag", "Last-Modified", "Content-Length"].contains { name in
            guard let new = answer.fields[name] else { return false }
            return new != stored.head.fields[name]
        }
        guard isOther else { return }
        var head = stored.head
        head.freshness = Freshness(lifetime: 0, initialAge: head.freshness.initialAge)
        await stage.shelf.keep(head, for: stored, at: place)
    }

    // MARK: What comes

    /// How long an answer took from when it was asked for, without the waits before.
    private func way(of answer: ServerAnswer, since began: Duration) -> Int64 {
        max(0, (stage.moment - began - answer.waited).inMicroseconds / 1_000)
    }

    /// An answer of the server, of which a copy is stored when all of it has come.
    private func copied(_ answer: ServerAnswer, since began: Duration) -> ServerAnswer {
        var answer = answer.telling(.miss)
        let directives = CacheDirectives(answer.fields.values(of: "Cache-Control"))
        guard passage.call.method == .get,
            Storability.allows(rules.request, answer.status, answer.fields, directives)
        else { return answer }
        let came = stage.now
        let asked = came - way(of: answer, since: began)
        var head = StoredHead(answer.status, answer.fields, directives, asked: asked, came: came)
        // Without a date nobody could reckon with it later (RFC 9110, section 6.6.1).
        if head.fields["Date"] == nil { head.fields["Date"] = HTTPDate(milliseconds: came).description }
        // The length of the body as it comes, whatever its coding: an edge that decodes a body drops both fields.
        let length = answer.fields["Content-Length"].flatMap { Int($0) }
        answer.body = CopiedBody(answer.body, upTo: limit, length: length) { [stage, place, head] bytes in
            await stage.shelf.keep(head, bytes, at: place)
        }
        return answer
    }

    /// No single answer takes more than a quarter of all there is room for.
    private var limit: ByteCount { min(.mebibytes(16), .bytes(passage.settings.cache.maxSize.bytes / 4)) }
}

extension CallFailure {
    /// A word for why the server could not be asked, where what is stored may stand in for it; nil where it may not.
    ///
    /// Somebody who is not signed in or has locked the session gets nothing of a user's, a wrong key is to be noticed, and
    /// what the file forbids stays forbidden.
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
    /// Whether the answer is one the store may have a part in.
    fileprivate var mayBeStored: Bool {
        !isLong && body.isNone && fields["Range"] == nil && hasOnlyStoredConditions
    }

    /// Whether none of the conditions is only the server's to judge (RFC 9111, section 4.3.2).
    fileprivate var hasOnlyStoredConditions: Bool {
        fields["If-Match"] == nil && fields["If-Unmodified-Since"] == nil && fields["If-Range"] == nil
    }
}

extension OutgoingRequest.Body {
    fileprivate var isNone: Bool {
        if case .none = self { true } else { false }
    }
}
