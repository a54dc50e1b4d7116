import WireBackground
import WireBase
import WireHTTP
import WireRuntime
import WireWorkContract

extension Corewire {
    /// Queued requests: the outbox of the section `background`, as in the local API.
    ///
    /// Uses the current generation, so it stays valid across reloads and switches.
    public var outbox: Outbox { Outbox(self) }

    /// Queues requests on the disk, and sends them until the server has accepted them.
    ///
    /// ```swift
    /// let receipt = try await corewire.outbox.post(json: order, to: "/orders", lane: user.id)
    /// let request = try await corewire.outbox.find(receipt.id)
    /// ```
    ///
    /// Requests of one lane are delivered in order, each at least once, with its id as `Request-ID`, by which the
    /// server recognizes repetitions. Holding this value keeps ``Corewire`` alive.
    public struct Outbox: Sendable {
        private let corewire: Corewire

        init(_ corewire: Corewire) {
            self.corewire = corewire
        }

        private func perform<Input, Answer>(
            _ call: APICall<Input, Answer, OutboxFailureKind>,
            _ input: Input
        ) async throws(CorewireError) -> Answer {
            try await corewire.perform(call, input, in: .outbox)
        }

        /// Posts a request; returns when it is on the disk.
        ///
        /// A known id has no effect, even after the delivery.
        @concurrent
        @discardableResult
        public func post(_ request: Request) async throws(CorewireError) -> Receipt {
            guard request.idField != "" else {
                throw CorewireError(.invalid, "found an empty field name, expected letters, digits and '-'")
            }
            let receipt = try await perform(OutboxCalls.post, NewOutboxRequest(request))
            return Receipt(id: receipt.id, isNew: receipt.isNew)
        }

        /// Posts a value as JSON; returns when it is on the disk.
        @concurrent
        @discardableResult
        public func post(
            json value: some Encodable & Sendable,
            to path: String,
            lane: String? = nil,
            id: String? = nil
        ) async throws(CorewireError) -> Receipt {
            var request = Request(to: path)
            (request.lane, request.id) = (lane, id)
            request.fields = [Field("Content-Type", "application/json")]
            request.body = try CodedJSON.bytes(of: value, named: path.quoted)
            return try await post(request)
        }

        /// The state of a request; nil where the id is unknown.
        @concurrent
        public func find(_ id: String) async throws(CorewireError) -> Entry? {
            do throws(CorewireError) {
                return Entry(try await perform(OutboxCalls.show, OutboxShowRequest(id)))
            } catch {
                guard error.code == .noSuchRequest else { throw error }
                return nil
            }
        }

        /// The queued requests, oldest first: a page of at most `limit`, from 1 to 1000.
        @concurrent
        public func list(lane: String? = nil, after position: Int64? = nil, limit: Int = 100)
            async throws(CorewireError) -> List
        {
            var request = OutboxListRequest()
            (request.lane, request.after, request.limit) = (lane, position, limit)
            return List(try await perform(OutboxCalls.list, request))
        }

        /// Retries a request now; false where the id is not queued.
        @concurrent
        @discardableResult
        public func retry(_ id: String) async throws(CorewireError) -> Bool {
            try await isThere(OutboxCalls.retry, OutboxID(id))
        }

        /// Retries all delayed requests now; returns their number.
        @concurrent
        @discardableResult
        public func retryAll() async throws(CorewireError) -> Int {
            try await perform(OutboxCalls.retryAll, NoInput()).count
        }

        /// Moves a request to the end of another lane; false where the id is not queued.
        @concurrent
        @discardableResult
        public func move(_ id: String, to lane: String) async throws(CorewireError) -> Bool {
            try await isThere(OutboxCalls.move, OutboxMove(id, to: lane))
        }

        /// Deletes a queued request, which may still arrive if it is being sent; false where the id is not queued.
        @concurrent
        @discardableResult
        public func remove(_ id: String) async throws(CorewireError) -> Bool {
            try await isThere(OutboxCalls.drop, OutboxID(id))
        }

        private func isThere<Input>(
            _ call: APICall<Input, Nothing, OutboxFailureKind>,
            _ input: Input
        ) async throws(CorewireError) -> Bool {
            do throws(CorewireError) {
                _ = try await perform(call, input)
                return true
            } catch {
                guard error.code == .noSuchRequest else { throw error }
                return false
            }
        }

        /// Pauses a lane, or all lanes, until they are resumed, also across restarts.
        @concurrent
        public func pause(lane: String? = nil) async throws(CorewireError) {
            _ = try await perform(OutboxCalls.pause, OutboxPause(lane: lane))
        }

        /// Resumes a lane, or the outbox; a lane that was paused itself must be resumed itself.
        @concurrent
        public func resume(lane: String? = nil) async throws(CorewireError) {
            _ = try await perform(OutboxCalls.resume, OutboxPause(lane: lane))
        }
    }
}

extension Area {
    static let outbox = Area(
        section: BackgroundSection.name,
        help: "add the section 'background'"
    )
}
