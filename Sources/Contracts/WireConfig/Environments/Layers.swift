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
    package var environments: [Declared] = []

    package struct Declared: Sendable {
        package let name: String
        package let key: NodeID
        package let node: NodeID
        /// Itself and what it extends, the outermost first; just itself where the chain is broken.
        package var chain: [String] = []
    }

    package func environment(_ name: String) -> Declared? { environments.first { $0.name == name } }

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
        var root = document.mapping(base, without: ["environments", "include"])
        if let environment, let declared = self.environment(environment) {
            for name in declared.chain {
                guard let link = self.environment(name), document.kind(link.node) == .mapping else { continue }
                root = document.lay(document.mapping(link.node, without: ["extends"]), over: root)
            }
        }
        for layer in overrides { root = document.lay(layer.root, over: root) }
        return root
    }
}
