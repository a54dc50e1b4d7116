import WireBase
import WireHTTP
import WirePersistence
import WireStateContract
import WireStore

extension Corewire {
    /// A part of the store with a name of its own, and entries under keys.
    ///
    /// A change that returns is on the disk. What is done is done whole or not at all.
    public struct StateNamespace: Sendable {
        /// The name, as the services file and the local API have it.
        public let name: String
        let corewire: Corewire

        // MARK: Looking

        /// The entry under a key; nil where there is none, or it has expired.
        @concurrent
        public func get(_ key: String) async throws(CorewireError) -> StateEntry? {
            let name = name
            let entry = try await ask { service throws(StateFailure) in try service.get(key, in: name) }
            return entry.map(StateEntry.init)
        }

        /// The value under a key, read from JSON; nil where there is none.
        ///
        /// Dates are text as in ISO 8601.
        public func get<Value: Decodable>(_ key: String, as type: Value.Type = Value.self) async throws(CorewireError)
            -> Value?
        {
            try await get(key)?.json(as: type)
        }

        /// What is known about an entry, without its value; nil where there is none.
        @concurrent
        public func summary(of key: String) async throws(CorewireError) -> StateSummary? {
            let name = name
            let found = try await ask { service throws(StateFailure) in try service.summary(of: key, in: name) }
            return found.map(StateSummary.init)
        }

        /// Entries without their values, in the order of their keys: a page of at most `limit`, from 1 to 1000.
        ///
        /// What follows a page is asked for with the `next` it tells.
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

        // MARK: Changing

        /// Stores bytes of a media type.
        ///
        /// They are kept for `lifetime`, from 1 s to 3650 days and never longer than the namespace's own `ttl`; without
        /// one, for that long.
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

        /// Stores a value as JSON, its members in the order of their names.
        ///
        /// Dates become text as in ISO 8601, to the millisecond.
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

        /// Removes all entries; returns how many there were.
        @concurrent
        @discardableResult
        public func clear() async throws(CorewireError) -> Int {
            let request = StateNamespaceName(name)
            return try await corewire.perform(StateCalls.clear, request, in: .state).removed
        }

        // MARK: Watching

        /// What changes from now on, or has changed since a version, by whomever.
        ///
        /// Where it begins is decided here: what is read after this returns, and then watched, leaves nothing out.
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
            return try await ask { service throws(StateFailure) in try service.watch(name, after: version) }
        }
    }
}

extension Area {
    static let state = Area(section: PersistenceSection.name, help: "add the section 'persistence' to store values")
}
