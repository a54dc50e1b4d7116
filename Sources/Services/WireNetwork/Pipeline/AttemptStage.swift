import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireService
import WireTelemetry

/// The last stage: sends a request with retries.
struct AttemptStage: Sendable {
    let sender: Sender
    let hosts: HostCircuits
    let reachability: ReachabilityMonitor
    let waits: Waits
    let metrics: NetworkMetrics
    let host: NetworkHost
    /// From 0 to 1, at random for each retry.
    let chance: @Sendable () -> Double

    /// The attempts of one request so far.
    private struct Tally {
        var attempts = 0
        var waited = Duration.zero
        /// Whether a server may have received the request.
        var hasLeft = false
    }

    func send(_ pipelineRequest: PipelineRequest) async throws(CallFailure) -> ServerAnswer {
        var tally = Tally()
        do throws(CallFailure) {
            try await waitBeforeStream(pipelineRequest, &tally)
            while true {
                if let answer = try await attempt(pipelineRequest, &tally) { return answer }
            }
        } catch {
            var failure = error
            (failure.attempts, failure.waited) = (tally.attempts, tally.waited)
            if tally.hasLeft { failure.wasNotSent = false }
            throw failure
        }
    }

    /// Returns the final response, or nil for a retry.
    private func attempt(_ pipelineRequest: PipelineRequest, _ tally: inout Tally) async throws(CallFailure)
        -> ServerAnswer?
    {
        let left = pipelineRequest.deadline - waits.now
        guard left > .zero else { throw CallFailure.late(pipelineRequest) }
        // A trial of a resting host is always sent, so that its result is known.
        let isTrial = try pass(pipelineRequest, isFirst: tally.attempts == 0)
        tally.attempts += 1
        let result = await sender.send(pipelineRequest, within: left)
        // Retries of the HTTP client count like retries here.
        let repeats = Self.repeats(of: result)
        tally.attempts += repeats
        if repeats > 0 { metrics.repetitions.add(repeats) }
        learn(from: result, pipelineRequest, isTrial)
        switch result {
        case .success(let response):
            tally.hasLeft = true
            let asked = response.fields.retryAfter(at: waits.clock.wall())
            if let pause = pause(after: .answer(response.status), asked, pipelineRequest, tally) {
                try await rest(pause, &tally)
                return nil
            }
            return ServerAnswer(
                status: response.status,
                fields: HeaderFilter.received(response.fields),
                body: response.body,
                attempts: tally.attempts,
                waited: tally.waited
            )
        case .failure(let failure):
            if !failure.wasNotSent { tally.hasLeft = true }
            let isCutOff = failure.mayBeForLackOfLink && reachability.isCutOff(from: pipelineRequest.url)
            if isCutOff || failure.isOfNetworkChange,
                try await mayGoOn(pipelineRequest, after: failure, isCutOff, &tally)
            {
                return nil
            }
            guard let pause = pause(after: .failure(failure), nil, pipelineRequest, tally) else {
                throw CallFailure(failure, pipelineRequest, host)
            }
            try await rest(pause, &tally)
            return nil
        }
    }

    private static func repeats(of result: Result<IncomingResponse, TransferFailure>) -> Int {
        switch result {
        case .success(let response): response.repeats
        case .failure(let failure): failure.repeats
        }
    }

    /// Whether to retry at once, or when there is a link, after a failure of the machine's network.
    private func mayGoOn(
        _ pipelineRequest: PipelineRequest,
        after failure: TransferFailure,
        _ isCutOff: Bool,
        _ tally: inout Tally
    ) async throws(CallFailure) -> Bool {
        if failure.wasNotSent {
            // An unsent attempt does not count.
            tally.attempts -= 1
            // A part of a streamed body has been read already.
            if isCutOff, case .stream = pipelineRequest.call.body {
                throw CallFailure.offline(pipelineRequest, reachability)
            }
        }
        guard mayRepeat(pipelineRequest, after: .failure(failure), tally) else { return false }
        guard isCutOff else { return failure.wasNotSent }
        try await waitForNetwork(pipelineRequest, &tally)
        return true
    }

    // MARK: Retries

    /// The pause before a retry; nil where there is none.
    private func pause(
        after outcome: RetryRules.Outcome,
        _ asked: Duration?,
        _ pipelineRequest: PipelineRequest,
        _ tally: Tally
    ) -> Duration? {
        let settings = pipelineRequest.settings
        guard mayRepeat(pipelineRequest, after: outcome, tally) else { return nil }
        let rules = RetryRules(backoff: settings.backoff, longestAsked: settings.retryAfterMax)
        guard let pause = rules.wait(before: tally.attempts, asked: asked, chance: chance()),
            waits.now + pause < pipelineRequest.deadline
        else { return nil }
        guard hosts.consumeRetry(of: pipelineRequest.url.server, at: waits.now) else {
            metrics.exhausted.add()
            return nil
        }
        metrics.repetitions.add()
        return pause
    }

