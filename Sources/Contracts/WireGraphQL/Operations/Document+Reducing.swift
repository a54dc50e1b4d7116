extension FragmentGraph {
    /// The fragments that an operation uses, in the order of the document.
    func fragments(of operation: Syntax.Operation) -> [Syntax.Fragment] {
        reached(from: Self.spreads(in: operation.selections)).map { fragments[$0] }
    }
}

extension Syntax.Document {
    /// An operation and the fragments it uses.
    package func reduced(to operation: Syntax.Operation) -> Self {
        Self([.operation(operation)] + FragmentGraph(self).fragments(of: operation).map { .fragment($0) })
    }
}
