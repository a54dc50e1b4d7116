import WireConfig
import WireSync
import WireSyncContract

extension Corewire.Sync {
    /// The results of a declared query, now and whenever its data changes.
    ///
    /// ```swift
    /// for try await update in try corewire.sync.watch(GraphQL.AllTasksQuery()) {
    ///     if case .answer(let answer) = update { show(answer.data?.findTasks.items ?? []) }
    /// }
    /// ```
    public func watch<Operation: Corewire.SyncOperation>(
        _ operation: Operation,
        policy: Corewire.SyncPolicy? = nil
    ) throws(CorewireError) -> Corewire.SyncUpdates<Operation.Data> {
        try watch(Operation.name, variables: operation.variables, as: Operation.Data.self, policy: policy)
    }

    /// The results of a declared query by name; `variables` is any value that encodes as a JSON object.
    public func watch<Variables: Encodable & Sendable, Value: Decodable & Sendable>(
        _ name: String,
        variables: Variables = [:] as [String: String],
        as type: Value.Type,
        policy: Corewire.SyncPolicy? = nil
    ) throws(CorewireError) -> Corewire.SyncUpdates<Value> {
        Corewire.SyncUpdates(
            corewire: corewire,
            name: name,
            variables: try Self.variables(variables),
            policy: policy?.policy
        )
    }

    /// The messages of a declared subscription.
    ///
    /// ```swift
    /// for try await message in try corewire.sync.subscribe(GraphQL.NewTaskSubscription()) {
    ///     if case .next(let answer) = message, let task = answer.data?.newTask { print(task.title) }
    /// }
    /// ```
    public func subscribe<Operation: Corewire.SyncOperation>(_ operation: Operation) throws(CorewireError)
        -> Corewire.SyncMessages<Operation.Data>
    {
        try subscribe(Operation.name, variables: operation.variables, as: Operation.Data.self)
    }

    /// The messages of a declared subscription by name; `variables` is any value that encodes as a JSON object.
    public func subscribe<Variables: Encodable & Sendable, Value: Decodable & Sendable>(
        _ name: String,
        variables: Variables = [:] as [String: String],
        as type: Value.Type
    ) throws(CorewireError) -> Corewire.SyncMessages<Value> {
        Corewire.SyncMessages(corewire: corewire, name: name, variables: try Self.variables(variables))
    }

    static func result<Value: Decodable>(_ answer: SyncAnswer) throws(CorewireError) -> Corewire.SyncResult<Value> {
        guard let data = answer.data, data.members != nil else { return Corewire.SyncResult(answer, data: nil) }
        do throws(CorewireError) {
            let value = try CodedJSON.value(of: data.bytes(), as: Value.self, named: "the data of the response")
            return Corewire.SyncResult(answer, data: value)
        } catch {
            var error = error
            error.help = "run 'corewire sync generate swift' after a change of the schema or of the operations"
            throw error
        }
    }

    /// The variables of an operation; nil where it has none.
    static func variables(_ variables: some Encodable) throws(CorewireError) -> JSONValue? {
        let json = try CodedJSON.object(of: variables, named: "variables")
        return json.members?.isEmpty == true ? nil : json
    }
}
