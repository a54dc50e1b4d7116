import WireBackends
import Synchronization
import WireBase
import WireConfig
import WireGraphQL
import WireStore

/// The objects of the models of an environment: read once, kept in memory, and stored before a change is confirmed.
final class ModelStore: Sendable {
    private struct State {
        var data = ModelData([:])
        var models: [String: Model] = [:]
        var isLoaded = false
        /// The time of the last change or read of changes; each is unique.
        var last: Int64 = 0
        /// The time of the change that is being stored, which no read of changes includes yet.
        var underWay: Int64?
        var subscribers: [Int: Subscriber] = [:]
        var number = 0
    }

    private struct Subscriber: Sendable {
        let kind: ModelChange
        let type: String
        let filter: ModelFilter?
        let stream: AsyncThrowingStream<JSONValue, any Error>.Continuation
    }

    private let state = Mutex(State())
    private let records: BackendRecords<GraphQLTables>
    private let machine: SystemServices
    /// Serializes changes: ``create(_:_:request:)`` and the like are called within `line.alone`.
    let line = AsyncMutex()

    init(_ records: BackendRecords<GraphQLTables>, _ machine: SystemServices) {
        (self.records, self.machine) = (records, machine)
    }

    var data: ModelData { state.withLock { $0.data } }

    // MARK: Loading

    /// Applies models and the objects of the file; objects that came from the file follow it, other objects stay.
    func update(_ models: [String: Model], _ seeds: [GraphQLSeed]) async throws {
        try await line.alone {
            try await load(models)
            try await forgetDeleted()
            for seed in seeds {
                let known = data.find(seed.id, of: seed.type)
                if let known, known.seed == seed.digest { continue }
                var object =
                    known ?? ModelObject(type: seed.type, id: seed.id, values: seed.values, created: moment())
                if known != nil { object.change(to: seed.values, at: moment()) }
                object.seed = seed.digest
                try await keep(object, known == nil ? .new : .updated)
            }
            let named = Set(seeds.map { "\($0.type)/\($0.id)" })
            let gone = models.keys.sorted().flatMap { data.present(of: $0) }
                .filter { $0.seed != nil && !named.contains("\($0.type)/\($0.id)") }
            let goneKeys = Set(gone.map(Self.key))
            for object in gone
            where data.objects(needing: object).allSatisfy({ goneKeys.contains(Self.key($0)) }) {
                var object = object
                object.seed = nil
                object.change(to: object.values, isDeleted: true, at: moment())
                try await keep(object, .deleted)
            }
        }
    }

    /// Reads all objects, including those of types without a model, which reappear with their model.
    private func load(_ models: [String: Model]) async throws {
        var data = ModelData(models)
        var last = state.withLock { $0.last }
        if state.withLock({ $0.isLoaded }) {
            let former = self.data
            for type in former.objects.keys.sorted() { former.all(of: type).forEach { data.put($0) } }
        } else {
            let kept = try await records.all(on: .objects).compactMap { ModelObject(kept: $0) }
            for object in kept.sorted(by: { $0.created < $1.created }) {
                data.put(object)
                last = max(last, object.created, object.updated)
            }
        }
        state.withLock { state in
            (state.data, state.models, state.isLoaded) = (data, models, true)
            state.last = max(state.last, last)
        }
    }

    /// Deletes tombstones older than the model's retention.
    private func forgetDeleted() async throws {
        let (data, models) = state.withLock { ($0.data, $0.models) }
        for (type, model) in models {
            let ttl = Int64(model.sync?.ttl ?? Model.Sync.defaultTTL) * 1_000
            // Tombstones of objects from the file stay, or the file would restore these objects.
            for object in data.all(of: type)
            where object.isDeleted && object.seed == nil && machine.now - object.updated > ttl {
                try await records.remove(Self.key(object), on: .objects)
                state.withLock { $0.data.remove(object) }
            }
        }
    }

    // MARK: Changes

    /// Creates an object from the values of the create input.
    func create(_ model: Model, _ input: JSONValue, request: String?) async throws -> ModelObject {
        if let request, let known = data.object(changedBy: request) { return known }
        if let id = input[model.key]?.string {
            guard HaloModule.isID(id) else {
                throw ResolverError.input("'\(model.key)': expected 1 to 64 letters, digits, '-' and '_'")
            }
            guard data.find(id, of: model.name) == nil else {
                throw ResolverError("the \(model.name) '\(id)' exists already", extensions: .code("ALREADY_EXISTS"))
            }
        }
        try checkLinks(model, input)
        var moment = moment()
        // A caller may have chosen such an id.
        while data.find(String(moment, radix: 36), of: model.name) != nil { moment = self.moment() }
        // Times are unique, so ids sort in the order of creation.
        let id = input[model.key]?.string ?? String(moment, radix: 36)
        let given = input.merging([(model.key, .string(id))])
        let values = model.stored.map { (key: $0.name, value: given[$0.name] ?? .null) }
        var object = ModelObject(type: model.name, id: id, values: .object(values), created: moment)
        object.record(request)
        try await keep(object, .new)
        return object
    }

