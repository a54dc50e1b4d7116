import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireService

/// Adds tokens to requests, and renews a token that a server rejects, once.
struct TokenStage: Stage {
    /// Nil where the file has no section that gives tokens.
    let tokens: (any AccessTokens)?
    let waits: Waits

    func send(_ pipelineRequest: PipelineRequest, next: NextStage) async throws(CallFailure) -> ServerAnswer {
        let mode: TokenMode?
        switch pipelineRequest.call.authorization {
        case .none: return try await next(pipelineRequest)
        case .usual where tokens == nil: return try await next(pipelineRequest)
        case .usual: mode = nil
        case .token(let wanted): mode = wanted
        }
        guard let tokens else {
            throw CallFailure(
                .noToken(.undeclared),
                "the file has no section 'auth'",
                help: "add the section 'auth', or send the request without a token",
                wasNotSent: true,
                origin: pipelineRequest.call.place
            )
        }
        let (token, waited) = try await self.token(mode, of: tokens, for: pipelineRequest)
        var answer = try await next(pipelineRequest.carrying(token))
        answer.waited += waited
        guard answer.status == .unauthorized else { return answer }
        return try await again(after: answer, with: token, mode, tokens, pipelineRequest, next)
    }

    /// Renews a token that a server rejected, and sends the request again if possible.
    private func again(
        after answer: ServerAnswer,
        with refused: AccessToken,
        _ mode: TokenMode?,
        _ tokens: any AccessTokens,
        _ pipelineRequest: PipelineRequest,
        _ next: NextStage
    ) async throws(CallFailure) -> ServerAnswer {
        await tokens.refused(refused)
        if case .stream = pipelineRequest.call.body { return answer }
        // The server's response is more useful than the failure of the renewal, which the next request shows.
        guard case .success(let renewed) = await requestToken(mode, of: tokens) else { return answer }
        let problem = problem(with: renewed, pipelineRequest.call)
        // Of another user, who has signed in meanwhile: the request waits for its own.
        if let problem, let user = pipelineRequest.call.user, renewed.subject != user {
            var failure = problem
            failure.attempts += answer.attempts
            throw failure
        }
        guard problem == nil, renewed.value.reveal() != refused.value.reveal() else { return answer }
        do throws(CallFailure) {
            var second = try await next(pipelineRequest.carrying(renewed))
            second.attempts += answer.attempts
            second.waited += answer.waited
            return second
        } catch {
            var failure = error
            failure.attempts += answer.attempts
            failure.waited += answer.waited
            throw failure
        }
    }

    // MARK: Obtaining a token

    /// A token; while none is available, tried again until the request may wait no longer.
    private func token(
        _ mode: TokenMode?,
        of tokens: any AccessTokens,
        for pipelineRequest: PipelineRequest
    ) async throws(CallFailure) -> (AccessToken, waited: Duration) {
        var waited = Duration.zero
        var pause = Duration.milliseconds(250)
        while true {
            let refusal: TokenRefusal
            switch await requestToken(mode, of: tokens) {
            case .success(let token):
                if let problem = problem(with: token, pipelineRequest.call) { throw problem }
                return (token, waited)
            case .failure(let error): refusal = error
            }
            let left = pipelineRequest.patience - waits.now
            guard refusal.reason == .unavailable, pipelineRequest.call.waitsForNetwork, left > pause else {
                throw failure(refusal, waited, pipelineRequest)
            }
            try await waits.sleep(pause)
            waited += pause
            pause = min(pause * 2, .seconds(5))
        }
    }

    private func requestToken(_ mode: TokenMode?, of tokens: any AccessTokens) async -> Result<
        AccessToken, TokenRefusal
    > {
        do throws(TokenRefusal) { return .success(try await tokens.token(TokenQuery(mode))) } catch {
            return .failure(error)
        }
    }

    /// Why a call may not be sent with a token; nil where it may.
    private func problem(with token: AccessToken, _ call: ServerCall) -> CallFailure? {
        if let user = call.user, token.subject != user {
            return CallFailure(
                .noToken(.signedOut),
                "the user of the request is not signed in",
                wasNotSent: true,
                origin: call.place
            )
        }
        return missingRight(to: token, call.tokenRights).map { reason in
            CallFailure(.forbidden, reason, wasNotSent: true, origin: call.tokenRights.origin ?? call.place)
        }
    }

    /// Why the caller has no right to a token; nil where it has.
    private func missingRight(to token: AccessToken, _ rights: TokenRights) -> String? {
        guard rights.allow(mode: token.mode.rawValue) else {
            return "the caller has no right to tokens of mode '\(token.mode.rawValue)'; see api.apps"
        }
        return rights.scopeTooMany(among: token.scopes).map {
            "the token has the scope \($0.quoted), to which the caller has no right; see api.apps"
        }
    }

    private func failure(_ refusal: TokenRefusal, _ waited: Duration, _ pipelineRequest: PipelineRequest) -> CallFailure
    {
        var failure = CallFailure(
            .noToken(refusal.reason),
            refusal.guidance,
            wasNotSent: true,
            retryAfter: refusal.reason == .unavailable ? .seconds(5) : nil,
            origin: refusal.origin ?? pipelineRequest.call.place
        )
        failure.waited = waited
        return failure
    }
}

extension PipelineRequest {
    /// The request with a token.
    fileprivate func carrying(_ token: AccessToken) -> PipelineRequest {
        var pipelineRequest = self
        pipelineRequest.call.fields["Authorization"] = token.authorization.reveal()
        return pipelineRequest
    }
}
