import WireBase
package import WireConfig
import WireGraphQL

/// A place of the section with an invalid operation name.
package struct OperationUse: Sendable {
    package let place: Place
    package let path: String
    package let message: String
    package let help: String?
}

extension SyncDocuments {
    /// The problems with operations named in the section.
    ///
    /// Where an operation file cannot be read, its operations are unknown and nothing is reported.
    package func uses(in settings: SyncSection) -> [OperationUse] {
        guard !findings.contains(where: { $0.rule == .syntax }) else { return [] }
        let keyFields = settings.cache.keyFields.items.map { ($0.name, $0.value.map(\.text)) }
        var check = OperationUseCheck(
            documents: self,
            hasUsers: settings.authenticated,
            keyFields: Dictionary(keyFields) { _, last in last }
        )
        for item in settings.mutations.items { check.adds(of: item) }
        for item in settings.subscriptions.items { check.subscription(item) }
        for item in settings.delta.items { check.delta(item) }
        return check.uses
    }
}

/// Checks the operations named in the section against the files.
private struct OperationUseCheck {
    let documents: SyncDocuments
    let hasUsers: Bool
    let keyFields: [String: [String]]
    var uses: [OperationUse] = []

    // MARK: Mutations

    mutating func adds(of item: Named<MutationRules>.Item) {
        let path = "sync.mutations.\(item.name).adds"
        let types = documents.operations[item.name].flatMap(objectTypes)
        for name in item.value.adds {
            guard let query = operation(name.text, .query, at: item.value.$adds, path) else { continue }
            lists(of: query, types, at: item.value.$adds, path)
        }
    }

    /// The types of the objects in an operation's answer; nil without a schema.
    private func objectTypes(of operation: DeclaredOperation) -> Set<String>? {
        guard let schema = documents.schema, let root = schema.root(of: operation.kind).flatMap(schema.type) else {
            return nil
        }
        let told = rootFields(operation).compactMap { root.field($0.name.text)?.type.name }
        return Set(told.flatMap { name in [name] + (schema.type(name)?.fields.map(\.type.name) ?? []) })
    }

    private func rootFields(_ operation: DeclaredOperation) -> [Syntax.Field] {
        operation.operation.selections.selections.compactMap { if case .field(let field) = $0 { field } else { nil } }
    }

    /// Checks that a query that shows new objects has a list of their type, or a page with one.
    private mutating func lists(
        of query: DeclaredOperation,
        _ types: Set<String>?,
        at place: Place,
        _ path: String
    ) {
        guard let schema = documents.schema, let types, let root = schema.root(of: .query).flatMap(schema.type) else {
            return
        }
        func items(_ type: Schema.TypeReference) -> String? {
            if case .list(let item) = type.nullable { item.name } else { nil }
        }
        let fields = rootFields(query).compactMap { root.field($0.name.text)?.type }
        let found = fields.flatMap { type in
            [items(type)] + (items(type) == nil ? schema.type(type.name)?.fields.map { items($0.type) } ?? [] : [])
        }.compactMap { $0 }
        let fits = found.contains { item in
            types.contains { $0 == item || schema.isPossible($0, in: item) }
        }
        guard !fits, !types.isEmpty else { return }
        let all = types.filter { schema.type($0)?.kind == .object }.sorted()
        let missing = all.isEmpty ? "objects that the mutation returns" : all.listed()
        report(place, path, "the query '\(query.name)' has no list of \(missing)", help: nil)
    }

    // MARK: Subscriptions

    mutating func subscription(_ item: Named<DeclaredSubscription>.Item) {
        let (rules, path) = (item.value, "sync.subscriptions.\(item.name)")
        let isNamed = rules.operation != nil
        let place = isNamed ? rules.$operation : item.namePlace
        let name = rules.operation?.text ?? item.name
        guard let operation = operation(name, .subscription, at: place, isNamed ? "\(path).operation" : path) else {
            return
        }
        let wholePlace = rules.$variables.isWritten ? rules.$variables : place
        variables(rules.variables, of: operation, at: wholePlace, "\(path).variables", data: [])
        let responses = rootFields(operation).map(\.responseName)
        for query in rules.refetch?.queries ?? [] {
            let path = "\(path).refetch"
            guard let found = self.operation(query.name, .query, at: query.place, path) else { continue }
            variables(query.variables, of: found, at: query.place, "\(path).\(query.name)", data: responses)
        }
        if let notification = rules.notification?.text.split(separator: ".").first.map(String.init),
            !responses.contains(notification), responses.count == rootCount(operation)
        {
            report(
                rules.$notification,
                "\(path).notification",
                "the subscription '\(name)' has no field '\(notification)'",
                help: nearest(notification, among: responses)
            )
        }
    }

    private func rootCount(_ operation: DeclaredOperation) -> Int { operation.operation.selections.selections.count }

    // MARK: Delta queries

