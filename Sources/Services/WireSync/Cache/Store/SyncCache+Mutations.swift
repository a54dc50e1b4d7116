import Synchronization
import WireConfig
import WireGraphQL
import WireStore

/// The reads and writes of queued mutations.
extension SyncCache {
    func keyFields(of type: String) -> [String] { state.withLock { $0.rules.keyFields(of: type) } }

    /// A value with real ids in place of temporary ones.
    func resolved(_ value: JSONValue) -> JSONValue { state.withLock { $0.aliases }(value) }

    func resolved(_ question: CacheQuestion) -> CacheQuestion { question.resolved(state.withLock { $0.aliases }) }

    /// A record as seen through the layers; nil where it is unknown or deleted.
    func seen(_ key: RecordKey) throws(StoreFailure) -> CacheRecord? {
        let loader = RecordLoader(self, try reload())
        let lookup = loader.record(key)
        if let failure = loader.failure { throw failure }
        if case .found(let record) = lookup { return record }
        return nil
    }

    /// The expected data of a mutation for an object with some changes; nil where not all of it is known.
    func expected(
        _ mutation: CacheQuestion,
        of form: MutationForm,
        _ target: RecordKey,
        over changes: [LayerChange]
    ) throws(StoreFailure) -> JSONValue? {
        let look = try reload()
        var layers = look.known.layers
        let plan = mutation.plan(look.known.rules)
        guard
            let field = plan.fields(of: plan.root, type: plan.rootType).fields.first(where: {
                $0.response == form.member
            })
        else { return nil }
        let reference = CachedField(.reference(target), at: CachedField.ageless)
        let root = CacheRecord(type: plan.rootType, fields: [field.key: reference])
        layers.set(OptimisticLayer("expected", changes + [.fields(RecordKey.mutation.holder(of: field.key), root)]))
        let loader = RecordLoader(self, look, layers)
        let answer = try? Denormalizer.answer(to: plan, from: loader)
        if let failure = loader.failure { throw failure }
        return answer?.data
    }

    /// Stores an object that the server has sent without a request.
    @discardableResult
    func store(_ values: JSONValue, of key: RecordKey, _ type: String) async throws(StoreFailure) -> Set<RecordKey> {
        let schema = state.withLock { $0.rules.schema }
        let moment = Moment(position: 0, time: settings.now())
        let definition = schema?.type(type)
        var record = CacheRecord(type: type)
        for (name, value) in values.members ?? [] {
            guard let field = definition?.field(name), schema?.type(field.type.name)?.isLeaf == true else { continue }
            record.fields[name] = CachedField(.scalar(value), at: moment)
        }
        return record.fields.isEmpty ? [] : try await change(RecordWrite([key: record])).records
    }
}
