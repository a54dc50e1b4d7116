package import WireBase

/// Writes the effective settings of one environment as a loadable file: stable order, secrets hidden.
package struct EffectiveFile {
    private let document: Document
    private let form: FileForm
    private let facts: EnvironmentFacts
    private let root: NodeID
    /// The locations of secrets found while reading.
    private let secrets: Set<SourceRange>
    private let secretText: SecretText

    /// Provides the replacement for a secret written in clear, by its path and location.
    package typealias SecretText = @Sendable (_ path: [String], _ place: SourceRange) -> String

    package init(
        _ environment: FileValidator.ValidatedEnvironment,
        of document: Document,
        catalogue: Catalogue,
        secrets: [SourceRange],
        isWrittenOnly: Bool = false,
        secretText: @escaping SecretText = { _, _ in Secret<String>.redacted }
    ) {
        self.document = document
        form = FileForm(catalogue)
        facts = environment.facts
        root = isWrittenOnly ? environment.written : environment.root
        self.secrets = Set(secrets)
        self.secretText = secretText
    }

    /// The file: general keys first, then the sections in the order of the reference.
    package var literal: Literal {
        var entries: [(key: String, value: Literal)] = [("version", .integer(1))]
        var environment: [(key: String, value: Literal)] = []
        for key in ["baseUrl", "backend"] {
            guard let node = document.value(key, of: root) else { continue }
            environment.append((key, literal(of: node, .text(WebURL.textForm), [key])))
        }
        if let name = facts.name {
            entries.append(("environment", .text(name)))
            entries.append(("environments", .mapping([(name, .mapping(environment))])))
        } else {
            entries += environment
        }
        if let allow = document.value("allow", of: root) {
            entries.append(("allow", FreeValue(allow, of: document).literal))
        }
        for section in form.catalogue.sections {
            guard let node = document.value(section.name, of: root), !isNull(node) else { continue }
            entries.append((section.name, literal(of: node, form(of: section, at: node), [section.name])))
        }
        return .mapping(entries)
    }

    /// All settings by path with their nodes, for comparisons.
    package var settings: [(path: String, value: Literal, node: NodeID)] {
        var settings: [(String, Literal, NodeID)] = []
        for key in ["baseUrl", "backend"] {
            if let node = document.value(key, of: root) {
                settings.append((key, literal(of: node, .text(WebURL.textForm), [key]), node))
            }
        }
        for section in form.catalogue.sections {
            guard let node = document.value(section.name, of: root), !isNull(node) else { continue }
            collect(node, form(of: section, at: node), [section.name], into: &settings)
        }
        return settings
    }

    /// The form of a section; built only where the section has entries.
    private func form(of section: any Section.Type, at node: NodeID) -> Form {
        document.kind(node) == .mapping && document.entries(node).isEmpty ? .free : section.form
    }

    /// A value with its secrets hidden.
    package static func shown(
        _ node: NodeID,
        _ form: Form,
        _ path: [String],
        _ document: Document,
        secrets: [SourceRange]
    ) -> Literal {
        EffectiveFile(
            document: document,
            form: FileForm(Catalogue([])),
            facts: EnvironmentFacts(),
            root: node,
            secrets: Set(secrets),
            secretText: { _, _ in Secret<String>.redacted }
        )
        .literal(of: node, form, path)
    }

    private init(
        document: Document,
        form: FileForm,
        facts: EnvironmentFacts,
        root: NodeID,
        secrets: Set<SourceRange>,
        secretText: @escaping SecretText
    ) {
        self.document = document
        self.form = form
        self.facts = facts
        self.root = root
        self.secrets = secrets
        self.secretText = secretText
    }

    private func collect(
        _ node: NodeID,
        _ form: Form,
        _ path: [String],
        into settings: inout [(String, Literal, NodeID)]
    ) {
        let entries = shownEntries(of: node, form)
        // A mapping by environments has one entry here, and is compared as one value.
        if case .byEnvironment = form, let only = entries.first {
            return collect(only.value, only.form, path, into: &settings)
        }
        guard document.kind(node) == .mapping, !entries.isEmpty else {
            settings.append((path.joined(separator: "."), literal(of: node, form, path), node))
            return
        }
        for (name, value, inner) in entries { collect(value, inner, path + [name], into: &settings) }
    }

    private func isNull(_ node: NodeID) -> Bool {
        document.isNull(node)
    }

    private func literal(of node: NodeID, _ form: Form, _ path: [String]) -> Literal {
        if Self.isSecret(form) { return secret(node, path) }
        if secrets.contains(place(of: node)) { return .text(secretText(path, place(of: node))) }
        switch document.kind(node) {
        case .mapping:
            return .mapping(
                shownEntries(of: node, form).map { ($0.name, literal(of: $0.value, $0.form, path + [$0.name])) }
            )
        case .sequence:
            let inner = Self.item(of: form)
            return .list(document.items(node).enumerated().map { literal(of: $1, inner, path + ["\($0)"]) })
        default:
            if case .text = form { return isNull(node) ? .null : .text(document.text(node)) }
            return FreeValue(node, of: document).literal
        }
    }

    private static func isSecret(_ form: Form) -> Bool {
        if case .secret = form { true } else { false }
    }

    /// A reference stays visible; literal text is hidden.
    private func secret(_ node: NodeID, _ path: [String]) -> Literal {
        guard document.kind(node).isScalar else { return .text(secretText(path, place(of: node))) }
        let text = document.text(node)
        let parsed = try? ReferringText(parsing: text)
        let isReference = parsed.map { !$0.references.isEmpty && !$0.holdsTextOfItsOwn } ?? false
        return .text(isReference ? text : secretText(path, place(of: node)))
    }

    private func place(of node: NodeID) -> SourceRange { document.place(document.target(node)) }

    /// The visible entries of a mapping in the order of its form; entries for other environments and extension keys are
    /// left out.
    private func shownEntries(of node: NodeID, _ form: Form) -> [(name: String, value: NodeID, form: Form)] {
        let all = document.entries(node).map { (name: document.text($0.key), value: $0.value) }
        // A value that is passed on opaquely is shown as it is.
        if case .free = form { return all.map { ($0.name, $0.value, .free) } }
        let entries = all.filter { !$0.name.hasPrefix("x-") && !isNull($0.value) }
        switch form {
        case .record(let record):
            return record.keys.compactMap { key in
                entries.first { $0.name == key.name }.map { ($0.name, $0.value, key.form) }
            }
        case .byEnvironment(let inner):
            return entries.filter { facts.name == nil || $0.name == facts.name }.map { ($0.name, $0.value, inner) }
        case .named(let inner):
            return entries.map { ($0.name, $0.value, inner) }
        case .tagged(let tag, let fallback, let alternatives):
            let chosen = entries.first { $0.name == tag }.map { document.text($0.value) } ?? fallback
            let form = alternatives.first { $0.name == chosen }?.form ?? .free
            let head = entries.filter { $0.name == tag }.map { ($0.name, $0.value, Form.free) }
            return head + shownEntries(of: node, form).filter { $0.name != tag }
        case .exclusive(let alternatives):
            return alternatives.compactMap { alternative in
                entries.first { $0.name == alternative.name }.map { ($0.name, $0.value, alternative.form) }
            }
        case .either(let first, let second):
            let inner = document.kind(node) == .mapping && first.keyNames.isEmpty ? second : first
            return shownEntries(of: node, inner)
        default:
            return entries.map { ($0.name, $0.value, .free) }
        }
    }

    private static func item(of form: Form) -> Form {
        switch form {
        case .list(let inner): inner
        case .either(let first, let second): if case .list(let inner) = first { inner } else { item(of: second) }
        default: .free
        }
    }
}
