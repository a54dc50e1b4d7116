package import WireConfig

extension InputCoercion {
    /// The variables of an operation with the problems of given values; variables without a value and a default are
    /// omitted.
    package static func variables(
        _ given: JSONValue,
        of operation: Syntax.Operation,
        in schema: Schema
    ) -> (values: [String: JSONValue], findings: [Finding]) {
        guard let members = given.members else {
            return ([:], [Finding(.variables, "the variables are not an object", at: nil)])
        }
        let given = Dictionary(members.map { ($0.key, $0.value) }) { _, last in last }
        var values: [String: JSONValue] = [:]
        var findings: [Finding] = []
        for variable in operation.variables {
            let (name, type) = (variable.name.text, Schema.TypeReference(variable.type))
            var coercion = InputCoercion(schema)
            if let value = given[name] {
                values[name] = coercion.coerce(value, as: type)
            } else if let value = variable.defaultValue {
                values[name] = coercion.coerce(value, as: type)
            } else if type.isNonNull {
                let message = "missing variable '$\(name)': expected '\(type)'"
                findings.append(Finding(.variables, message, at: variable.place))
            }
            for problem in coercion.problems {
                let place = ([.name("$\(name)")] + problem.path).text
                findings.append(Finding(.variables, "'\(place)': \(problem.message)", at: variable.place))
            }
        }
        return (values, findings)
    }
}
