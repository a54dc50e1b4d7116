import WireBase
import WireHTTP
import WirePersistence
import WireStateContract
import WireStore

extension Corewire {
    /// A named part of the store with entries by key.
    ///
    /// Changes are on the disk when a call returns, and are atomic.
    public struct StateNamespace: Sendable {
        /// The name, as in the services file and the local API.
        public let name: String
        let corewire: Corewire

        // MARK: Reading

        /// The entry of a key; nil where there is none, or it has expired.
        @concurrent
        public func get(_ key: String) async throws(CorewireError) -> StateEntry? {
            let name = name
            let entry = try await ask { service throws(StateFailure) in try await service.get(key, in: name) }
            return entry.map(StateEntry.init)
        }

        /// The value of a key, decoded from JSON; nil where there is none.
        ///
        /// Dates are ISO 8601 text.
        public func get<Value: Decodable>(_ key: String, as type: Value.Type = Value.self) async throws(CorewireError)
            -> Value?
        {
            try await get(key)?.json(as: type)
        }

        /// The properties of an entry without its value; nil where there is none.
        @concurrent
        public func summary(of key: String) async throws(CorewireError) -> StateSummary? {
            let name = name
            let found = try await ask { service throws(StateFailure) in try await service.summary(of: key, in: name) }
            return found.map(StateSummary.init)
        }

        /// The entries without values, in key order: a page of at most `limit`, from 1 to 1000.
        ///
        /// The `next` of a page selects the following one.
        @concurrent
        public func list(
            prefix: String = "",
            after key: String? = nil,
            limit: Int = 100
        ) async throws(CorewireError) -> StateList<StateSummary> {
            let request = StateEntriesRequest(name, StatePage(prefix: prefix, after: key, limit: limit))
            let page = try await corewire.perform(StateCalls.entries, request, in: .state)
            return StateList(elements: page.entries.map(StateSummary.init), next: page.next)
        }

        // MARK: Changes

        /// Stores bytes of a media type.
        ///
        /// Entries are stored for `lifetime`, from 1 s to 3650 days, limited by the `ttl` of the namespace, which is
        /// also the default.
        @concurrent
        @discardableResult
        public func put(
            bytes: [UInt8],
            type: String = "application/octet-stream",
            under key: String,
            for lifetime: Duration? = nil,
            if condition: StateCondition = .always
        ) async throws(CorewireError) -> StateReceipt {
            guard type.utf8.count <= 255, MediaType(parsing: type) != nil else {
                throw CorewireError(.invalid, "found \(type.quoted), expected a media type such as text/plain")
            }
            let (name, condition) = (name, condition.store)
            let receipt = try await ask { service async throws(StateFailure) in
                try await service.put(bytes, type: type, lifetime: lifetime, under: key, in: name, if: condition)
            }
            return StateReceipt(summary: StateSummary(receipt.entry), isNew: receipt.isNew)
        }

        /// Stores a text, as `text/plain` in UTF-8.
        @discardableResult
        public func put(
            text: String,
            under key: String,
            for lifetime: Duration? = nil,
            if condition: StateCondition = .always
        ) async throws(CorewireError) -> StateReceipt {
            let type = "text/plain; charset=utf-8"
            return try await put(bytes: Array(text.utf8), type: type, under: key, for: lifetime, if: condition)
        }

        /// Stores a value as JSON with sorted members.
        ///
        /// Dates are encoded as ISO 8601 text with milliseconds.
        @discardableResult
        public func put<Value: Encodable>(
            json value: Value,
            under key: String,
            for lifetime: Duration? = nil,
            if condition: StateCondition = .always
        ) async throws(CorewireError) -> StateReceipt {
            let bytes = try CodedJSON.bytes(of: value, named: key.quoted)
            return try await put(bytes: bytes, type: "application/json", under: key, for: lifetime, if: condition)
        }

        /// Removes an entry; returns whether there was one.
        @concurrent
        @discardableResult
        public func remove(_ key: String, if condition: StateCondition = .always) async throws(CorewireError) -> Bool {
            let (name, condition) = (name, condition.store)
            return try await ask { service async throws(StateFailure) in
                try await service.remove(key, in: name, if: condition)
            }
        }

        /// Removes all entries; returns their number.
        @concurrent
        @discardableResult
        public func clear() async throws(CorewireError) -> Int {
            let request = StateNamespaceName(name)
            return try await corewire.perform(StateCalls.clear, request, in: .state).removed
        }

        // MARK: Subscriptions

        /// The changes from now on, or since a version, made by any program.
        ///
        /// The start is determined here: values read after this call, followed by the stream, are complete.
        @concurrent
        public func changes(after version: StateVersion? = nil) async throws(CorewireError) -> StateChanges {
            StateChanges(self, try await watch(after: version?.number))
        }

        private func ask<Answer>(
            _ work: (PersistenceService) async throws(StateFailure) -> Answer
        ) async throws(CorewireError) -> Answer {
            try await corewire.ask(PersistenceService.self, in: .state, work)
        }

        func watch(after version: Int64?) async throws(CorewireError) -> StateWatch {
            let name = name
            return try await ask { service throws(StateFailure) in try await service.watch(name, after: version) }
        }
    }
}

extension Area {
    static let state = Area(section: PersistenceSection.name, help: "add the section 'persistence' to store values")
}
