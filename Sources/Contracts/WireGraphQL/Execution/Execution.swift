import WireBase
import WireConfig

/// The state of executing one operation.
final class Execution {
    let schema: Schema
    let resolver: any FieldResolver
    let fragments: [String: Syntax.Fragment]
    let variables: [String: JSONValue]
    private let limits: ExecutionLimits
    private let work: ResolverWork
    private var errors: [ExecutionError] = []
    /// Why the execution has ended early.
    private var ending: ExecutionError?
    /// The position in the response.
    private var path: [PathStep] = []
    private var resolved = 0
    private var read = 0
    private var depth = 0

    /// Thrown where a value is missing; its reason is among the errors.
    struct Stopped: Error {}

    init(_ executor: Executor, _ fragments: [String: Syntax.Fragment], _ variables: [String: JSONValue]) {
        schema = executor.schema
        resolver = executor.resolver
        limits = executor.limits
        work = ResolverWork(limit: limits.work)
        self.fragments = fragments
        self.variables = variables
    }

    func run(_ operation: Syntax.Operation, on type: Schema.NamedType, _ root: JSONValue) async -> ExecutionResult {
        do throws(Stopped) {
            let groups = try collect([operation.selections], on: type)
            let data = try await object(.json(root), type, groups)
            return ExecutionResult(data: data, errors: errors)
        } catch {
            return ExecutionResult(data: .null, errors: ending.map { [$0] } ?? errors)
        }
    }

    /// The events of a subscription's only field.
    func source(of operation: Syntax.Operation, on type: Schema.NamedType) async
        -> Result<AsyncThrowingStream<JSONValue, any Error>, ExecutionError>
    {
        do throws(Stopped) {
            let groups = try collect([operation.selections], on: type)
            guard groups.count == 1, let group = groups.first else {
                throw fail("expected one field of the subscription, found \(groups.count)", at: [operation.place])
            }
            path.append(.name(group.name))
            let call = FieldCall(
                parent: .object([]),
                type: type.name,
                field: group.definition.name,
                responseName: group.name,
                arguments: try arguments(of: group),
                work: work
            )
            do { return .success(try await resolver.events(of: call)) } catch { throw fail(error, group) }
        } catch {
            return .failure(ending ?? errors.first ?? ExecutionError("the subscription failed"))
        }
    }

    // MARK: Fields

    private func object(_ parent: Resolved, _ type: Schema.NamedType, _ groups: [FieldGroup]) async throws(Stopped)
        -> JSONValue
    {
        depth += 1
        defer { depth -= 1 }
        guard depth <= limits.depth else { throw end("the response is deeper than \(limits.depth) levels") }
        var members: [(key: String, value: JSONValue)] = []
        members.reserveCapacity(groups.count)
        for group in groups {
            let definition = group.definition.type
            let value = try await settled(.name(group.name), definition) { execution throws(Stopped) in
                let value = try await execution.resolve(group, of: parent, type)
                return try await execution.complete(value, as: definition, group)
            }
            members.append((group.name, value))
        }
        return .object(members)
    }

    /// Completes a member or item; null where it fails and is nullable.
    private func settled(
        _ step: PathStep,
        _ type: Schema.TypeReference,
        _ value: (Execution) async throws(Stopped) -> JSONValue
    ) async throws(Stopped) -> JSONValue {
        path.append(step)
        defer { path.removeLast() }
        do throws(Stopped) {
            return try await value(self)
        } catch {
            guard !type.isNonNull, ending == nil else { throw error }
            return .null
        }
    }

    private func resolve(_ group: FieldGroup, of parent: Resolved, _ type: Schema.NamedType) async throws(Stopped)
        -> Resolved
    {
        try countField()
        let name = group.definition.name
        if name == MetaField.typeName { return .json(.string(type.name)) }
        let arguments = try arguments(of: group)
        guard case .json(let parent) = parent else {
            return parent.part.map { $0.value(of: name, arguments, schema) } ?? .json(.null)
        }
        if let part = MetaField.part(name, arguments, schema, ofRoot: type.name) { return part }
        let call = FieldCall(
            parent: parent,
            type: type.name,
            field: name,
            responseName: group.name,
            arguments: arguments,
            work: work
        )
        do {
            return .json(try await resolver.value(of: call) ?? parent[name] ?? .null)
        } catch { throw fail(error, group) }
    }

    private func arguments(of group: FieldGroup) throws(Stopped) -> JSONValue {
        if let known = group.arguments { return known }
        var coercion = InputCoercion(schema, variables: variables)
        let arguments = coercion.arguments(group.fields.first?.arguments ?? [], of: group.definition.arguments)
        guard let arguments else {
            let problem = coercion.problems.first
            throw fail(
                "the argument '\(problem?.path.text ?? "")': \(problem?.message ?? "not valid")",
                at: group.fields.prefix(1).map(\.place)
            )
        }
        group.arguments = arguments
        return arguments
    }

