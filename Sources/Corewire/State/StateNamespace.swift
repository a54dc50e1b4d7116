import WireBase
import WireHTTP
import WirePersistence
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
        public func get(_ key: String) async throws(StateError) -> StateEntry? {
            let name = name
            let entry = try await corewire.ask { service throws(StateFailure) in try service.get(key, in: name) }
            return entry.map(StateEntry.init)
        }

        /// The value under a key, read from JSON; nil where there is none.
        ///
        /// Dates are text as in ISO 8601.
        public func get<Value: Decodable>(_ key: String, as type: Value.Type = Value.self) async throws(StateError)
            -> Value?
        {
            try await get(key)?.json(as: type)
        }

        /// What is known about an entry, without its value; nil where there is none.
        @concurrent
        public func summary(of key: String) async throws(StateError) -> StateSummary? {
            let name = name
            let found = try await corewire.ask { service throws(StateFailure) in try service.summary(of: key, in: name)
            }
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
        ) async throws(StateError) -> StateList<StateSummary> {
            let (name, page) = (name, try StatePage.asked(prefix, key, limit))
            let found = try await corewire.ask { service throws(StateFailure) in try service.list(name, page) }
            let entries = found.entries.map(StateSummary.init)
            return StateList(elements: entries, next: found.isMore ? entries.last?.key : nil)
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
        ) async throws(StateError) -> StateReceipt {
            guard type.utf8.count <= 255, MediaType(parsing: type) != nil else {
                throw StateError(.badType, "found \(type.quoted), expected a media type such as text/plain")
            }
            let (name, condition) = (name, condition.store)
            let receipt = try await corewire.ask { service async throws(StateFailure) in
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
        ) async throws(StateError) -> StateReceipt {
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
        ) async throws(StateError) -> StateReceipt {
            let bytes = try StateJSON.bytes(of: value, for: key)
            return try await put(bytes: bytes, type: "application/json", under: key, for: lifetime, if: condition)
        }

        /// Removes an entry; returns whether there was one.
        @concurrent
        @discardableResult
        public func delete(_ key: String, if condition: StateCondition = .always) async throws(StateError) -> Bool {
            let (name, condition) = (name, condition.store)
            return try await corewire.ask { service async throws(StateFailure) in
                try await service.remove(key, in: name, if: condition)
            }
        }

        /// Removes all entries; returns how many there were.
        @concurrent
        @discardableResult
        public func clear() async throws(StateError) -> Int {
            let name = name
            return try await corewire.ask { service async throws(StateFailure) in try await service.clear(name) }
        }

        // MARK: Watching

        /// What changes from now on, or has changed since a version, by whomever.
        ///
        /// Where it begins is decided here: what is read after this returns, and then watched, leaves nothing out.
        @concurrent
        public func changes(after version: StateVersion? = nil) async throws(StateError) -> StateChanges {
            StateChanges(self, try await watch(after: version?.number))
        }

        func watch(after version: Int64?) async throws(StateError) -> StateWatch {
            let name = name
            return try await corewire.ask { service throws(StateFailure) in try service.watch(name, after: version) }
        }
    }
}
