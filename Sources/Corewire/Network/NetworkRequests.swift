import WireBase
import WireHTTP
import WireNetwork
import WireNetworkContract
import WireRuntime

extension Corewire {
    /// Requests to the servers of the file, as with `/v1/network/` of the local API: with the base URL, token, retries
    /// and cache of the section `network`.
    ///
    /// Uses the current generation, so it stays valid across reloads and switches.
    public var network: Network { Network(self) }

    /// Sends requests to the servers of the file.
    ///
    /// ```swift
    /// let tasks = try await corewire.network.get([Task].self, from: "tasks?page=2")
    /// let answer = try await corewire.network.send(.init("GET", to: "report"))
    /// for try await bytes in answer.body { … }
    /// ```
    ///
    /// Holding this value keeps ``Corewire`` alive.
    public struct Network: Sendable {
        private let corewire: Corewire

        init(_ corewire: Corewire) {
            self.corewire = corewire
        }

        /// Sends a request; returns when the head of the response has arrived, with any status.
        ///
        /// The body is streamed. Cancelling the task, or releasing the body, cancels the request.
        @concurrent
        public func send(_ request: Request) async throws(CorewireError) -> Answer {
            let call = try request.call
            return Answer(
                try await corewire.ask(NetworkService.self, in: .network) { service throws(CallFailure) in
                    try await service.send(call)
                }
            )
        }

        /// Gets a value as JSON; a status outside of 200 to 299 is an error.
        @concurrent
        public func get<Value: Decodable & Sendable>(
            _ type: Value.Type,
            from path: String,
            upTo limit: Int = 16 << 20
        ) async throws(CorewireError) -> Value {
            var request = Request(to: path)
            request.fields = [(name: "Accept", value: "application/json")]
            let answer = try await send(request)
            guard (200...299).contains(answer.status) else {
                throw CorewireError(.status, "the server responded with \(answer.status), expected 200 to 299")
            }
            let bytes = try await answer.body.collect(upTo: limit)
            return try CodedJSON.value(of: bytes, as: type, named: "the answer")
        }
    }
}

extension Area {
    static let network = Area(section: NetworkSection.name, help: "add the section 'network' to have requests sent")
}
