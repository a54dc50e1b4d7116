/// The limits of executing one operation.
package struct ExecutionLimits: Sendable {
    /// The maximum number of resolved fields, and of processed selections.
    package var fields: Int
    /// The maximum depth of objects in the response.
    package var depth: Int
    /// The maximum number of items in a list.
    package var items: Int
    /// The maximum number of reported errors; further ones still make their fields null.
    package var errors: Int
    /// The maximum number of objects and values that resolvers examine, see ``ResolverWork``.
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
