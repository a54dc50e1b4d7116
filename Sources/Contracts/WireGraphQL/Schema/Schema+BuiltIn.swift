extension Schema {
    /// The scalars that every service has.
    package static let builtInScalars = ["Int", "Float", "String", "Boolean", "ID"]
    package static let builtInDirectives = ["include", "skip", "deprecated", "specifiedBy", "oneOf"]

    /// The types that describe a schema itself.
    package static let introspectionTypes: [String: NamedType] = [:]
}