    /// Changes the fields that the input has.
    func update(_ model: Model, _ input: JSONValue, request: String?) async throws -> ModelObject {
        if let request, let known = data.object(changedBy: request) { return known }
        var object = try find(model, input)
        let client = JSONValue.object((input.members ?? []).filter { $0.key != "_version" })
        for (name, type) in model.stored where type.isNonNull && client[name]?.isNull == true {
            throw ResolverError.input("'\(name)': expected '\(type)', found null")
        }
        try checkLinks(model, client)
        var values = object.values.merging(client.members ?? [])
        if let sync = model.sync, let version = input["_version"]?.integer, version != object.version {
            let conflict = ModelConflict(object: object, client: client, version: version, isDeletion: false)
            values = try conflict.resolved(by: sync.strategy).values
        }
        object.change(to: values, at: moment())
        object.record(request)
        try await keep(object, .updated)
        return object
    }

    /// Deletes the object that the input names.
    func delete(_ model: Model, _ input: JSONValue, request: String?) async throws -> ModelObject {
        if let request, let known = data.object(changedBy: request) { return known }
        var object = try find(model, input)
        if let sync = model.sync, let version = input["_version"]?.integer, version != object.version {
            let client = JSONValue.object((input.members ?? []).filter { $0.key != "_version" })
            let conflict = ModelConflict(object: object, client: client, version: version, isDeletion: true)
            _ = try conflict.resolved(by: sync.strategy)
        }
        if let other = data.objects(needing: object).first(where: { $0.id != object.id || $0.type != object.type }) {
            let message = "the \(model.name) '\(object.id)' is needed by the \(other.type) '\(other.id)'"
            throw ResolverError(message, extensions: .code("NEEDED"))
        }
        object.change(to: object.values, isDeleted: true, at: moment())
        object.record(request)
        try await keep(object, .deleted)
        return object
    }

    /// Returns the object to change; of synchronized models also a deleted one, which is a conflict.
    private func find(_ model: Model, _ input: JSONValue) throws(ResolverError) -> ModelObject {
        let id = input[model.key]?.string ?? ""
        guard let object = data.find(id, of: model.name),
            !object.isDeleted || model.sync != nil && input["_version"]?.integer != object.version
        else { throw .missing(model.name, id) }
        return object
    }

    private func checkLinks(_ model: Model, _ values: JSONValue) throws(ResolverError) {
        let data = data
        for field in model.fields {
            guard case .one(let other, let key) = field.kind, let id = values[key]?.string else { continue }
            if data.find(id, of: other).map({ $0.isDeleted }) ?? true {
                throw .input("'\(key)': unknown \(other) '\(id)'")
            }
        }
    }

    private func moment() -> Int64 {
        let now = machine.now
        return state.withLock { state in
            state.last = max(now, state.last + 1)
            state.underWay = state.last
            return state.last
        }
    }

    private func keep(_ object: ModelObject, _ kind: ModelChange) async throws {
        defer { state.withLock { $0.underWay = nil } }
        do throws(StoreFailure) {
            try await records.put(object.kept, Self.key(object), on: .objects)
        } catch {
            guard error.kind == .full else { throw error }
            throw ResolverError("the store of objects is full", extensions: .code("FULL"))
        }
        let listeners = state.withLock { state in
            state.data.put(object)
            return state.subscribers.values.filter { $0.kind == kind && $0.type == object.type }
        }
        let event = JSONValue.members(["\(kind.rawValue)\(object.type)": object.json])
        for listener in listeners {
            do throws(ResolverWork.Ended) {
                let work = ResolverWork(limit: ModelFilter.eventLimit)
                guard try listener.filter?.fits(object, work) ?? true else { continue }
            } catch {
                listener.stream.finish(throwing: ResolverError("the filter needs too many comparisons for events"))
                continue
            }
            if case .dropped = listener.stream.yield(event) {
                listener.stream.finish(throwing: ResolverError("the subscriber read the events too slowly"))
            }
        }
    }

    private static func key(_ object: ModelObject) -> String { "\(object.type).\(object.id)" }

    // MARK: Reading

    /// Returns the objects changed after a time, including deleted ones, in the order of the changes; and the time up
    /// to which the list is complete.
    func changes(of type: String, since moment: Int64) -> (objects: [ModelObject], until: Int64) {
        let now = machine.now
        let (data, until) = state.withLock { state in
            if let underWay = state.underWay { return (state.data, underWay - 1) }
            state.last = max(now, state.last)
            return (state.data, state.last)
        }
        return (data.all(of: type).filter { $0.updated > moment }.sorted { $0.updated < $1.updated }, until)
    }

    /// Streams changes of one kind until the subscriber disconnects or reads too slowly.
    func events(_ kind: ModelChange, of type: String, _ filter: ModelFilter?) -> AsyncThrowingStream<
        JSONValue, any Error
    > {
        let (events, stream) = AsyncThrowingStream.makeStream(
            of: JSONValue.self,
            bufferingPolicy: .bufferingOldest(1_000)
        )
        let number = state.withLock { state in
            state.number += 1
            state.subscribers[state.number] = Subscriber(kind: kind, type: type, filter: filter, stream: stream)
            return state.number
        }
        stream.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.subscribers.removeValue(forKey: number) }
        }
        return events
    }
}

enum GraphQLTables: String, RecordTable {
    case objects, answers

    var path: String { "graphql/\(rawValue)" }
    var limit: Int { self == .objects ? 50_000 : 1_000 }
    var forgets: Bool { self == .answers }
}

extension ResolverError {
    static func input(_ message: String) -> Self { Self(message, extensions: .code("BAD_USER_INPUT")) }

    static func missing(_ type: String, _ id: String) -> Self {
        Self("unknown \(type) '\(id)'", extensions: .code("NOT_FOUND"))
    }
}

extension JSONValue {
    /// The extensions of an error with a code.
    static func code(_ code: String) -> Self { .members(["code": .string(code)]) }
}
