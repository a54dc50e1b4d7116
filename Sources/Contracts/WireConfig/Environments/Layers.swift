import WireBase

/// A tree in a layered configuration, with its source.
package struct Layer: Sendable {
    package enum Origin: Sendable, Equatable {
        /// A file included by the named one.
        case include(String)
        case file(String)
        /// An environment's overlay; `via` names the environment that extends it.
        case environment(String, via: String?)
        case override

        /// The name of the layer in messages.
        package var title: String {
            switch self {
            case .include(let name): "included \(name)"
            case .file: "the file"
            case .environment(let name, let via):
                via.map { "environment \(name), which \($0) extends" } ?? "environment \(name)"
            case .override: "--set"
            }
        }
    }

    package let origin: Origin
    package let root: NodeID
}

/// A services file as layers: included files, environments and overrides.
package struct LayeredFile: Sendable {
    package var document: Document
    /// Included files in order, then the file itself.
    package var files: [Layer] = []
    /// All files merged into one tree.
    package var base: NodeID
    package var overrides: [Layer] = []
    /// The environments in the order of their declaration.
    package var environments: [Declared] = [] {
        didSet { numbers = Dictionary(environments.enumerated().map { ($1.name, $0) }) { first, _ in first } }
    }
    private var numbers: [String: Int] = [:]
    /// Finished trees without overrides: an extended environment is merged once for all that extend it.
    private var trees: [String?: NodeID] = [:]

    init(document: Document, files: [Layer], base: NodeID, overrides: [Layer]) {
        (self.document, self.files, self.base, self.overrides) = (document, files, base, overrides)
    }

    package struct Declared: Sendable {
        package let name: String
        package let key: NodeID
        package let node: NodeID
        /// The environment and those it extends, outermost first; only itself where the chain is broken.
        package var chain: [String] = []
    }

    /// Whether the file has environments that could not be read: below a misspelled key, or in a list.
    var saysOtherwiseWhichEnvironments: Bool {
        guard environments.isEmpty else { return false }
        return document.entries(base).contains { entry in
            let name = document.text(entry.key)
            guard name != "environments" else {
                return !document.isNull(entry.value) && document.kind(entry.value) != .mapping
            }
            return document.kind(entry.value) == .mapping
                && Nearest.name(to: name, among: Keys.describe(FileRecord.self).keys.map(\.name)) == "environments"
        }
    }

    package func environment(_ name: String) -> Declared? { numbers[name].map { environments[$0] } }

    /// The layers of an environment, lowest first.
    package func layers(of environment: String?) -> [Layer] {
        var layers = files
        if let environment, let declared = self.environment(environment) {
            for name in declared.chain {
                guard let link = self.environment(name) else { continue }
                layers.append(
                    Layer(origin: .environment(name, via: name == environment ? nil : environment), root: link.node)
                )
            }
        }
        return layers + overrides
    }

    /// The trees that override the files in an environment.
    func overlays(of environment: String?) -> [NodeID] {
        layers(of: environment).filter { layer in
            switch layer.origin {
            case .environment, .override: true
            case .include, .file: false
            }
        }.map(\.root)
    }

    /// All files and overrides as one tree, including the keys that declare environments.
    package mutating func whole() -> NodeID {
        overrides.reduce(base) { document.overlay($1.root, over: $0) }
    }

    /// Builds the tree of an environment: the files, the chain of environments and the overrides, without the keys that
    /// declare environments.
    package mutating func resolve(_ environment: String?) -> NodeID {
        var root = fileTree()
        for name in environment.flatMap({ self.environment($0) })?.chain ?? [] { root = tree(of: name, over: root) }
        for layer in overrides { root = document.overlay(layer.root, over: root) }
        return root
    }

    /// The file without the keys that declare environments.
    private mutating func fileTree() -> NodeID {
        if let tree = trees[nil] { return tree }
        let tree = document.mapping(base, without: ["environments", "include"])
        trees[nil] = tree
        return tree
    }

    /// Merges an environment over the tree of the one it extends.
    private mutating func tree(of name: String, over root: NodeID) -> NodeID {
        if let tree = trees[name] { return tree }
        guard let link = environment(name), document.kind(link.node) == .mapping else { return root }
        let tree = document.overlay(document.mapping(link.node, without: ["extends"]), over: root)
        trees[name] = tree
        return tree
    }
}
