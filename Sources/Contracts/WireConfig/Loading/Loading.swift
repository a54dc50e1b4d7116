import WireBase

/// The state of one load.
struct Loading {
    let loader: Loader
    private var document = Document()
    private var problems: Problems
    private var dialect: String?
    private var syntaxes = FileSyntaxes()
    /// The files being read, outermost first.
    private var path: [String] = []
    private var includes = 0
    /// Whether includes exceeded the depth limit; reported once.
    private var isTooDeep = false
    private var layers: [Layer] = []

    init(loader: Loader) {
        self.loader = loader
        problems = Problems(limit: loader.limits.problems)
    }

    mutating func run(_ bytes: [UInt8], _ name: String, isFile: Bool, overrides: [Loader.Override]) -> Loader.Loaded {
        guard var base = read(bytes, name, isFile: isFile) else {
            return loaded(nil)
        }
        layers.append(Layer(origin: .file(name), root: base))
        for layer in layers.reversed().dropFirst() {
            base = document.overlay(base, over: layer.root, keepingNulls: true)
        }
        let overrideLayers = overrides.compactMap { override($0).map { Layer(origin: .override, root: $0) } }
        guard let environments = declaredEnvironments(in: base) else { return loaded(nil) }
        var file = LayeredFile(document: document, files: layers, base: base, overrides: overrideLayers)
        file.environments = environments
        return loaded(file)
    }

    private func loaded(_ file: LayeredFile?) -> Loader.Loaded {
        Loader.Loaded(file: file, problems: problems, sources: document.files, dialect: dialect, syntaxes: syntaxes)
    }

    // MARK: Files

    /// Reads a text with its includes, and adds their layers.
    private mutating func read(_ bytes: [UInt8], _ name: String, isFile: Bool) -> NodeID? {
        path.append(name)
        defer { path.removeLast() }
        guard let root = parse(bytes, name, isFile: isFile) else { return nil }
        for include in document.value("include", of: root).map({ Array(document.items($0)) }) ?? [] {
            guard includes <= loader.limits.includes else { break }
            readInclude(include, from: name)
        }
        return root
    }

    private mutating func parse(_ bytes: [UInt8], _ name: String, isFile: Bool) -> NodeID? {
        let source: SourceFile
        do {
            source = try TextDecoding.accept(bytes, named: name, isFile: isFile)
        } catch {
            if let file = error.problem.place?.file { _ = document.add(file) }
            problems.add(error.problem)
            return nil
        }
        if source.bytes.starts(with: "<?xml".utf8) || source.bytes.starts(with: "<plist".utf8) {
            problems.add(
                Diagnostic(.yamlSyntax, "a services file is YAML or JSON, this is XML", at: SourceRange(source, 0..<1))
                    .helped(by: "convert a HALO property list with 'corewire import \(name)'")
            )
            return nil
        }
        guard let format = loader.format(for: name, source.bytes) else { return nil }
        let isJSON = format.name == FileFormat.json.name
        syntaxes.record(FileSyntax(isJSON: isJSON), of: source)
        switch build(source, format.read) {
        case .failed:
            return nil
        case .root(let root):
            guard let dialect = loader.dialects.first(where: { $0.recognizes(document, root) }) else {
                return checkedMapping(root)
            }
            self.dialect = dialect.name
            syntaxes.record(FileSyntax(isJSON: isJSON, dialect: dialect), of: source)
            return dialect.translate(&document, root, &problems)
        case .nothing:
            problems.add(
                Diagnostic(.emptyFile, "the file contains no value", at: SourceRange(source, 0..<0))
                    .helped(by: "'corewire init' writes a template")
            )
            return nil
        }
    }

    private enum Built {
        case root(NodeID)
        case nothing
        case failed
    }

    private mutating func build(
        _ source: SourceFile,
        _ read: (inout DocumentBuilder, SourceFile) throws(Unreadable) -> Void
    ) -> Built {
        // The document is moved, not copied: it may be large.
        var builder = DocumentBuilder(source: source, into: document, limits: loader.limits)
        document = Document()
        var failure: Diagnostic?
        do {
            try read(&builder, source)
        } catch {
            failure = error.problem
        }
        let result = builder.finish()
        document = result.document
        problems.add(result.problems)
        if let failure {
            problems.add(failure)
            return .failed
        }
        return result.root.map { isNothing($0) ? .nothing : .root($0) } ?? .nothing
    }

