import Synchronization
import WireBase
package import WireHTTP

/// Sends requests by HTTP/1.1 over kept connections, on its own thread.
///
/// The client runs until it is stopped or released; both cancel its requests.
package final class TransferClient: HTTPClient {
    private let options: TransferOptions
    private let mailbox: Mailbox
    private let meter = Meter()
    private let ended = OneShot()
    private let thread: Mutex<SystemThread?>

    package init(_ options: TransferOptions = TransferOptions()) throws(TransferFailure) {
        self.options = options
        let multi = try Multi(options)
        mailbox = Mailbox(waking: multi)
        let (mailbox, meter, ended) = (mailbox, meter, ended)
        let thread = SystemThread("transfer") {
            var engine = Engine(multi, mailbox, meter, options)
            engine.run()
            ended.fire()
        }
        guard thread != nil else {
            throw TransferFailure(.exhausted, "no more threads can be started", wasNotSent: true)
        }
        self.thread = Mutex(thread)
    }

    deinit {
        mailbox.post(.stop)
    }

    /// The present counters.
    package var counts: TransferCounts { meter.counts }

    /// Ends connections that a change of interfaces, addresses or routes has cut off.
    func networkChanged() { mailbox.post(.networkChanged) }

    /// Ends every transfer and the thread.
    ///
    /// Later requests fail. May be called twice.
    package func stop() async {
        mailbox.post(.stop)
        await ended.waitIgnoringCancellation()
        // The thread has ended its work, so this does not wait.
        if let thread = thread.withLock({ $0.take() }) { thread.join() }
    }

    package func send(_ request: OutgoingRequest) async throws(TransferFailure) -> IncomingResponse {
        try await send(request, to: try RequestURL(request.url))
    }

    /// Sends a request with a parsed URL.
    func send(_ request: OutgoingRequest, to url: RequestURL) async throws(TransferFailure) -> IncomingResponse {
        var hop = try Hop(request, to: url)
        try await hop.settleEmptyStream()
        let deadline = request.deadline.map(Monotonic.after) ?? Monotonic.never
        var (followed, repeats) = (0, 0)
        while true {
            let exchange = TransferExchange(
                hop,
                deadline: deadline,
                mailbox: mailbox,
                meter: meter,
                limit: options.buffer
            )
            let head = try await head(of: exchange, after: followed, repeats)
            repeats += head.repeats
            let body = ReceivedBody(of: exchange)
            switch try Redirection.decide(head, of: hop, by: request.redirects, after: followed) {
            case .deliver:
                var response = IncomingResponse(
                    status: head.status,
                    fields: head.fields,
                    body: body,
                    url: hop.url.text
                )
                response.repeats = repeats
                return response
            case .follow(let next):
                body.discard()
                hop = next
                followed += 1
            }
        }
    }

    private func head(
        of exchange: TransferExchange,
        after followed: Int,
        _ repeats: Int
    ) async throws(TransferFailure) -> ResponseHead {
        do throws(TransferFailure) {
            return try await exchange.head()
        } catch {
            // After a redirect the first server has received the request.
            var failure = TransferFailure(error.kind, error.reason, wasNotSent: followed == 0 && error.wasNotSent)
            failure.repeats = repeats + error.repeats
            failure.isOfNetworkChange = error.isOfNetworkChange
            throw failure
        }
    }
}
