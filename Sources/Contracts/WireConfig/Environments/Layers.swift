import WireBase

/// A tree that takes part in a configuration, and where it comes from.
package struct Layer: Sendable {
    package enum Origin: Sendable, Equatable {
        /// A file that the named one includes.
        case include(String)
        case file(String)
        /// An environment's overlay; `via` names the environment that extends it.
        case environment(String, via: String?)
        case override

        /// What people call it.
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

/// A services file taken apart into the trees it is made of.
package struct LayeredFile: Sendable {
    package var document: Document
    /// Included files in order, then the file itself.
    package var files: [Layer] = []
    /// All files as one tree.
    package var base: NodeID
    package var overrides: [Layer] = []
    /// The environments as the files declare them, in order.
    package var environments: [Declared] = [] {
        didSet { numbers = Dictionary(environments.enumerated().map { ($1.name, $0) }) { first, _ in first } }
    }
    private var numbers: [String: Int] = [:]
    /// The trees that are made already, before any override: what an environment extends is laid once for all of them.
    private var trees: [String?: NodeID] = [:]

    init(document: Document, files: [Layer], base: NodeID, overrides: [Layer]) {
        (self.document, self.files, self.base, self.overrides) = (document, files, base, overrides)
    }

    package struct Declared: Sendable {
        package let name: String
        package let key: NodeID
        package let node: NodeID
        /// Itself and what it extends, the outermost first; just itself where the chain is broken.
        package var chain: [String] = []
    }

    /// Whether the file has environments that could not be made out: below a key that is misspelt, or in a list.
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

    /// The trees an environment is made of, lowest first.
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

    /// The trees that are laid over the files for an environment.
    func overlays(of environment: String?) -> [NodeID] {
        layers(of: environment).filter { layer in
            switch layer.origin {
            case .environment, .override: true
            case .include, .file: false
            }
        }.map(\.root)
    }

    /// All files and overrides as one tree, the keys that declare environments among them.
    package mutating func whole() -> NodeID {
        overrides.reduce(base) { document.lay($1.root, over: $0) }
    }

    /// The tree of an environment: the file with the environment's chain and the overrides laid over it, without the keys
    /// that declare environments.
    package mutating func resolve(_ environment: String?) -> NodeID {
        var root = fileTree()
        for name in environment.flatMap({ self.environment($0) })?.chain ?? [] { root = tree(of: name, over: root) }
        for layer in overrides { root = document.lay(layer.root, over: root) }
        return root
    }

    /// The file without the keys that declare environments.
    private mutating func fileTree() -> NodeID {
        if let tree = trees[nil] { return tree }
        let tree = document.mapping(base, without: ["environments", "include"])
        trees[nil] = tree
        return tree
    }

    /// An environment laid over the tree of the one it extends.
    private mutating func tree(of name: String, over root: NodeID) -> NodeID {
        if let tree = trees[name] { return tree }
        guard let link = environment(name), document.kind(link.node) == .mapping else { return root }
        let tree = document.lay(document.mapping(link.node, without: ["extends"]), over: root)
        trees[name] = tree
        return tree
    }
}
