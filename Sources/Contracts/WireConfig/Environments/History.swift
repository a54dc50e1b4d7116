package import WireBase

/// All values of a path through the layers of an environment, lowest first.
package struct History: Sendable {
    package struct Candidate: Sendable {
        package enum Change: Sendable, Equatable {
            /// A layer sets the value.
            case written(NodeID)
            /// A layer removes the value, or a mapping that contains it.
            case removed(NodeID)
            /// A layer replaces a mapping that contained the value.
            case replaced(NodeID)
            /// No layer sets the value; this default applies.
            case assumed(Literal)
        }

        package let origin: Layer.Origin?
        package let change: Change
        package let place: SourceRange?
    }

    package let path: [String]
    package let candidates: [Candidate]

    /// The candidate in effect.
    package var winner: Candidate? { candidates.last }

    /// Follows a path through the layers of an environment.
    package init(of path: [String], in file: LayeredFile, environment: String?, default literal: Literal?) {
        self.path = path
        var candidates: [Candidate] = []
        if let literal { candidates.append(Candidate(origin: nil, change: .assumed(literal), place: nil)) }
        for layer in file.layers(of: environment) {
            guard let change = Self.change(of: path, in: layer.root, file.document) else { continue }
            if case .written = change {} else if candidates.allSatisfy({ $0.origin == nil }) { continue }
            candidates.append(
                Candidate(origin: layer.origin, change: change, place: Self.place(of: change, file.document))
            )
        }
        if let last = candidates.last, let literal {
            switch last.change {
            case .removed, .replaced: candidates.append(Candidate(origin: nil, change: .assumed(literal), place: nil))
            case .written, .assumed: break
            }
        }
        self.candidates = candidates
    }

    private static func change(of path: [String], in root: NodeID, _ document: Document) -> Candidate.Change? {
        var node = root
        for (depth, step) in path.enumerated() {
            guard let next = document.node(at: [step], from: node) else {
                return depth > 0 && document.kind(node) != .mapping ? .replaced(node) : nil
            }
            if document.isNull(next) { return .removed(next) }
            node = next
        }
        return .written(node)
    }

    private static func place(of change: Candidate.Change, _ document: Document) -> SourceRange? {
        switch change {
        case .written(let node), .removed(let node), .replaced(let node): document.place(node)
        case .assumed: nil
        }
    }
}
