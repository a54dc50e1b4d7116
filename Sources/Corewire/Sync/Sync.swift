import WireBase
import WireConfig
import WireHTTP
import WireSync
import WireSyncContract

extension Corewire {
    /// GraphQL data: the section `sync`, as in the local API.
    ///
    /// Uses the current generation, so it stays valid across reloads and switches.
    public var sync: Sync { Sync(corewire: self) }

    /// Queries and changes GraphQL data, with a cache.
    ///
    /// ```swift
    /// // corewire sync generate swift --output Sources/App
    /// let open = try await corewire.sync.query(GraphQL.TasksQuery(status: .open))
    /// for task in open.data?.tasks ?? [] { print(task.title) }
    /// ```
    public struct Sync: Sendable {
        let corewire: Corewire

        /// Runs a declared query.
        @concurrent
        public func query<Operation: SyncOperation>(
            _ operation: Operation,
            policy: SyncPolicy? = nil
        ) async throws(CorewireError) -> SyncResult<Operation.Data> {
            try await query(Operation.name, variables: operation.variables, as: Operation.Data.self, policy: policy)
        }

        /// Runs a declared query by name; `variables` is any value that encodes as a JSON object.
        @concurrent
        public func query<Variables: Encodable & Sendable, Value: Decodable & Sendable>(
            _ name: String,
            variables: Variables = [:] as [String: String],
            as type: Value.Type,
            policy: SyncPolicy? = nil
        ) async throws(CorewireError) -> SyncResult<Value> {
            var query = SyncQuery(operation: name, variables: try Self.variables(variables))
            query.policy = policy?.policy
            return try Self.result(try await corewire.perform(SyncCalls.query, query, in: .sync))
        }

        /// Runs a declared mutation at the server.
        @concurrent
        public func mutate<Operation: SyncOperation>(_ operation: Operation) async throws(CorewireError)
            -> SyncResult<Operation.Data>
        {
            try await mutate(Operation.name, variables: operation.variables, as: Operation.Data.self)
        }

        /// Runs a declared mutation by name; `variables` is any value that encodes as a JSON object.
        @concurrent
        public func mutate<Variables: Encodable & Sendable, Value: Decodable & Sendable>(
            _ name: String,
            variables: Variables = [:] as [String: String],
            as type: Value.Type
        ) async throws(CorewireError) -> SyncResult<Value> {
            let mutation = SyncMutation(operation: name, variables: try Self.variables(variables))
            return try Self.result(try await corewire.perform(SyncCalls.mutate, mutation, in: .sync))
        }

        /// Runs a declared query again, ignoring the cache; returns whether the result has changed.
        @concurrent
        @discardableResult
        public func refetch(_ operation: some SyncOperation) async throws(CorewireError) -> Bool {
            try await refetch(type(of: operation).name, variables: operation.variables)
        }

        /// Runs a declared query again, by its name.
        @concurrent
        @discardableResult
        public func refetch<Variables: Encodable & Sendable>(
            _ name: String,
            variables: Variables = [:] as [String: String]
        ) async throws(CorewireError) -> Bool {
            let asked = SyncRefetch(name, variables: try Self.variables(variables))
            return try await corewire.perform(SyncCalls.refetch, asked, in: .sync).isChanged
        }
    }
}

extension Area {
    static let sync = Area(section: SyncSection.name, help: "add the section 'sync' with the address of the server")
}