    private func isNothing(_ node: NodeID) -> Bool {
        document.isNull(node)
    }

    private mutating func checkedMapping(_ root: NodeID) -> NodeID? {
        guard document.kind(root) == .mapping else {
            problems.add(
                Diagnostic(.wrongType, "a services file is a mapping of sections", at: document.place(root).beginning)
                    .labelled("this is \(document.kind(root) == .sequence ? "a list" : "one value")")
            )
            return nil
        }
        return root
    }

    // MARK: Includes

    private mutating func readInclude(_ node: NodeID, from parent: String) {
        guard document.kind(node).isScalar, !document.text(node).isEmpty, !document.text(node).contains("${") else {
            return
        }
        let written = document.text(node)
        let place = document.place(node)
        let name = Self.resolve(written, beside: parent)
        guard !path.contains(name) else {
            problems.add(
                Diagnostic(.includeCycle, "\(written.quoted) includes itself", at: place)
                    .labelled(path.count > 1 ? "through \(path.dropFirst().map(\.quoted).joined(separator: ", "))" : "")
            )
            return
        }
        includes += 1
        let limits = loader.limits
        guard includes <= limits.includes else {
            return problems.add(exceeded("includes", limits.includes, "files", at: node))
        }
        guard path.count <= limits.includeDepth else {
            if !isTooDeep { problems.add(exceeded("includeDepth", limits.includeDepth, "files", at: node)) }
            isTooDeep = true
            return
        }
        do {
            let bytes = try loader.readFile(name, limits.fileSize, true)
            if let root = read(bytes, name, isFile: true) { layers.append(Layer(origin: .include(name), root: root)) }
        } catch {
            problems.add(
                Diagnostic(
                    .unreadableFile,
                    "cannot read the included file \(written.quoted): \(error.reason)",
                    at: place
                )
            )
        }
    }

    private static func resolve(_ name: String, beside file: String) -> String {
        Files.normalized(Files.path(name, beside: file))
    }

    // MARK: Overrides

