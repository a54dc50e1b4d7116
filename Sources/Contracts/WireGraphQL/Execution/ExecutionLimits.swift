/// How much one operation may cost before its execution stops.
package struct ExecutionLimits: Sendable {
    /// How many fields may be resolved, and how many selections may be read.
    package var fields: Int
    /// How deep objects may nest in the answer.
    package var depth: Int
    /// How many items one list may have.
    package var items: Int
    /// How many errors are told; later ones still make their fields null.
    package var errors: Int
    /// How many objects and values resolvers may look at, see ``ResolverWork``.
    package var work: Int

    package init(
        fields: Int = 200_000,
        depth: Int = 60,
        items: Int = 20_000,
        errors: Int = 100,
        work: Int = 2_000_000
    ) {
        self.fields = fields
        self.depth = depth
        self.items = items
        self.errors = errors
        self.work = work
    }
}