    // MARK: Values

    private func complete(_ value: Resolved, as type: Schema.TypeReference, _ group: FieldGroup) async throws(Stopped)
        -> JSONValue
    {
        switch type {
        case .nonNull(let inner):
            let completed = try await complete(value, as: inner, group)
            guard case .null = completed else { return completed }
            throw fail("the value cannot be null", group)
        case _ where value.isNull: return .null
        case .list(let inner): return try await list(value, of: inner, group)
        case .named(let name):
            guard let named = schema.type(name) else { throw fail("unknown type '\(name)'", group) }
            return named.isLeaf ? try leaf(value, named, group) : try await composite(value, named, group)
        }
    }

    private func list(_ value: Resolved, of type: Schema.TypeReference, _ group: FieldGroup) async throws(Stopped)
        -> JSONValue
    {
        guard let items = value.items else { throw fail("expected a list, found \(value.found)", group) }
        guard items.count <= limits.items else {
            throw fail("the list has more than \(limits.items) items", group)
        }
        var completed: [JSONValue] = []
        completed.reserveCapacity(items.count)
        for (index, item) in items.enumerated() {
            let value = try await settled(.index(index), type) { execution throws(Stopped) in
                try execution.countField()
                return try await execution.complete(item, as: type, group)
            }
            completed.append(value)
        }
        return .array(completed)
    }

    private func leaf(_ value: Resolved, _ type: Schema.NamedType, _ group: FieldGroup) throws(Stopped) -> JSONValue {
        guard case .json(let json) = value else { throw fail("expected '\(type.name)', found an object", group) }
        if type.kind == .scalar, let result = Scalars.result(json, as: type.name) { return result }
        if type.kind == .enumeration, let word = json.string, type.value(word) != nil { return json }
        throw fail("expected '\(type.name)', found \(json.found)", group)
    }

    private func composite(_ value: Resolved, _ type: Schema.NamedType, _ group: FieldGroup) async throws(Stopped)
        -> JSONValue
    {
        guard value.isObject else { throw fail("expected '\(type.name)', found \(value.found)", group) }
        let object = try self.objectType(of: value, type, group)
        let inner: [FieldGroup]
        if let known = group.inner[object.name] {
            inner = known
        } else {
            inner = try collect(group.fields.compactMap(\.selections), on: object)
            group.inner[object.name] = inner
        }
        return try await self.object(value, object, inner)
    }

    private func objectType(of value: Resolved, _ type: Schema.NamedType, _ group: FieldGroup) throws(Stopped)
        -> Schema.NamedType
    {
        guard type.kind != .object else { return type }
        guard case .json(let json) = value, let name = json["__typename"]?.string else {
            throw fail("an object of '\(type.name)' has no '__typename'", group)
        }
        guard schema.isPossible(name, in: type.name), let object = schema.type(name), object.kind == .object else {
            throw fail("'\(name)' cannot be an object of '\(type.name)'", group)
        }
        return object
    }

    // MARK: Errors and limits

    private func fail(_ message: String, _ group: FieldGroup) -> Stopped {
        fail(message, at: group.fields.prefix(1).map(\.place))
    }

    private func fail(_ error: any Error, _ group: FieldGroup) -> Stopped {
        switch error as? ResolverWork.Ended {
        case .tooMuch(let limit): return end("the operation examines more than \(limit) objects and values")
        case .cancelled: return end("the request was cancelled")
        case nil: break
        }
        let known = error as? ResolverError
        return fail(
            known?.message ?? "the field cannot be resolved",
            at: group.fields.prefix(1).map(\.place),
            known?.extensions
        )
    }

    func fail(_ message: String, at places: [SourceRange], _ extensions: JSONValue? = nil) -> Stopped {
        if errors.count < limits.errors {
            errors.append(ExecutionError(message, at: places, path: path, extensions: extensions))
        }
        return Stopped()
    }

    private func end(_ message: String) -> Stopped {
        if ending == nil { ending = ExecutionError(message, path: path) }
        return Stopped()
    }

    private func countField() throws(Stopped) {
        resolved += 1
        guard resolved <= limits.fields else { throw end("the response has more than \(limits.fields) fields") }
        if resolved % 256 == 0, Task.isCancelled { throw end("the request was cancelled") }
    }

    func countSelection() throws(Stopped) {
        read += 1
        guard read <= limits.fields else { throw end("more than \(limits.fields) selections were read") }
    }
}