    /// Whether the file and the request allow another attempt.
    private func mayRepeat(_ pipelineRequest: PipelineRequest, after outcome: RetryRules.Outcome, _ tally: Tally)
        -> Bool
    {
        tally.attempts <= pipelineRequest.call.retries ?? pipelineRequest.settings.retries && !Task.isCancelled
            && RetryRules.isWorthRepeating(outcome) && RetryRules.maySendAgain(pipelineRequest.call, after: outcome)
    }

    private func rest(_ pause: Duration, _ tally: inout Tally) async throws(CallFailure) {
        try await waits.sleep(pause)
        tally.waited += pause
    }

    // MARK: Resting hosts

    /// Whether the request is the trial of a resting host; throws for other requests to it.
    private func pass(_ pipelineRequest: PipelineRequest, isFirst: Bool) throws(CallFailure) -> Bool {
        let circuit = pipelineRequest.settings.circuit
        switch hosts.admit(pipelineRequest.url.server, isFirst: isFirst, at: waits.now, circuit) {
        case .pass: return false
        case .trial: return true
        case .open(let rest):
            throw CallFailure(
                .resting,
                "\(pipelineRequest.url.server) has failed \(circuit?.failures ?? 0) times in a row; requests pause for a while",
                wasNotSent: true,
                retryAfter: rest,
                origin: host.places.origin(of: pipelineRequest.settings.$circuit, "network.circuit")
            )
        }
    }

    private func learn(
        from result: Result<IncomingResponse, TransferFailure>,
        _ pipelineRequest: PipelineRequest,
        _ isTrial: Bool
    ) {
        if let circuit = pipelineRequest.settings.circuit {
            var outcome = CircuitBreaker.Outcome(result)
            // Without a network, a failure says nothing about the host.
            if case .failure = result, reachability.isCutOff(from: pipelineRequest.url) { outcome = .unknown }
            let name = pipelineRequest.url.server
            if hosts.record(outcome, of: name, isTrial: isTrial, at: waits.now, circuit) {
                reachability.hostChanged(name)
            }
        }
        switch result {
        case .success: reachability.reached(pipelineRequest.url)
        case .failure(let failure):
            if failure.isOffNetwork, !failure.isOfNetworkChange {
                reachability.missed(pipelineRequest.url, failure.reason)
            }
        }
    }

    // MARK: The network

    /// A streamed body cannot be sent again, so the request waits for the network first.
    private func waitBeforeStream(_ pipelineRequest: PipelineRequest, _ tally: inout Tally) async throws(CallFailure) {
        guard case .stream = pipelineRequest.call.body, reachability.isCutOff(from: pipelineRequest.url) else { return }
        try await waitForNetwork(pipelineRequest, &tally)
    }

    private func waitForNetwork(_ pipelineRequest: PipelineRequest, _ tally: inout Tally) async throws(CallFailure) {
        let begin = waits.now
        guard pipelineRequest.call.waitsForNetwork, begin < pipelineRequest.patience else {
            throw CallFailure.offline(pipelineRequest, reachability)
        }
        metrics.waiting.add(1)
        defer { metrics.waiting.add(-1) }
        let isThere = await waits.wait(until: pipelineRequest.patience) { [reachability] in
            await reachability.untilConnected()
        }
        tally.waited += waits.now - begin
        if isThere == true { return }
        throw waits.end ?? CallFailure.offline(pipelineRequest, reachability)
    }
}

extension CircuitBreaker.Outcome {
    /// The outcome for the host: a response that is no server failure, a failure, or unknown.
    init(_ result: Result<IncomingResponse, TransferFailure>) {
        switch result {
        case .success(let response): self = response.status.code < 500 ? .success : .failure
        case .failure(let failure) where failure.isOfNetworkChange: self = .unknown
        case .failure(let failure):
            switch failure.kind {
            case .unresolved, .unreachable, .timeout, .tls, .pin, .protocolError, .interrupted: self = .failure
            case .invalidURL, .invalidRequest, .forbidden, .tooManyRedirects, .cancelled, .exhausted: self = .unknown
            }
        }
    }
}

extension TransferFailure {
    /// Whether the request never reached the host, as without a network.
    var isOffNetwork: Bool { wasNotSent && (kind == .unresolved || kind == .unreachable) }

    /// Whether a missing link may be the cause: an interface without a carrier makes connecting time out.
    fileprivate var mayBeForLackOfLink: Bool { isOffNetwork || isOfNetworkChange || (wasNotSent && kind == .timeout) }
}