    mutating func delta(_ item: Named<DeltaRules>.Item) {
        let (rules, path) = (item.value, "sync.delta.\(item.name)")
        guard let query = operation(rules.query.text, .query, at: rules.$query, "\(path).query") else { return }
        if let schema = documents.schema, schema.type(item.name)?.kind != .object {
            let known = schema.types.values.filter { $0.kind == .object }.map(\.name).sorted()
            report(
                item.namePlace,
                path,
                "the schema has no object type '\(item.name)'",
                help: nearest(item.name, among: known)
            )
            return
        }
        guard let form = DeltaForm(query.operation) else {
            let message = "'\(query.name)' is not a delta query"
            return report(rules.$query, "\(path).query", message, help: "such as '\(DeltaForm.example)'")
        }
        let missing = (keyFields[item.name] ?? ["id"]).filter { !form.selected.contains($0) }
        if !missing.isEmpty {
            let message = "'\(query.name)' does not select \(missing.listed("and")), which identify an object"
            report(rules.$query, "\(path).query", message, help: nil)
        }
        var given = rules.variables.map { JSONValue($0.literal).members ?? [] } ?? []
        given.append((DeltaForm.variable, .integer(0)))
        let place = rules.$variables.isWritten ? rules.$variables : rules.$query
        members(given, of: query, at: place, "\(path).variables", data: [])
        for name in rules.adds {
            guard let list = operation(name.text, .query, at: rules.$adds, "\(path).adds") else { continue }
            variables(nil, of: list, at: rules.$adds, "\(path).adds", data: [])
            lists(of: list, documents.schema == nil ? nil : [item.name], at: rules.$adds, "\(path).adds")
        }
    }

    // MARK: Parts

    private mutating func operation(
        _ name: String,
        _ kind: OperationKind,
        at place: Place,
        _ path: String
    ) -> DeclaredOperation? {
        guard let found = documents.operations[name] else {
            let fitting = documents.operations.names.filter { documents.operations[$0]?.kind == kind }
            report(
                place,
                path,
                "unknown \(kind.rawValue) '\(name)'",
                help: nearest(name, among: fitting) ?? "declare it in a file of 'sync.operations'"
            )
            return nil
        }
        guard found.kind == kind else {
            report(place, path, "'\(name)' is a \(found.kind.rawValue), expected a \(kind.rawValue)", help: nil)
            return nil
        }
        return found
    }

    private mutating func variables(
        _ given: FreeValue?,
        of operation: DeclaredOperation,
        at place: Place,
        _ path: String,
        data: [String]
    ) {
        guard let given else { return members([], of: operation, at: place, path, data: data) }
        let json = JSONValue(given.literal)
        // A query without variables may be written as 'AllTasks:' without a value.
        if case .null = json { return members([], of: operation, at: place, path, data: data) }
        guard let members = json.members else {
            return report(place, path, "expected a mapping of variables", help: nil)
        }
        self.members(members, of: operation, at: place, path, data: data)
    }

    private mutating func members(
        _ given: [(key: String, value: JSONValue)],
        of operation: DeclaredOperation,
        at place: Place,
        _ path: String,
        data: [String]
    ) {
        let declared = operation.variables
        for variable in declared {
            let (name, type) = (variable.name.text, Schema.TypeReference(variable.type))
            guard type.isNonNull, variable.defaultValue == nil, !given.contains(where: { $0.key == name }) else {
                continue
            }
            report(
                place,
                path,
                "missing variable '$\(name)' of '\(operation.name)': expected '\(type)'",
                help: nil
            )
        }
        for (name, _) in given where !declared.contains(where: { $0.name.text == name }) {
            let help = nearest(name, among: declared.map(\.name.text))
            report(place, path, "'\(operation.name)' has no variable '$\(name)'", help: help)
        }
        let templates = VariableTemplates(.object(given))
        if let misread = templates.misread { return report(place, path, misread, help: nil) }
        for name in templates.names where !(hasUsers && name.hasPrefix("user.")) {
            let first = name.split(separator: ".").first.map(String.init) ?? name
            guard !data.contains(first) else { continue }
            let known = data + (hasUsers ? ["user.sub"] : [])
            report(
                place,
                path,
                first == "user"
                    ? "'{{ \(name) }}' needs a signed-in user, and the section sets 'authenticated: false'"
                    : "unknown value '{{ \(name) }}'",
                help: nearest(first, among: known)
                    ?? (known.isEmpty ? nil : "known values: \(known.joined(separator: ", "))")
            )
        }
        // Templates are checked when they are filled.
        guard let schema = documents.schema, templates.names.isEmpty else { return }
        let missing = declared.contains { variable in
            Schema.TypeReference(variable.type).isNonNull && variable.defaultValue == nil
                && !given.contains { $0.key == variable.name.text }
        }
        guard !missing else { return }
        for finding in InputCoercion.variables(.object(given), of: operation.operation, in: schema).findings {
            report(place, path, finding.message, help: finding.help)
        }
    }

    private func nearest(_ name: String, among names: [String]) -> String? {
        Nearest.name(to: name, among: names).map { "did you mean '\($0)'?" }
    }

    private mutating func report(_ place: Place, _ path: String, _ message: String, help: String?) {
        uses.append(OperationUse(place: place, path: path, message: "\(path): \(message)", help: help))
    }
}
