import WireBackground
import WireBase
import WireHTTP
import WireRuntime
import WireWorkContract

extension Corewire {
    /// Requests that must arrive: the outbox of the section `background`, as the local API has it.
    ///
    /// Always answered by the generation that runs, so it stays good over reloads and switches of the environment.
    public var outbox: Outbox { Outbox(self) }

    /// Requests that must arrive: on the disk before they are sent, and sent until they have.
    ///
    /// ```swift
    /// let receipt = try await corewire.outbox.post(json: order, to: "/orders", lane: user.id)
    /// let request = try await corewire.outbox.find(receipt.id)
    /// ```
    ///
    /// Those of one lane arrive in the order they were posted, each at least once and with its id as `Request-ID`, by which
    /// the server knows one that it has had already. Who holds it holds ``Corewire`` as well.
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
        /// One whose id was taken before changes nothing, also when it has long arrived.
        @concurrent
        @discardableResult
        public func post(_ request: Request) async throws(CorewireError) -> Receipt {
            guard request.idField != "" else {
                throw CorewireError(.invalid, "found an empty name of a field, expected letters, digits and '-'")
            }
            let receipt = try await perform(OutboxCalls.post, OutboxPost(request))
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

        /// How it is with a request, or what became of it; nil where nothing is known of it.
        @concurrent
        public func find(_ id: String) async throws(CorewireError) -> Entry? {
            do throws(CorewireError) {
                return Entry(try await perform(OutboxCalls.show, OutboxShowRequest(id)))
            } catch {
                guard error.code == .noSuchRequest else { throw error }
                return nil
            }
        }

        /// What waits, oldest first: a page of at most `limit`, from 1 to 1000.
        @concurrent
        public func list(lane: String? = nil, after position: Int64? = nil, limit: Int = 100)
            async throws(CorewireError) -> List
        {
            var request = OutboxListRequest()
            (request.lane, request.after, request.limit) = (lane, position, limit)
            return List(try await perform(OutboxCalls.list, request))
        }

        /// Tries a request now instead of at its time; false where none waits by this id.
        @concurrent
        @discardableResult
        public func retry(_ id: String) async throws(CorewireError) -> Bool {
            try await isThere(OutboxCalls.retry, OutboxID(id))
        }

        /// Tries every request that waits for its time now, and says how many do.
        @concurrent
        @discardableResult
        public func retryAll() async throws(CorewireError) -> Int {
            try await perform(OutboxCalls.retryAll, NoInput()).count
        }

        /// Lets a request wait at the end of another lane; false where none waits by this id.
        @concurrent
        @discardableResult
        public func move(_ id: String, to lane: String) async throws(CorewireError) -> Bool {
            try await isThere(OutboxCalls.move, OutboxMove(id, to: lane))
        }

        /// Lets go of a request, which will then never arrive unless it is under way; false where none waits by this id.
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

        /// Sends nothing more of a lane, or of any, until it is resumed; also after the next start.
        @concurrent
        public func pause(lane: String? = nil) async throws(CorewireError) {
            _ = try await perform(OutboxCalls.pause, OutboxPause(lane: lane))
        }

        /// Sends again what was paused; a lane that was paused by itself is resumed by itself.
        @concurrent
        public func resume(lane: String? = nil) async throws(CorewireError) {
            _ = try await perform(OutboxCalls.resume, OutboxPause(lane: lane))
        }
    }
}

extension Area {
    static let outbox = Area(
        section: BackgroundSection.name,
        help: "add the section 'background' to have requests sent for certain"
    )
}
