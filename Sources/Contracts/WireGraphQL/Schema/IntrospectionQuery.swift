/// The introspection query in variants for servers of different age.
///
/// A server rejects unknown fields, so try the variants in the order of `allCases`.
package enum IntrospectionQuery: Sendable, CaseIterable {
    /// All features of the specification of September 2025.
    case september2025
    /// Without `isOneOf`, and without deprecated arguments and input fields.
    case october2021
    /// Without the description of the schema, `specifiedByURL`, `isRepeatable` either.
    case june2018

    package var text: String {
        let isNew = self == .september2025
        let isOld = self == .june2018
        let all = isNew ? "(includeDeprecated: true)" : ""
        return """
            query IntrospectionQuery {
              __schema {\(isOld ? "" : " description")
                queryType { name }
                mutationType { name }
                subscriptionType { name }
                types { ...Type }
                directives { name description\(isOld ? "" : " isRepeatable") locations args\(all) { ...Input } }
              }
            }
            fragment Type on __Type {
              kind name description\(isOld ? "" : " specifiedByURL")\(isNew ? " isOneOf" : "")
              fields(includeDeprecated: true) {
                name description
                args\(all) { ...Input }
                type { ...Reference }
                isDeprecated deprecationReason
              }
              inputFields\(all) { ...Input }
              interfaces { ...Reference }
              enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason }
              possibleTypes { ...Reference }
            }
            fragment Input on __InputValue {
              name description
              type { ...Reference }
              defaultValue\(isNew ? " isDeprecated deprecationReason" : "")
            }
            fragment Reference on __Type { \(Self.reference) }
            """
    }

    /// The depth supported by common servers: four lists with non-null lists and items.
    private static let reference = (0..<9).reduce("kind name") { inner, _ in "kind name ofType { \(inner) }" }
}