    /// Parses `a.b=value` as a tree whose locations are in the argument.
    private mutating func override(_ override: Loader.Override) -> NodeID? {
        let text = override.text
        guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
            // The text after the path may be a secret.
            let path = text.prefix { $0.isLetter || $0.isNumber || "._-".contains($0) }
            return refuse(
                override,
                at: path.endIndex..<path.endIndex,
                "\(override.option) needs PATH=VALUE",
                label: path.isEmpty ? "a path is missing" : "'=' and a value are missing",
                "for example --set network.retries=5"
            )
        }
        let keys = text[..<equals].split(separator: ".", omittingEmptySubsequences: false)
        if let empty = keys.first(where: \.isEmpty) {
            return refuse(
                override,
                at: empty.startIndex..<empty.endIndex,
                "\(override.option) needs a path of keys",
                label: "a key is missing",
                "'corewire explain' prints paths in this form"
            )
        }
        guard !["environments", "include"].contains(keys[0]) else {
            return refuse(
                override,
                at: keys[0].startIndex..<keys[0].endIndex,
                "\(keys[0]) cannot be set on the command line",
                "the key is needed before overrides are applied"
            )
        }
        guard let value = overrideValue(override, from: text.utf8.distance(from: text.startIndex, to: equals) + 1)
        else { return nil }
        let file = UInt16(document.files.count - 1)
        return keys.reversed().reduce(value) { tree, key in
            let place = text.utf8.distance(from: text.startIndex, to: key.startIndex)
            let name = document.addScalar(
                .quoted,
                in: file,
                at: place..<place + key.utf8.count,
                rewritten: Array(key.utf8)
            )
            return document.makeMapping([Entry(key: name, value: tree)], like: value)
        }
    }

    /// Reports an invalid argument; shows only its path, since its value may be a secret.
    private mutating func refuse(
        _ override: Loader.Override,
        at range: Range<String.Index>,
        _ message: String,
        label: String = "",
        _ help: String
    ) -> NodeID? {
        let text = override.text
        let shown = text[..<max(text.firstIndex(of: "=") ?? text.startIndex, range.upperBound)]
        let source = SourceFile(name: override.option, bytes: Array(shown.utf8), isFile: false)
        _ = document.add(source)
        let start = text.utf8.distance(from: text.startIndex, to: range.lowerBound)
        let end = text.utf8.distance(from: text.startIndex, to: range.upperBound)
        problems.add(
            Diagnostic(.badOverride, message, at: SourceRange(source, start..<end)).labelled(label).helped(by: help)
        )
        return nil
    }

    private mutating func overrideValue(_ override: Loader.Override, from start: Int) -> NodeID? {
        let source = SourceFile(name: override.option, bytes: Array(override.text.utf8), isFile: false)
        // The text before the value is blanked, so that locations are positions in the argument.
        let blanked = SourceFile(
            name: override.option,
            bytes: Array(repeating: UInt8(ascii: " "), count: start) + source.bytes[start...],
            isFile: false
        )
        guard let format = loader.formats.first else { return nil }
        switch build(source, { (builder, _) throws(Unreadable) in try format.read(&builder, blanked) }) {
        case .failed: return nil
        case .root(let root):
            return isComment(behind: max(document.place(root).bytes.upperBound, start), in: override) ? nil : root
        case .nothing:
            if isComment(behind: start, in: override) { return nil }
            return document.addScalar(
                .plain,
                in: UInt16(document.files.count - 1),
                at: start..<start,
                text: start..<start
            )
        }
    }

    /// Whether a comment follows, which is reported because part of the argument would be ignored.
    private mutating func isComment(behind end: Int, in override: Loader.Override) -> Bool {
        var bytes = Array(override.text.utf8)
        let blanks = Array(" \t\r\n".utf8)
        guard let sign = bytes[end...].firstIndex(where: { !blanks.contains($0) }), bytes[sign] == UInt8(ascii: "#"),
            let equals = bytes.firstIndex(of: UInt8(ascii: "="))
        else { return false }
        // The value may be a secret, so it is replaced by asterisks.
        for place in equals + 1..<sign { bytes[place] = UInt8(ascii: "*") }
        let source = SourceFile(name: override.option, bytes: Array(bytes[...sign]), isFile: false)
        _ = document.add(source)
        let path = String(decoding: bytes[..<equals], as: UTF8.self)
        problems.add(
            Diagnostic(
                .badOverride,
                "the value of \(path.quoted) is incomplete: '#' without quotes begins a comment",
                at: SourceRange(source, sign..<sign + 1)
            )
            .labelled("the comment begins here")
            .helped(by: "quote the value: \(override.option) '\(path)=\"…#…\"'")
        )
        return true
    }

    // MARK: Environments

    /// The environments of a tree with their chains; nil where there are more than the limit.
    private mutating func declaredEnvironments(in base: NodeID) -> [LayeredFile.Declared]? {
        guard let environments = document.value("environments", of: base), document.kind(environments) == .mapping
        else { return [] }
        let declared = document.entries(environments)
            .filter { !document.text($0.key).hasPrefix("x-") }
            .map { LayeredFile.Declared(name: document.text($0.key), key: $0.key, node: $0.value) }
        let limit = loader.limits.environments
        guard declared.count <= limit else {
            problems.add(exceeded("environments", limit, "environments", at: declared[limit].key))
            return nil
        }
        var chains = EnvironmentChains(of: declared, in: document, limit: loader.limits.extendsDepth)
        let resolved = chains.resolve()
        problems.add(chains.problems)
        return resolved
    }

    private func exceeded(_ limit: String, _ count: Int, _ unit: String, at node: NodeID) -> Diagnostic {
        Diagnostic(.limitExceeded, "the limit '\(limit)' is \(count) \(unit)", at: document.place(node))
            .labelled("past the limit here")
    }
}
